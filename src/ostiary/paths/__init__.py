"""Spellings of paths: patterns of rules, and whether the target of an access is one that they name."""

from ostiary.paths.match import PathMatcher, matcher, outside
from ostiary.paths.plan import path_plan, shown
from ostiary.paths.spelling import collapsed, spelled

__all__ = ["PathMatcher", "collapsed", "matcher", "outside", "path_plan", "shown", "spelled"]
