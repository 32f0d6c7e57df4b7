"""Simple commands of generated scripts: assignments, words and redirections in any order, and what runs a text."""

from __future__ import annotations

from fuzz.words import NAMES, PLAIN, Words

PROGRAMS = tuple(f"c{number}" for number in range(10))
FILES = ("f", "g.txt", "d/h", "./i", "'j k'", '"l"', "m\\ n")
REDIRECTIONS = (">", ">>", "<", "2>", ">|", "&>", "&>>", "<>", "1>", "3<", ">&", "{fd}>", "10>", "2>>", "0<")
COPIES = ("2>&1", ">&2", "3>&-", "<&0", "1>&3-", "<&-", "2>& 1")


class Simples(Words):
    """Makes simple commands."""

    def started(self) -> str:
        """A command that runs a text: in another shell, through a variable, a function, a trap ..."""
        run = f"{self.random.choice(PROGRAMS)} {self.random.choice(PLAIN[:10])}"
        more = f"{run}; {self.random.choice(PROGRAMS)} b"
        first, rest = run.split(" ", 1)
        kept = self.bodies
        lines = (
            *(f"bash -c '{more}'", f'sh -c "{more}"', f"bash -c '{first} \"$@\"' _ {rest}", f"bash -xc '{run}' && c1"),
            *(
                f"eval '{more}'",
                f"eval {first} '{rest}'",
                f"eval \"$(echo '{run}')\"",
                f"x='{run}'; $x",
                f"x='{run}'; eval \"$x\"",
            ),
            *(
                f"echo '{run}' | bash",
                f"printf '%s\\n' '{run}' | bash -s a",
                f"bash <<<'{run}'",
                f"bash 3<<<'{run}' <&3",
            ),
            *(
                f"{{ echo '{run}'; echo '{run}'; }} | sh",
                f". /dev/stdin <<<'{more}'",
                f"source <(echo '{run}')",
                f"bash <(echo {run})",
            ),
            *(
                f"echo '{run}' >f; bash f",
                f"echo '{run}' >>f; . ./f",
                f'set -- {run}; "$@"',
                f"set {run}; $1 $2",
                f'x=({run}); "${{x[@]}}"',
            ),
            *(
                f"trap '{run}' EXIT",
                f"trap '{run}' ERR; c1",
                f'h() {{ "$@"; }}; h {run}',
                f"h() {{ eval \"$1\"; }}; h '{run}'",
            ),
            *(
                f"printf -v x %s {first}; $x {rest}",
                f"read x <<<{first}; $x {rest}",
                f"for x in {first} c2; do $x {rest}; done",
            ),
            *(
                f"declare x={first}; $x {rest}",
                f"y={first}; declare -n x=y; $x {rest}",
                f"x=y; y={first}; ${{!x}} {rest}",
                f"x=a{first}; ${{x#a}} {rest}",
            ),
            *(
                f"[[ -v 'x[$({run})]' ]]",
                f"let 'x[$({run})]=1'",
                f"x='a[$({run})]'; (( x ))",
                f"x='$({run})'; : \"${{x@P}}\"",
                f"unset 'x[$({run})]'",
            ),
            *(
                f"command {run}",
                f"builtin eval '{run}'",
                f"command eval '{run}'",
                f"coproc {run}",
                f"exec 5> >(bash); echo '{run}' >&5; exec 5>&-",
            ),
            *(
                f"mapfile -C '{run}' -c1 m <<<x",
                f"PS4='$({run})' bash -xc :",
                f"BASH_ENV=<(echo '{run}') bash -c :",
                f"h() {{ bash; }}; h <<<'{run}'",
            ),
            *(
                f"{{ bash; }} <<<'{run}'",
                f"bash -c 'bash' <<<'{run}'",
                f"while read l; do $l; done <<<'{run}'",
                f"cat() {{ :; }}; bash < <(echo '{run}')",
            ),
            *(
                f"h() {{ bash \"$1\"; }}; echo '{run}' >f; h f; h g",
                f"echo '{run}' >$x; x=$x; bash ${{x}}",
                f"echo '{run}' >f; for x in *; do bash $x; done",
                f"x=$(echo d); echo '{run}' >$x/h; cd d; bash h",
            ),
            *(
                f'h() {{ cd d; {first} $2 "$1"; }}; h "$PWD/a" b',
                f'set -- "$PWD/a" ./b; cd d; {first} "$1" $2',
                f'x=("$PWD/a" b); cd d; {first} "${{x[@]}}"',
                f"h() {{ $1 $2; }}; h {run}; h c2 {rest}",
                f"PWD=b; {first} $PWD ~+",
                f'set -- c {first[1:]}; IFS=; "$*" {rest}',
                f"IFS=_; x=c5_{first}; $x; set -- {rest}; {first} $*",
            ),
            *(
                f"x={first} bash -c '$x {rest}'",
                f"export x='{run}'; bash -c '$x'",
                f"h() {{ {run}; }}; export -f h; bash -c h",
                f"{first[0]}{{{first[1]},}} {rest}",
            ),
        )
        text = self.random.choice(lines)
        return text if not kept else f"eval '{run}'"

    def simple(self) -> str:
        """Assignments, words and redirections in any order."""
        items: list[str] = []
        while self.chance(14):
            items.append(self.assignment())
        # The oracle takes no array before a program; bash does.
        alone = any("=(" in item for item in items) and self.chance(97)
        while self.chance(10):
            items.append(self.redirection())
        if not items or (not alone and self.chance(80)):
            items.append(self.program())
            for _ in range(self.random.choice((0, 0, 1, 1, 2, 2, 3))):
                items.append(self.redirection() if self.chance(14) else self.word())
        while self.chance(14):
            items.append(self.redirection())
        text = items[0]
        for item in items[1:]:
            text += self.blank() + item
        return text

    def program(self) -> str:
        """A program's word, now and then in an odd spelling, or a builtin."""
        if self.chance(82):
            return self.random.choice(PROGRAMS)
        name = self.random.choice(PROGRAMS)
        odd = (
            *(
                f"'{name}'",
                f'"{name}"',
                f"\\{name}",
                f"{name[0]}''{name[1]}",
                f'c""{name[1]}',
                f"$'{name}'",
                f"c\\\n{name[1]}",
            ),
            *(
                f"{{{name},a}}",
                f"$({name})",
                f"`{name}`",
                "$x",
                "${x:-c1}",
                f"\\c\\{name[1]}",
                f"{name}$x",
                f'"$({name})"',
            ),
            *("export", "declare", "local", "readonly", "typeset -i", "unset", "read", "[ a = b ]", ": ", "true"),
            *(f"command {name}", f"builtin echo {name}", f"eval {name}", f"eval '{name} a'", f"exec {name}", "set --"),
            *(
                "echo",
                "printf %s",
                "test",
                "[",
                "cd",
                "shift",
                "alias",
                "trap",
                "source",
                ".",
                "exit",
                "return",
                "wait",
            ),
            *(
                f"a=(1 $({name}))",
                f"$'\\x63{name[1]}'",
                "{ :; };",
                f"./{name}",
                f"d/{name}",
                f"{name}=",
                f"{name}=x",
                "é",
            ),
        )
        return self.random.choice(odd)

    def assignment(self) -> str:
        name = self.random.choice(NAMES)
        value = self.word() if self.chance(85) else ""
        if value[:1] in "#" or value in ("(", "<(", ">("):
            value = "v"
        return self.random.choice(
            (f"{name}={value}",) * 6
            + (f"{name}+={value}", f"{name}[1]={value}", f"{name}=({value}{self.blank()}a)", f"{name}+=({value})")
            + (
                f"{name}[{self.expression()}]=v",
                f"{name}=([0]={value} b)",
                f"{name}=(\n{self.word()} # note\n)" if not self.bodies else "x=",
            )
        )

    def redirection(self) -> str:
        """A redirection, a here-document or a here-string."""
        kind = self.random.random()
        if kind < 0.16:
            return self.random.choice(COPIES)
        if kind < 0.34 and not self.one_line:
            return self.document()
        if kind < 0.42:
            return "<<<" + self.gap() + self.word()
        target = self.random.choice(FILES) if self.chance(75) else self.word()
        return self.random.choice(REDIRECTIONS) + self.gap() + target

    def document(self) -> str:
        """The head of a here-document; its body waits for the end of the line."""
        end = self.pick("E", "EOF", "END-1", "e f", "X")
        heads = (f"'{end}'", f'"{end}"', end.replace(" ", "\\ "), f"\\{end}".replace(" ", "\\ "))
        head = self.random.choice(heads if " " not in end else heads[:2])
        strip = self.pick("", "", "-")
        quoted = head != end
        lines = [self.document_line(quoted) for _ in range(self.random.choice((0, 1, 1, 2, 3)))]
        tab = self.pick("", "\t", "\t\t") if strip else ""
        self.bodies.append("".join(f"{tab}{line}\n" for line in lines) + f"{tab}{end}\n")
        return f"<<{strip}{self.pick('', '', ' ')}{head}"

    def document_line(self, quoted: bool) -> str:
        program = self.random.choice(PROGRAMS)
        plain = self.pick(
            "text", "it's", 'say "hi"', "a ; b | c", "# no note", "{ ( [", "$", "\\$x", "E F", " E", "c9 a", ""
        )
        if quoted or self.chance(50):
            return plain
        return plain + self.pick(
            f"$({program} a)",
            f"`{program} b`",
            "$x",
            "${x:-$(c1)}",
            "$((x))",
            "\\`",
            f'"$({program})"',
            f"\\\n{program}",
            "'$(c2)'",
            "\\",
        )
