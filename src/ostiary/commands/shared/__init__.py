"""What several verbs need: exit codes, options, printing, and the way to the engine."""
