"""Scripts that are made so that the least answer is known: a denied command stays denied whatever stands around it and
however it is spelled.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

from ostiary import programs
from ostiary.build import compile_file
from ostiary.decision import Verdict
from ostiary.evaluate import evaluate
from ostiary.event import Event
from ostiary.facts import FixedFacts, Given
from ostiary.perform import run
from ostiary.policy import Admitted, Policy, assemble
from ostiary.programs.model import Program
from ostiary.programs.table import PROGRAMS

START = "/work"
FACTS = FixedFacts(Given(home="/home/dev", user="dev", start=START, roots=(START,), workdirs=(START,)))
RULES = """
version: 1
deny: ["Bash(git push --force*)", "Bash(terraform destroy*)"]
rules:
  - id: remove
    when: {command: {program: rm, all: [{flag: [-r, --recursive]}, {flag: [-f, --force]}]}}
    decision: deny
    reason: no
  - {id: secrets, when: {reads: ["**/.env"]}, decision: deny, reason: no}
  - {id: keys, when: {deletes: ["**/*.pem"]}, decision: deny, reason: no}
"""

# Commands that the rules deny, each as the words it may be spelled with.
DENIED: tuple[tuple[tuple[str, ...], ...], ...] = (
    (("rm", "-rf", "a"), ("rm", "-fr", "a"), ("rm", "-r", "-f", "a"), ("rm", "a", "-rf"), ("rm", "-vrfi", "a")),
    (("rm", "--recursive", "--force", "a"), ("rm", "--rec", "-f", "a"), ("rm", "-f", "--", "-x", "a", "-r", "k.pem")),
    (("git", "push", "--force"), ("git", "push", "--force", "origin", "x"), ("git", "-C", "b", "push", "--force")),
    (("terraform", "destroy"), ("terraform", "-chdir=x", "destroy", "-auto-approve")),
    (
        ("cat", ".env"),
        ("head", "-n", "3", "b/.env"),
        ("grep", "x", "./.env"),
        ("cp", ".env", "c"),
        ("cat", "--", "./d/../.env"),
    ),
    (("rm", "k.pem"), ("unlink", "a/k.pem"), ("shred", "-u", "k.pem"), ("mv", "k.pem", "c")),
)


class Case(NamedTuple):
    """A script, and the least that must be said about it."""

    script: str
    least: Verdict


def policy() -> Policy:
    """The rules of the laws."""
    file, _ = compile_file(RULES.encode(), "fuzz.yaml")
    return assemble([Admitted("user", True, file)])


def verdict(script: str, rules: Policy) -> Verdict:
    """What is said about a script of bash."""
    event = Event.from_call("bash", {"command": script}, START)
    return run(evaluate(rules, event, FACTS.given(event.cwd)), FACTS).verdict


# A denied command in other clothes


def denied(random: Random) -> Case:
    """A denied command, spelled and wrapped at random."""
    words = random.choice(random.choice(DENIED))
    least = Verdict.DENY
    text = " ".join(spelled(word, random) for word in words)
    for _ in range(random.choice((0, 1, 1, 2, 2, 3))):
        text, sure = random.choice(AROUND if random.random() < 0.45 else WRAPPERS)(text, random)
        least = least if sure else Verdict.ASK
    return Case(text, least)


def spelled(word: str, random: Random) -> str:
    """A word in one of the spellings that mean the same to a shell."""
    at = random.randrange(len(word) + 1)
    styles = (
        *(word, word, word, word, f"'{word}'", f'"{word}"', f"$'{word}'", word[:at] + "''" + word[at:]),
        *(word[:at] + '""' + word[at:], "".join("\\" + char for char in word), word[:1] + "\\\n" + word[1:]),
        *("$'" + "".join(f"\\x{ord(char):02x}" for char in word) + "'", f"'{word[:at]}'\"{word[at:]}\""),
    )
    return random.choice(styles)


def _fixed(template: str) -> Wrapper:
    sure = "<<" not in template
    if template in ("! @", "time @"):  # a newline behind these is the end of an empty command
        return lambda text, _: (text if text.lstrip()[:1] == "#" else template.replace("@", text.lstrip("\n")), sure)
    if sure:
        return lambda text, _: (template.replace("@", text), sure)
    # A second here-document would wait for the first, and behind the first line break comes what is only data.
    unfit = re.compile("<<" if "\n" in template.partition("@")[0] else r"<<|(?<!\\)\n")
    return lambda text, _: (text if unfit.search(text) else template.replace("@", text), sure)


Wrapper = Callable[[str, Random], tuple[str, bool]]


AROUND: tuple[Wrapper, ...] = tuple(
    _fixed(template)
    for template in (
        *(
            "cd x && @",
            "cd x; @",
            "A=1 B=2; @",
            "true && @",
            "false || @",
            "true; @",
            "true & @",
            "ls | ( @\n)",
            "@ | cat",
            "@ &",
        ),
        *(
            "@ && true",
            "@ || true",
            "@; true",
            "@\ntrue",
            "# note\n@",
            "\n\n@",
            "@ # note",
            " \t@ ",
            "{ @\n}",
            "( @\n)",
            "( ( @\n) )",
        ),
        *("if @\nthen :; fi", "if true; then @\nfi", "if false; then :; else @\nfi", "while @\ndo break; done"),
        *(
            "for i in 1 2; do @\ndone",
            "for ((;;)); do @\nbreak; done",
            "case x in x) @\n;; esac",
            "until @\ndo :; done",
        ),
        *(
            "f() { @\n}; f",
            "function f { @\n}\nf",
            "f() ( @\n)\nf x",
            "echo $( @\n)",
            'echo "$( @\n)"',
            "x=$( @\n)",
            "cat <( @\n)",
        ),
        *(
            "! @",
            "time @",
            "echo 'it is' && @",
            "ls >o 2>&1; @",
            "@ >o 2>&1",
            "cat <<E\n$( @\n)\nE\n",
            "echo a <<'E' && @\n(\nE\n",
        ),
        *(
            "set -e; @",
            "export A=1; @",
            "trap - EXIT; @",
            "[ -f a ] && @",
            "((x=1)); @",
            "echo ${x:-$( @\n)}",
            "a=(1 $( @\n))",
        ),
        *(
            "coproc { @\n}",
            "select i in 1; do @\nbreak; done",
            "echo \"a\" 'b' \\; ; @",
            "echo a\\\n b; @",
            "[[ -n $( @\n) ]]",
        ),
    )
)


def _code(template: str, sure: bool = True) -> Wrapper:
    sure = sure and template.split()[0] not in _ELSEWHERE
    return lambda text, _: (template.replace("@", shlex.quote(text)), sure)


def _words(template: str, sure: bool = True) -> Wrapper:
    """A wrapper of a program with its words: what is no simple command becomes one of a shell."""

    sure = sure and template.split()[0] not in _ELSEWHERE

    def wrapped(text: str, random: Random) -> tuple[str, bool]:
        if template.split()[0] in _JOINING and (not _simple(text) or any(char in text for char in "'\"\\$")):
            text = shlex.quote(text)
        elif not _simple(text):
            text = f"{random.choice(('bash', 'sh'))} -c {shlex.quote(text)}"
        return template.replace("@", text), sure

    return wrapped


# Programs that run elsewhere, where paths are others, and those that give a shell all their words as one text.
_ELSEWHERE = frozenset(
    (
        *(
            "ssh",
            "autossh",
            "mosh",
            "docker",
            "podman",
            "nerdctl",
            "kubectl",
            "oc",
            "heroku",
            "gcloud",
            "az",
            "gh",
            "fly",
        ),
        *("tailscale", "vagrant", "multipass", "limactl", "et"),
    )
)
_JOINING = frozenset(("ssh", "autossh", "watch", "entr", "parallel", "heroku"))


def _simple(text: str) -> bool:
    return text.split(None, 1)[0].strip("\\'\"$") in ("rm", "git", "cat") and not any(
        char in text for char in "\n;&|()<>#"
    )


def _document(text: str, random: Random) -> tuple[str, bool]:
    shell = random.choice(("bash", "sh", "zsh", "bash -s", "sudo bash"))
    return f"{shell} <<'END'\n{text}\nEND\n", True


SHELLS: tuple[Wrapper, ...] = (
    *(
        _code("bash -c @"),
        _code("sh -c @"),
        _code("eval @"),
        _code("zsh -lc @"),
        _code("dash -ec @"),
        _code("bash -o pipefail -c @ x y"),
    ),
    *(
        _code("bash <<<@"),
        _code("printf %s @ | bash"),
        _code("cat <<<@ | sh"),
        _code("source /dev/stdin <<<@"),
        _code("source <(printf %s @)"),
    ),
    *(
        _code("trap @ EXIT"),
        _code("ssh host @"),
        _code("ssh -p 22 -o A=b host @"),
        _code("watch -n 1 @"),
        _code("su - x -c @"),
    ),
    *(
        _code("docker exec -it c sh -c @"),
        _code("xargs -I{} sh -c @"),
        _code("find . -exec sh -c @ \\;"),
        _code('x=@; eval "$x"', False),
        _code("script -c @ o"),
    ),
    *(
        _code("nohup bash -c @"),
        _code("alias q=@\nq"),
    ),
    *(_document, _document),
)
NAMED: tuple[Wrapper, ...] = tuple(
    _words(template)
    for template in (
        *(
            "sudo @",
            "sudo -u x -n @",
            "env @",
            "env A=1 @",
            "nice -n 5 @",
            "timeout 5 @",
            "timeout -k 1 5s @",
            "nohup @",
            "command @",
            "exec @",
        ),
        *(
            "time @",
            "stdbuf -oL @",
            "setsid @",
            "ionice -c 2 @",
            "doas @",
            "xargs @",
            "xargs -n 1 -0 @",
            "find . -exec @ \\;",
            "busybox @",
        ),
        *(
            "find . -name x -exec @ {} +",
            "docker exec c @",
            "docker exec -it -u 0 c @",
            "kubectl exec p -- @",
            "ssh host @",
            "watch @",
            "strace -f @",
        ),
        *(
            "flock l @",
            "chronic @",
            "unbuffer @",
            "A=1 @",
            "A=1 B=$X @",
            "builtin command @",
            ">o @",
            "</dev/null @",
            "parallel @ ::: 1",
        ),
    )
)


def _of_data() -> Iterator[Wrapper]:
    """A wrapper for every program, and subcommand of one, that the data says runs the program or text in its words."""
    for name in sorted(PROGRAMS):
        data = programs.program(name)
        if data is not None and ":" not in name and "cmdlet" not in data.traits and "slashes" not in data.traits:
            yield from _of_program(name, data)


def _of_program(head: str, data: Program, depth: int = 0, here: bool = True) -> Iterator[Wrapper]:
    sure = here and "elsewhere" not in data.traits and head.split()[0] not in ("screen", "byobu", "zellij")
    first, rest = [programs.head(role) for role in data.operands.first], programs.head(data.operands.rest)
    if rest in ("argv", "shell") and not {"code", "argv"} & set(first):
        fill = "".join(f" {_FILLERS.get(role, 'w')}" for role in first)
        yield _words(f"{head}{fill} @", sure) if rest == "argv" else _code(f"{head}{fill} @", sure)
    for name, option in data.options.items():
        if option.value in ("command", "code:bash") and option.kind == "=":
            yield _code(f"{head} {name}=@" if name.startswith("--") else f"{head} {name} @", False)
    for words in data.subcommands if depth < 2 else ():
        inner = programs.subprogram(data, words)
        if inner is not None:
            yield from _of_program(f"{head} {words}", inner, depth + 1, sure)


_FILLERS = {"data": "5", "write": "o", "list": "w", "read": "r", "remote": "host", "connect": "host"}


DATA: tuple[Wrapper, ...] = tuple(_of_data())
WRAPPERS: tuple[Wrapper, ...] = (*SHELLS, *SHELLS, *NAMED, *NAMED, *DATA)
