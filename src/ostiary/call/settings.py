"""Git's settings, when a command writes one: the file they are kept in, and which of them make git run things."""

from __future__ import annotations

import re
from typing import Final

from ostiary.call.gather import Gathered
from ostiary.call.model import Opening
from ostiary.call.net import git_setting
from ostiary.expressions import expression
from ostiary.programs import Arguments
from ostiary.words import joined, word

_CHANGING: Final = frozenset(
    {"--add", "--replace-all", "--unset", "--unset-all", "--rename-section", "--remove-section", "-e"}
)
_ASKING: Final = frozenset(
    {"--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "--get-colorbool", "-l"}
)
_SUBCOMMANDS: Final = frozenset({"set", "unset", "rename-section", "remove-section", "edit"})
_FILES: Final = {"--global": "~/.gitconfig", "--system": "/etc/gitconfig"}

# Settings that neither run, load, connect nor choose a file (git's manual of config); a closed list.
_INERT: Final = expression(
    r"user\.(?:name|email|signingkey)|(?:author|committer)\.(?:name|email)|color\..*|column\..*|advice\..*|log\..*"
    r"|status\..*|init\.defaultbranch|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)"
    r"|fetch\.(?:prune|prunetags|parallel)|merge\.(?:ff|conflictstyle|renames|log)|rerere\.(?:enabled|autoupdate)"
    r"|rebase\.(?:autosquash|autostash|updaterefs|stat)|commit\.(?:gpgsign|verbose|status)|tag\.(?:gpgsign|sort)"
    r"|diff\.(?:algorithm|colormoved|renames|renamelimit|mnemonicprefix|noprefix|context)|branch\.(?:sort|autosetup\w+)"
    r"|core\.(?:autocrlf|eol|safecrlf|filemode|ignorecase|quotepath|longpaths|whitespace|abbrev|compression|precomposeunicode)"
    r"|gc\.(?:auto|autodetach)|feature\..*|pack\.(?:threads|windowmemory)|blame\..*|grep\.(?:linenumber|patterntype)",
    re.IGNORECASE,
)


def configure(given: Arguments, out: Gathered) -> None:
    """Add the file that `git config` changes outside of the repository, that of the repository where the setting may
    make git do something, and the setting that an allow must name."""
    if given.data is None or given.data.path[:2] != ("git", "config"):
        return
    used = frozenset[str]().union(*(option.names for option in given.options))
    if not _changes(given, used):
        return
    for name, file in _FILES.items():
        if name in used:
            out.path(word(file), "write")
    if len(given.operands) > 1:
        git_setting(out, joined([*given.operands[0].pieces, "=", *given.operands[1].pieces]), certain=True)
    if given.operands:
        key = given.operands[0].text
        local = used.isdisjoint({*_FILES, "-f", "--file"})
        if local and (key is None or not _INERT.fullmatch(key)):
            out.path(word(".git/config"), "write")
    if len(given.operands) > 1:
        if key is None:
            out.openings.append(Opening("unknown", frozenset(), f"`{given.operands[0]}` may be any setting"))
        elif not _INERT.fullmatch(key):
            out.openings.append(Opening("word", frozenset({key}), f"the setting `{key}` may make git run something"))


def _changes(given: Arguments, used: frozenset[str]) -> bool:
    chosen = given.subcommand[1:2]
    if chosen:
        return chosen[0] in _SUBCOMMANDS
    return not used.isdisjoint(_CHANGING) or (len(given.operands) > 1 and used.isdisjoint(_ASKING))
