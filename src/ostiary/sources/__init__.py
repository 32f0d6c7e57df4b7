"""Where rules and facts come from: the only modules that read policy files and ask the machine."""
