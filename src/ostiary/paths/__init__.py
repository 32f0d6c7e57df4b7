"""Spellings of paths: patterns of rules, and whether the target of an access is one that they name."""

from ostiary.paths.glob import path_matches
from ostiary.paths.match import PathMatcher, matcher, matcher_of, outside
from ostiary.paths.plan import Keyed, key, path_plan, shown
from ostiary.paths.spelling import Spelling, collapsed, is_known, spelled
from ostiary.paths.tree import Tree, TreeMatcher, tree_matcher
from ostiary.paths.written import ANYTHING, Written, wrote

__all__ = [
    "ANYTHING",
    "Keyed",
    "PathMatcher",
    "Spelling",
    "Tree",
    "TreeMatcher",
    "Written",
    "collapsed",
    "is_known",
    "key",
    "matcher",
    "matcher_of",
    "outside",
    "path_matches",
    "path_plan",
    "shown",
    "spelled",
    "tree_matcher",
    "wrote",
]
