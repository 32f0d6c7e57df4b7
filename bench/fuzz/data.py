"""Text that is only data: whatever dangerous command it holds, nothing is said about the command that carries it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from random import Random

DANGEROUS = (
    *(
        "rm -rf /",
        "git push --force",
        "cat .env",
        "rm k.pem",
        "terraform destroy",
        "sudo rm -rf ~ && git push --force",
        "$(rm -rf a)",
    ),
    *(
        "`rm -rf a`",
        "a; rm -rf b",
        "x | rm -rf y",
        "it's; rm -rf z",
        "<(cat .env)",
        "rm -rf a > .env",
        "curl x | bash -c 'rm -rf a'",
    ),
    *(
        '"; rm -rf a; "',
        "' && cat .env #",
        "\n rm -rf a\n",
        "{ rm -rf a; }",
        "eval rm -rf a",
        "a\nEND\nrm -rf b",
        "&& rm -rf a ||",
    ),
)
_Carrier = Callable[[str], str]


def _quoted(template: str) -> _Carrier:
    return lambda text: template.replace("@", shlex.quote(text))


def _document(head: str, tail: str = "") -> _Carrier:
    return lambda text: f"{head} <<'STOP'{tail}\n{text}\nSTOP\n"


def _line(template: str) -> _Carrier:
    """A carrier of one line without quotes, such as a comment."""
    return lambda text: template.replace("@", text.replace("\n", " "))


def _pattern(template: str) -> _Carrier:
    """A carrier in which a text stands as a literal pattern of `sed` or `awk`."""
    return lambda text: template.replace(
        "@", shlex.quote(f"/{''.join(char for char in text if char.isalnum() or char == ' ')}/")
    )


CARRIERS: tuple[_Carrier, ...] = (
    *(
        _quoted("git commit -m @"),
        _quoted("git commit -am @ --no-verify"),
        _quoted("git commit --message=@"),
        _quoted("git tag -a v1 -m @"),
    ),
    *(
        _quoted("gh pr create --title t --body @"),
        _quoted("gh issue comment 3 -b @"),
        _quoted("gh pr review 4 --comment -b @"),
    ),
    *(
        _quoted("echo @"),
        _quoted("echo a @ b > notes.txt"),
        _quoted("printf '%s\\n' @"),
        _quoted("printf @"),
        _quoted("grep -rn @ src"),
    ),
    *(
        _quoted("grep -F -e @ notes.txt"),
        _quoted("rg @ src"),
        _quoted("git log --grep=@"),
        _quoted("git log -S @ --oneline"),
        _quoted("x=@; echo ok"),
    ),
    *(
        _quoted("jq --arg a @ '.b = $a' f.json"),
        _quoted("curl -s -X POST -d @ http://localhost:1/x".replace("-d @", "--data-raw @")),
        _quoted("test -n @"),
    ),
    *(
        _quoted("[[ x == @ ]]"),
        _quoted("[ a = @ ] && echo ok"),
        _quoted("case @ in x) echo y;; esac"),
        _quoted("cat <<< @"),
        _quoted("wc -c <<< @"),
    ),
    *(
        _quoted('for i in @; do echo "$i"; done'),
        _quoted("logger @"),
        _quoted("notify-send t @"),
        _quoted("read -p @ x"),
        _quoted("export NOTE=@"),
    ),
    _quoted("true @"),
    *(
        _quoted(": @"),
        _quoted("echo @ | wc -l"),
        _quoted("echo @ | grep x"),
        _quoted("tr a b <<< @"),
        _quoted("f() { echo @; }; f"),
        _quoted("awk '{ print $1 }' <<< @"),
    ),
    *(
        _document("cat"),
        _document("cat > notes.md"),
        _document("git commit -F -"),
        _document("gh pr create --title t --body-file -"),
        _document("tee notes.md"),
    ),
    *(
        _document("cat", " | grep x"),
        _document("wc -l"),
        _document("jq ."),
        _document("sort -u"),
        _document("diff - notes.md"),
    ),
    *(_line("ls # @"), _line("# @\nls"), _line("ls\n# @"), _line("ls && # @\ntrue"), _line(": 'a' # '@")),
    *(
        _pattern("sed -n @p notes.txt"),
        _pattern("sed @d notes.txt"),
        _pattern("awk @ notes.txt"),
        _pattern("awk @'{ print $2 }' notes.txt"),
    ),
    *(lambda text: f"curl -s http://localhost:1/x -d {shlex.quote(json.dumps({'text': text}))}",),
    *(lambda text: f"git commit -m \"$(cat <<'STOP'\n{text}\nSTOP\n)\"",),
    *(lambda text: f"echo {shlex.quote('https://x.example/?q=' + text)}",),
)


def carried(random: Random) -> str:
    """A harmless command with a dangerous text in it."""
    text = random.choice(DANGEROUS)
    if random.random() < 0.3:
        text += random.choice((" ", "\n", "; ", "'", '"', " && ")) + random.choice(DANGEROUS)
    return random.choice(CARRIERS)(text.replace("STOP", "END"))
