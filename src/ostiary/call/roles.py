"""What each role of an operand or value comes to: accesses, nested scripts, texts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from ostiary import urls
from ostiary.call import net
from ostiary.call.gather import Gathered, Nested
from ostiary.call.model import FURTHER, Access, AccessKind
from ostiary.call.shapes import at_place, descriptor, is_no_script, is_path, is_process, is_url, paths_in, value_of_key
from ostiary.expressions import expression
from ostiary.paths import Tree
from ostiary.records import NamedTuple, replace
from ostiary.words import Hole, Word, joined, word


class Item(NamedTuple):
    """A word to handle. `detail` is what stands after its role (`code:python`); not `certain` where the word may have
    another role."""

    word: Word
    detail: str = ""
    certain: bool = True


Handler = Callable[[Gathered, Item], None]

_FORM: Final = expression(r"[^=@<]*=?[@<]")
_COMMAND_SETTING: Final = expression(
    r"(?:exec|(?:proxy|local|knownhosts)command"
    r"|alias\.[^=]*=(?=!)|(?:core|gpg|diff|pager|credential|sequence|filter|merge|difftool|mergetool|browser|man|gui|ssh)"
    r"\.(?:[^=]*\.)?(?:pager|editor|sshcommand|fsmonitor|askpass|external|command|textconv|cmd|driver|clean|smudge|process"
    r"|program|helper)|pager\.[^=]*"
    r"|target\..*\.(?:runner|linker)|build\.rustc(?:-wrapper|-workspace-wrapper)?|host\.runner)(?:(?<==)|\s*=\s*|\s+)",
    re.IGNORECASE,
)
_ACTING: Final = expression(
    r"\b(?:system|exec|hostname|os_type)\s*\(|\b(?:tee|emit\w*|print\w*|eprint\w*|dump)\b[^;]*[>|]\s*[\"$]|\|\s*getline"
)
_HOST_SETTING: Final = expression(r"(?:hostname|proxyjump|(?:local|remote)forward)(?:\s*=\s*|\s+)", re.IGNORECASE)
_PARAM: Final = expression(r"fileb?://|@")
_FIELD: Final = expression(r"[^=:@/]+(?::=|==|=|:(?![0-9])|@)")
_ELSEWHERE: Final = Word((Hole("redirect", "computed"),))
_STAGE: Final = expression(r"[0-3]:")
_REMOTE: Final = expression(r"[\w.-]+@[\w.-]+:(?!//)")
_MOUNT: Final = expression(r"(?:^|.*,)(?:source|src)=")


def apply(out: Gathered, role: str, item: Word, certain: bool = True) -> None:
    """Add what a word of this role does; not `certain` where the word may have another role."""
    name, _, detail = role.partition(":")
    HANDLERS[name](out, Item(item, detail, certain))


def _nothing(out: Gathered, item: Item) -> None:
    """Words that mean nothing for policy, or that others look after."""


def _paths(*kinds: AccessKind) -> Handler:
    def handler(out: Gathered, item: Item) -> None:
        out.path(item.word, *kinds, certain=item.certain)
        if is_url(item.word.prefix) and "read" in kinds:
            _place(out, item)

    return handler


def _tree(out: Gathered, item: Item) -> None:
    """A folder whose files are read; `visible`: not the hidden ones, as `rg` does; `git`: not the ignored ones."""
    if is_url(item.word.prefix):
        _place(out, item)
    before = len(out.accesses)
    out.path(item.word, "read", certain=item.certain)
    tree = Tree(item.detail != "visible", unignored=item.detail == "git")
    out.accesses[before:] = [replace(access, tree=tree) for access in out.accesses[before:]]


def _addresses(out: Gathered, item: Item) -> None:
    out.path(item.word, "read", certain=item.certain)
    out.connect(_ELSEWHERE, certain=False)


def _list(out: Gathered, item: Item) -> None:
    """What is listed; of a file only its name and size are shown."""
    if is_url(item.word.prefix):
        _place(out, item)
    before = len(out.accesses)
    out.path(item.word, "read", certain=item.certain)
    out.accesses[before:] = [replace(access, listing=True) for access in out.accesses[before:]]


def _edit(out: Gathered, item: Item) -> None:
    out.path(item.word, "read", certain=item.certain, origin="implied")
    out.path(item.word, "write", certain=item.certain)


def _shape(out: Gathered, item: Item) -> None:
    """Law L2: an unknown program may read, write and delete what reads as a path, and touches nothing else."""
    _place(out, item)
    for candidate in paths_in(item.word):
        out.path(candidate, "read", "write", "delete", certain=False)


def _place(out: Gathered, item: Item) -> None:
    """What reads as a URL or as `user@host:path` is perhaps connected to."""
    prefix = item.word.prefix
    url = value_of_key(item.word) or item.word
    if is_url(url.prefix):
        if url.prefix[:5].lower() != "file:":
            out.connect(urls.host_of(url), certain=False)
    elif _REMOTE.match(prefix):
        out.connect(urls.remote_of(item.word), certain=False)


def _text(out: Gathered, item: Item) -> None:
    out.text(item.word)


def _run(out: Gathered, item: Item) -> None:
    number = "0" if item.word.text == "-" else descriptor(item.word)
    if number:
        out.runs_input = number
        return
    out.runs = True
    if is_url(item.word.prefix):
        _url(out, item)
    if is_process(item.word):
        out.accesses.append(Access("execute", item.word, item.certain and not out.possible))
    else:
        out.path(item.word, "execute", certain=item.certain)
        if is_no_script(item.word):  # what it complains about is what stands there: `bash -v .env`
            out.path(item.word, "read", certain=item.certain)


def _source(out: Gathered, item: Item) -> None:
    _run(out, item)
    out.path(item.word, "read", certain=item.certain)


def _code(out: Gathered, item: Item) -> None:
    out.run(item.word, item.detail or "bash")


def _expression(out: Gathered, item: Item) -> None:
    """Languages for data (`mlr`, `yq`) that can run commands and write files, in words that may also be files."""
    found = _ACTING.search(str(item.word))
    if found:
        out.nested.append(Nested("unknown", item.word, reason=f"`{found[0].strip()}` may run or write something"))
    else:
        _shape(out, item)


def _patch(out: Gathered, item: Item) -> None:
    out.run(item.word, "patch")


def _command(out: Gathered, item: Item) -> None:
    if item.word.prefix.startswith("@"):  # az takes a file so
        out.path(item.word.after(1), "read", "execute", certain=item.certain)
        return
    out.nested.append(Nested("code", item.word, item.detail or "bash"))


def _starts(out: Gathered, item: Item) -> None:
    out.nested.append(Nested("words", words=(item.word, FURTHER)))


def _url(out: Gathered, item: Item) -> None:
    text = item.word.prefix
    if text[:5].lower() == "file:":
        out.path(item.word.after(7) if text[5:7] == "//" else item.word.after(5), "read", certain=item.certain)
    else:
        out.connect(urls.host_of(item.word), item.certain)


def _anywhere(out: Gathered, item: Item) -> None:  # noqa: ARG001 handlers share one signature
    out.connect(_ELSEWHERE, certain=False)


def _host(out: Gathered, item: Item) -> None:
    out.connect(urls.host_of(item.word.after(1) if item.word.prefix.startswith("@") else item.word), item.certain)


def _request(out: Gathered, item: Item) -> None:
    text = item.word.prefix
    if re.fullmatch(r"[A-Z]{2,8}", text) and not item.word.holes:
        return
    if text.startswith("@"):
        out.path(item.word.after(1), "read", certain=item.certain)
        return
    found = _FIELD.match(text)
    if not found or "//" in text[: found.end() + 2]:
        _url(out, item)
    elif text[found.end() :][:1] == "@" or found[0].endswith("@"):
        out.path(item.word.after(found.end() + (found[0][-1] != "@")), "read", certain=item.certain)
    else:
        out.text(item.word)


def _remote(*kinds: AccessKind) -> Handler:
    def handler(out: Gathered, item: Item) -> None:
        host = urls.remote_of(item.word)
        either = host is item.word  # a variable that holds a remote place or a path
        if host is not None:
            out.connect(host, item.certain and not either)
        if host is None or either:
            out.path(item.word, *kinds, certain=item.certain and not either)

    return handler


def _remote_tree(out: Gathered, item: Item) -> None:
    """A place on another machine, or a folder here whose files are read."""
    before = len(out.accesses)
    _remote("read")(out, item)
    out.accesses[before:] = [
        replace(access, tree=Tree()) if access.kind == "read" else access for access in out.accesses[before:]
    ]


def _remote_move(out: Gathered, item: Item) -> None:
    """The same, and what is here is removed."""
    _remote_tree(out, item)
    if urls.remote_of(item.word) is None:
        out.path(item.word, "delete", certain=item.certain)


def _repository(out: Gathered, item: Item) -> None:
    """A remote's name says nothing about where it leads, and is no access."""
    if item.word.prefix.startswith("ext::"):
        out.nested.append(Nested("code", item.word.after(5), "bash"))
        return
    host = urls.remote_of(item.word)
    if host is not None:
        out.connect(host, item.certain)
    elif item.word.prefix.startswith("file:"):
        _url(out, item)
    elif is_path(item.word):
        out.path(item.word, "read", certain=item.certain)


def _at_read(out: Gathered, item: Item) -> None:
    if item.word.prefix.startswith("@"):
        out.path(item.word.after(1), "read", certain=item.certain)
    else:
        out.text(item.word)


def _param(out: Gathered, item: Item) -> None:
    scheme = _PARAM.match(item.word.prefix)
    if scheme:
        out.path(item.word.after(scheme.end()), "read", certain=item.certain)
    else:
        out.text(item.word)


def _form(out: Gathered, item: Item) -> None:
    found = _FORM.match(item.word.prefix)
    if not found:
        return out.text(item.word)
    rest = item.word.after(found.end())
    if rest.text is not None:
        rest = word(rest.text.partition(";")[0])
    return out.path(rest, "read", certain=item.certain)


def _equals_read(out: Gathered, item: Item) -> None:
    out.path(value_of_key(item.word) or item.word, "read", certain=item.certain)


def _mount(out: Gathered, item: Item) -> None:
    """A folder given to a container may be read and written there."""
    named = _MOUNT.search(item.word.prefix)
    source = _until(item.word.after(named.end()), ",") if named else _until(item.word, ":")
    source = None if source is None else at_place(source)
    if source is not None and (source.holes or source.prefix.startswith(("/", ".", "~"))):
        out.path(source, "read", "write", certain=False)


def _until(item: Word, end: str) -> Word | None:
    """The part of a word before a sign, None if it has no such sign."""
    pieces: list[str | Hole] = []
    for piece in item.pieces:
        head, found, _ = piece.partition(end) if isinstance(piece, str) else (piece, "", "")
        pieces.append(head)
        if found:
            return joined(pieces)
    return joined(pieces) if end == "," else None


def _revision(out: Gathered, item: Item) -> None:
    """`HEAD:.env` shows a file as it was, which is as good as reading it. Without a colon a word may be a revision or a
    path, and behind a leading one stands a pattern of messages (`:/fix`) or a stage (`:2:a`)."""
    revision, colon, path = item.word.prefix.partition(":")
    if not revision and (stage := _STAGE.match(path)):
        path = path[stage.end() :]
    target = item.word.after(len(item.word.prefix) - len(path)) if colon else item.word
    if (revision or not path.startswith("/")) and (is_path(target) or (colon and target.pieces)):
        out.path(target, "read", certain=item.certain and bool(colon))


def _setting(out: Gathered, item: Item) -> None:
    """Git's, ssh's and tar's settings that name a command."""
    net.git_setting(out, item.word, item.certain)
    host = _HOST_SETTING.match(item.word.prefix)
    if host:
        (net.forward if "forward" in host[0].lower() else net.jump)(out, item.word.after(host.end()), item.certain)
    found = _COMMAND_SETTING.match(item.word.prefix)
    if found:
        rest = _without_quotes(item.word.after(found.end()))
        out.nested.append(Nested("code", rest.after(1) if rest.prefix.startswith("!") else rest, "bash"))
    elif "=" not in item.word.prefix:
        _shape(out, item)


def _without_quotes(item: Word) -> Word:
    """The text of a setting that is a text in TOML."""
    text = item.text or ""
    return word(text[1:-1]) if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else item


def _effect(out: Gathered, item: Item) -> None:  # noqa: ARG001 handlers share one signature
    out.effects = True


def _worktree(out: Gathered, item: Item) -> None:
    """Where git keeps or checks out files, if the command does so."""
    out.path(item.word, "write", "delete", certain=False)


def _names(out: Gathered, item: Item) -> None:
    """A file that names others, which are read."""
    out.path(item.word, "read", certain=item.certain)
    if not is_process(item.word):
        out.path(Word((Hole(f"names in {item.word}", "computed"),)), "read", certain=False)


def _of_net(reader: net.Reader, otherwise: str) -> Handler:
    def handler(out: Gathered, item: Item) -> None:
        if not reader(out, item.word, item.certain):
            HANDLERS[otherwise](out, item)

    return handler


HANDLERS: Final[dict[str, Handler]] = {
    **{role: _of_net(reader, otherwise) for role, (reader, otherwise) in net.ROLES.items()},
    "worktree": _worktree,
    "names": _names,
    "addresses": _addresses,
    "key": _nothing,
    "data": _nothing,
    "text": _text,
    "shape": _shape,
    "read": _paths("read"),
    "write": _paths("write"),
    "into": _paths("write"),
    "download": _paths("write"),
    "edit": _edit,
    "delete": _paths("delete"),
    "move": _paths("read", "delete"),
    "list": _list,
    "tree": _tree,
    "revision": _revision,
    "setting": _setting,
    "run": _run,
    "source": _source,
    "code": _code,
    "expression": _expression,
    "command": _command,
    "shell": _nothing,
    "argv": _nothing,
    "starts": _starts,
    "assignment": _nothing,
    "program": _nothing,
    "arguments": _nothing,
    "url": _url,
    "host": _host,
    "anywhere": _anywhere,
    "request": _request,
    "keys": _nothing,
    "remote": _remote("read"),
    "remote-write": _remote("write"),
    "remote-mirror": _remote("write", "delete"),
    "remote-move": _remote_move,
    "remote-tree": _remote_tree,
    "repository": _repository,
    "at-read": _at_read,
    "form": _form,
    "param": _param,
    "equals-read": _equals_read,
    "cwd": _nothing,
    "patch": _patch,
    "mount": _mount,
    "effect": _effect,
}
"""The handler of every role that `programs` may name."""
