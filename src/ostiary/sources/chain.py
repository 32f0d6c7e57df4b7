"""Chains: files of JSON lines to which lines are added, and which nobody changes later (law L11).

Each line holds its number and the SHA-256 of the line before, over all files of the chain, and the lock's file holds
the *head*: what was written last. So a line that was changed, put in or taken out shows, and so does what was cut off
at either end. Adding a line reads the head alone; where that is not what the file looks like, because a process was
ended or somebody else wrote there, it reads the file's end, goes on behind the last whole line, and says so in the
line it adds. Files are the user's alone; a full one gives way to a new one.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from ostiary.digests import sha256
from ostiary.records import NamedTuple
from ostiary.sources.files import Unreadable
from ostiary.sources.locks import locked
from ostiary.sources.private import append_whole, read_private

LINE: Final = 64 << 10
"""The most bytes of a line, its end included."""

_FULL: Final = 2 << 20
_LIMIT: Final = 2 * _FULL
_PATIENCE: Final = 1.0  # seconds: others hold the lock for a fraction of a millisecond
_DAY: Final = 86_400
_START: Final = "0" * 64

_BEGINS: Final = b'{"n":'
_LINKS: Final = b'"previous":"'
_ENDS: Final = b'"}'
_LINK: Final = len(_START)

CHANGED: Final = "its end is not what was written last"
TORN: Final = "a line was not written to its end"
HEADLESS: Final = "nobody knows what was written last"


class Chain(NamedTuple):
    """One chain: its folder and name, how many full files are kept (0: all), and for how many days (0: for good). The
    file that is written to is `NAME.jsonl`; a full one is called after its first line's number."""

    folder: str
    name: str
    most: int = 0
    days: int = 0

    @property
    def path(self) -> str:
        """The file that is written to."""
        return os.path.join(self.folder, f"{self.name}.jsonl")


class Head(NamedTuple):
    """What was written last: number and digest of the line, the bytes of its file, the number and day (since the epoch)
    of that file's first line. `dropped` is the last line that was taken away with its file."""

    number: int = 0
    digest: str = _START
    size: int = 0
    first: int = 1
    day: int = 0
    dropped: int = 0


class Said(NamedTuple):
    """A line: the file's name and the place in it, and what it says."""

    file: str
    place: int
    line: Mapping[str, Any]


def append(chain: Chain, kind: str, fields: Mapping[str, Any], spare: tuple[str, ...] = ()) -> None:
    """Adds a line: what `kind` of thing happened, now, and what there is to say of it, as far as it fits: `spare` are
    the fields that can be left out, the first of them first. Raises OSError or `Unreadable` where that is not possible;
    nothing is added then, and the next line says how many are lost."""
    try:
        with locked(chain.path, _PATIENCE) as lock:
            head, lost = _read_head(lock)
            said = {"kind": kind, **fields, **({"lost": lost} if lost else {})}
            _write_head(lock, _added(chain, head, said, spare))
    except (OSError, Unreadable):
        _count_lost(chain)
        raise


def _added(chain: Chain, known: Head | None, said: dict[str, Any], spare: tuple[str, ...]) -> Head:
    """Adds a line behind what was written last; the head from then on."""
    size = _size(chain.path)
    head, flaw = (known, "") if known is not None and known.size == size else _recovered(chain, known, size)
    now = time.time()
    if size > _FULL or (size and chain.days and int(now) // _DAY > head.day):
        head = _turned(chain, head, now)
    if not head.size:
        head = head._replace(first=head.number + 1, day=int(now) // _DAY)
    more = {"flaw": flaw} if flaw else {}
    line = _line({"n": head.number + 1, "time": _utc(now), **said, **more, "previous": head.digest}, spare)
    gap = b"\n" if head.size and flaw and not _ended(chain.path) else b""
    append_whole(chain.path, gap + line + b"\n")
    size = head.size + len(gap) + len(line) + 1
    return head._replace(number=head.number + 1, digest=_digest(line), size=size)


def _line(said: dict[str, Any], spare: tuple[str, ...]) -> bytes:
    """The line without its end, and where it would be too long without what can be left out; `cut` names that."""
    cut, previous = list[str](), said["previous"]  # which stands at the end
    for name in ("", *(name for name in spare if name in said)):
        if name:
            cut.append(name)
            said = {key: value for key, value in said.items() if key not in (name, "cut", "previous")}
            said |= {"cut": cut, "previous": previous}
        line = json.dumps(said, ensure_ascii=True, separators=(",", ":")).encode()
        if len(line) < LINE:
            return line
    raise Unreadable("a line of the record would be too long")


def _recovered(chain: Chain, known: Head | None, size: int) -> tuple[Head, str]:
    """The head by what the files look like, and what is wrong with them, empty where a process was only ended between
    a line and its head, or between two files."""
    names = _names(chain)
    if known is None and not size and not names:
        return Head(), ""
    path = chain.path if size or not names else os.path.join(chain.folder, names[-1])
    head = (known or Head(dropped=_dropped(chain), first=_first(chain.path)))._replace(size=size)
    torn = bool(size) and not _ended(chain.path)
    last = next(((*told, _digest(line)) for line in reversed(_tail(path)) if (told := _head(line))), None)
    if last is None:
        return head, TORN if torn else CHANGED if known else HEADLESS
    number, previous, digest = last
    if known is None:
        return head._replace(number=number, digest=digest), HEADLESS
    if digest == known.digest:
        return head, TORN if torn else CHANGED if size else ""
    if (number, previous) == (known.number + 1, known.digest):
        return head._replace(number=number, digest=digest), TORN if torn else ""
    ahead = number > known.number
    return (head._replace(number=number, digest=digest) if ahead else head), CHANGED


def _turned(chain: Chain, head: Head, now: float) -> Head:
    """The head once the file has given way to a new one, and those that are too many or too old are gone."""
    names = _names(chain)
    name = f"{chain.name}.{max(head.first, _begin(chain, names[-1]) + 1 if names else 1):012}.jsonl"
    os.replace(chain.path, os.path.join(chain.folder, name))
    names.append(name)
    too_many = len(names) - chain.most if chain.most else 0
    for index, name in enumerate(names):
        path = os.path.join(chain.folder, name)
        if index >= too_many and not (chain.days and now - os.stat(path).st_mtime > chain.days * _DAY):
            break
        os.unlink(path)
    dropped = _dropped(chain) if _names(chain) else head.number
    return head._replace(size=0, dropped=max(head.dropped, dropped))


def lines(chain: Chain, newest_first: bool = False) -> Iterator[Said]:
    """The lines that can be read. Raises `Unreadable` where others may write a file, or it cannot be looked at."""
    files = _all(chain)
    for name in reversed(files) if newest_first else files:
        found = list(enumerate(_read(chain, name), 1))
        for place, line in reversed(found) if newest_first else found:
            with suppress(ValueError, RecursionError):
                value = json.loads(line)
                if isinstance(value, dict):
                    yield Said(name, place, value)


def count(chain: Chain) -> int:
    """How many lines were ever written, as the head says; 0 where there is none."""
    head = _peek(chain)
    return head.number if head else 0


def dropped(chain: Chain) -> int:
    """How many lines are gone with their files, as the head says."""
    head = _peek(chain)
    return head.dropped if head else 0


def flaws(chain: Chain) -> tuple[str, ...]:
    """Where the chain is not what was written, in words; empty if it is whole. Raises nothing."""
    try:
        if not any(_flaws(chain)):
            return ()
        with locked(chain.path):  # somebody may have been writing
            return tuple(_flaws(chain))
    except (OSError, Unreadable) as error:
        return (f"{chain.name}: {why(error)}",)


def _flaws(chain: Chain) -> Iterator[str]:
    head, names = _peek(chain), _all(chain)
    before = (head.dropped, "") if head else None
    for name in names:
        for place, line in enumerate(_read(chain, name), 1):
            told = _head(line)
            if told is None:
                yield f"{name}:{place}: this is no line of the record: it was changed, or not written to its end"
                continue
            number, previous = told
            if before is not None and (number != before[0] + 1 or before[1] not in ("", previous)):
                yield f"{name}:{place}: the lines before it are not those that were there"
            before = (number, _digest(line))
            if head and number == head.number and before[1] != head.digest:
                yield f"{name}:{place}: it is not the line that was written"
    if not head and names:
        yield f"{chain.name}: {HEADLESS}: {os.path.basename(chain.path)}.lock is gone or damaged"
    elif head and before and before[0] < head.number:
        yield f"{os.path.basename(chain.path)}: what was written behind line {before[0]}, up to {head.number}, is gone"


# The head: one line of fixed width, so that it can be written over on a full disk, too. The line behind it counts what
# was lost, and whoever could not even have the lock writes there: else to hold it would be a way to hide.

_WIDTHS: Final = (20, 64, 20, 20, 10, 20)
_BYTES: Final = sum(_WIDTHS) + len(_WIDTHS)
_COUNT: Final = 20
_COUNTING: Final = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def _read_head(lock: int) -> tuple[Head | None, int]:
    """The head in the lock's file, None where there is none that can be read, and how many lines were lost."""
    os.lseek(lock, 0, os.SEEK_SET)
    data = os.read(lock, _BYTES + _COUNT + 2)
    head, count = _parsed(data), data[_BYTES:-1]
    if head is None:
        os.ftruncate(lock, 0)  # whatever is there, the next head takes its place
    return head, int(count) if head and count.isdigit() else 0


def _write_head(lock: int, head: Head) -> None:
    texts = (str(item).rjust(width, "0") for item, width in zip(head, _WIDTHS, strict=True))
    os.lseek(lock, 0, os.SEEK_SET)
    os.write(lock, f"{' '.join(texts)}\n{'0' * _COUNT}\n".encode())


def _count_lost(chain: Chain) -> None:
    """Counts a line that could not be written, where there is a head already."""
    with suppress(OSError):
        lock = os.open(f"{chain.path}.lock", _COUNTING)
        try:
            os.lseek(lock, _BYTES, os.SEEK_SET)
            count = os.read(lock, _COUNT)
            if len(count) == _COUNT and count.isdigit():
                os.lseek(lock, _BYTES, os.SEEK_SET)
                os.write(lock, f"{int(count) + 1:0{_COUNT}}".encode())
        finally:
            os.close(lock)


def _peek(chain: Chain) -> Head | None:
    with suppress(OSError, Unreadable):
        return _parsed(read_private(f"{chain.path}.lock", 2 * _BYTES) or b"")
    return None


def _parsed(data: bytes) -> Head | None:
    texts = data[:_BYTES].decode("ascii", "replace").split()
    if len(data) != _BYTES + _COUNT + 1 or len(texts) != len(_WIDTHS) or not all(text.isalnum() for text in texts):
        return None
    try:
        number, size, first, day, dropped = (int(text) for text in (texts[0], *texts[2:]))
    except ValueError:
        return None
    return Head(number, texts[1], size, first, day, dropped)


# Files and lines.


def _names(chain: Chain) -> list[str]:
    """The full files, the oldest first."""
    start = f"{chain.name}."
    with suppress(OSError):
        found = (name for name in os.listdir(chain.folder) if name.startswith(start) and name.endswith(".jsonl"))
        return sorted(name for name in found if name[len(start) : -len(".jsonl")].isdigit())
    return []


def _all(chain: Chain) -> list[str]:
    return [*_names(chain), *((os.path.basename(chain.path),) if os.path.lexists(chain.path) else ())]


def _read(chain: Chain, name: str) -> list[bytes]:
    return (read_private(os.path.join(chain.folder, name), _LIMIT) or b"").splitlines()


def _begin(chain: Chain, name: str) -> int:
    """The number of the first line of a full file."""
    return int(name[len(chain.name) + 1 : -len(".jsonl")])


def _dropped(chain: Chain) -> int:
    """The number before the first line of the oldest file."""
    names = _names(chain)
    return (_begin(chain, names[0]) if names else _first(chain.path)) - 1


def _first(path: str) -> int:
    """The number of a file's first line, 1 where it cannot be read."""
    found = None
    with suppress(OSError), open(path, "rb") as file:
        found = _head(file.readline(LINE).rstrip(b"\n"))
    return found[0] if found else 1


def _tail(path: str) -> list[bytes]:
    """What the file ends with, by lines; the first of them may lack its beginning."""
    with suppress(FileNotFoundError), open(path, "rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - 2 * LINE))
        return file.read(2 * LINE).splitlines()
    return []


def _ended(path: str) -> bool:
    """Whether the last line of a file has its end."""
    with suppress(OSError), open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
    return True


def _head(line: bytes) -> tuple[int, str] | None:
    """Number and link of a line, None of what is none. Both stand where they are always written: what was changed in
    between shows by the digest."""
    number, link = line[len(_BEGINS) : line.find(b",")], line[-_LINK - len(_ENDS) : -len(_ENDS)]
    whole = line.startswith(_BEGINS) and line.endswith(_ENDS) and line[: -_LINK - len(_ENDS)].endswith(_LINKS)
    return (int(number), link.decode("ascii", "replace")) if whole and number.isdigit() else None


def _digest(line: bytes) -> str:
    return sha256(line).hexdigest()


def _utc(now: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03}Z"


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def why(error: OSError | Unreadable) -> str:
    """Why a line could not be added, in words."""
    return (error.strerror or "unknown").lower() if isinstance(error, OSError) else str(error)
