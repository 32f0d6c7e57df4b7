"""Fuzzing of the shell analysis against two oracles, and laws on a million scripts."""
