"""The execution oracle: scripts run by a real bash, and every program it starts must be among those that were seen.

Scripts run inside of `bwrap` as nobody, without network, in an empty folder that exists only in memory, with nothing
there but bash and its libraries. Their programs are stand-ins: no such file exists, so bash calls its handler for
commands that are not found, which writes down the words. Where there is no such sandbox, nothing runs.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from ostiary.call import analyse
from ostiary.call.model import Call, Part
from ostiary.event import Event
from ostiary.facts import Given
from ostiary.tools import TOOLS as TABLE
from ostiary.words import Hole, Word

TOOLS = ("bash", "bwrap", "ldd")
HERE, HOME = "/w", "/h"
GIVEN = Given(home=HOME, user="nobody", start=HERE, roots=(HERE,), workdirs=(HERE,))
_SECONDS = 5
_SPLIT, _END = "\x1f", "\x1e"

# Stand-ins with an even number succeed. Words are written at once, so that those of several processes do not mix.
_DRIVER = rf"""
command_not_found_handle() {{
  local IFS line
  printf -v line '%s\x1f' "$@"
  line=${{line//$'\n'/$'\x1d'}}
  printf '%s\x1e' "${{line%?}}" >&77
  case $1 in *[02468]) return 0;; esac
  return 1
}}
export -f command_not_found_handle
export FUNCNEST=5 HOME={HOME} PATH=/b
ulimit -t 2 -f 64 -v 400000 -n 100
cd {HERE}
exec 77>&1 >/dev/null 2>&1 </dev/null
/b/bash --norc --noprofile "$1" one 'two 2'
shopt -s globstar dotglob nullglob
printf 'file\x1f%s\x1e' {HERE}/** >&77
"""


class Run(NamedTuple):
    """What ran: the words of each program, and the files that are there afterwards."""

    words: tuple[tuple[str, ...], ...]
    files: tuple[str, ...]


class Sandbox:
    """A place to run scripts in. `OSError` if there is none."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        place = Path(self._folder.name)
        (place / "driver").write_text(_DRIVER, "utf-8")
        self._script = place / "script"
        self._script.write_text("c1 works", "utf-8")
        self._command = _box(place)
        found = self.run("c1 'it works'")
        if found is None or found.words != (("c1", "it works"),):
            self.__exit__()
            raise OSError("there is no sandbox that works here")

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def run(self, script: str) -> Run | None:
        """Run a script; None if it did not end in time."""
        self._script.write_text(script, "utf-8")
        try:
            done = subprocess.run(
                self._command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False, env={}
            )
        except subprocess.TimeoutExpired:
            return None
        text = done.stdout.decode(errors="replace").replace("\x1d", "\n")
        records = [tuple(item.split(_SPLIT)) for item in text.split(_END)[:-1]]
        files = tuple(item[1] for item in records if item[0] == "file" and item[1] not in ("", f"{HERE}/", f"{HERE}/d"))
        return Run(tuple(item for item in records if item[0] != "file"), files)


def _box(place: Path) -> list[str]:
    bash = shutil.which("bash")
    needed = subprocess.run(["ldd", str(bash)], capture_output=True, text=True, check=True).stdout
    libraries = re.findall(r"(/\S+) \(0x", needed)
    binds = [argument for path in libraries for argument in ("--ro-bind", str(Path(path).resolve()), path)]
    return [
        *(
            "bwrap",
            "--unshare-all",
            "--die-with-parent",
            "--new-session",
            "--clearenv",
            "--uid",
            "65534",
            "--gid",
            "65534",
        ),
        *("--cap-drop", "ALL", "--ro-bind", str(Path(str(bash)).resolve()), "/b/bash", "--symlink", "bash", "/b/sh"),
        *(*binds, "--ro-bind", str(place), "/s", "--dev", "/dev", "--proc", "/proc", "--dir", HOME),
        *(
            "--tmpfs",
            HERE,
            "--dir",
            f"{HERE}/d",
            "--remount-ro",
            "/",
            "/b/bash",
            "--norc",
            "--noprofile",
            "/s/driver",
            "/s/script",
        ),
    ]


def absent() -> list[str]:
    """The programs that this oracle needs and that are not here."""
    return [name for name in TOOLS if shutil.which(name) is None]


class Judged(NamedTuple):
    """How programs that ran were seen: `exact`, as words with pieces that are not known (`possible`), covered by a
    mark that says that something was not understood (`marked`); `missed` are those that were not seen."""

    exact: int
    possible: int
    marked: int
    missed: tuple[str, ...]


def judge(script: str, ran: Run) -> Judged:
    """Compare what ran with what was seen."""
    call = analyse(Event.from_call("bash", {"command": script}, HERE), GIVEN, TABLE)
    marked = bool(call.limit) or any(part.unparsed for part in call.parts)
    exact = {_joined(known) for part in call.parts for item in part.invocations if (known := _known(item.words))}
    patterns = [re.compile(_words(item.words, part), re.DOTALL) for part in call.parts for item in part.invocations]
    counts = {"exact": 0, "possible": 0, "marked": 0}
    missed = []
    for words in ran.words:
        # Bash 5.2 prints `coproc c1` as `coproc COPROC c1` before it runs some substitutions.
        if words[0] == "COPROC":
            continue
        text = _joined(words)
        kind = "exact" if text in exact else "possible" if any(p.fullmatch(text) for p in patterns) else "marked"
        if kind == "marked" and not marked:
            missed.append(f"ran: {' | '.join(words)}")
        counts[kind] += 1
    missed += [] if marked else [f"wrote: {path}" for path in ran.files if not _written(path, call)]
    return Judged(counts["exact"], counts["possible"], counts["marked"], tuple(missed))


def _joined(words: tuple[str, ...]) -> str:
    return "".join(_SPLIT + item for item in words)


def _known(words: tuple[Word, ...]) -> tuple[str, ...]:
    texts = tuple(item.text for item in words if item.text is not None and not item.many)
    return texts if len(texts) == len(words) else ()


def _words(words: tuple[Word, ...], part: Part) -> str:
    texts = [(_word(item, _folder(part)), item.many) for item in words]
    return "".join(f"(?:{_SPLIT}{text})?" if many else _SPLIT + text for text, many in texts)


def _folder(part: Part) -> str:
    """The folder a part runs in, as a regular expression."""
    known = [re.escape(folder) for folder in (part.cwd, *part.fallbacks) if folder is not None]
    return ".*" if part.cwd is None or None in part.fallbacks else f"(?:{'|'.join(known)})"


def _word(item: Word, folder: str) -> str:
    """What the word may be, as a regular expression. At its start, `~` is the home and `.` may be the folder."""
    hole = ".*" if item.many else f"[^{_SPLIT}]*"
    text = "".join(hole if isinstance(piece, Hole) else re.escape(piece) for piece in item.pieces)
    if text.startswith(("\\~", "~")):
        return f"(?:~|{HOME}|{hole})" + text.lstrip("\\")[1:]
    if item.prefix.startswith("./~"):
        return "(?:\\./)?" + text[len(re.escape("./")) :]
    if re.match(r"\.(?:/|\Z)", item.prefix):
        return rf"(?:\.|{folder})" + text[len(re.escape(".")) :]
    return text


def _written(path: str, call: Call) -> bool:
    return any(re.fullmatch(pattern, path, re.DOTALL) for part in call.parts for pattern in _targets(part))


def _targets(part: Part) -> list[str]:
    folder = _folder(part)
    here = rf"(?:\.|{folder})/"
    return [
        target if target.startswith(("/", "(?:~")) else f"{folder}/{target}"
        for access in part.accesses
        if access.kind == "write"
        for target in [_word(access.target, folder).removeprefix(here)]
    ]
