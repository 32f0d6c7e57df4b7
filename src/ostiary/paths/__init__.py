"""Spellings of paths: patterns of rules, and whether the target of an access is one that they name."""

from ostiary.paths.match import PathMatcher, matcher, outside
from ostiary.paths.plan import path_plan, shown
from ostiary.paths.spelling import collapsed, spelled
from ostiary.paths.tree import Tree, TreeMatcher, tree_matcher

__all__ = [
    "PathMatcher",
    "Tree",
    "TreeMatcher",
    "collapsed",
    "matcher",
    "outside",
    "path_plan",
    "shown",
    "spelled",
    "tree_matcher",
]
