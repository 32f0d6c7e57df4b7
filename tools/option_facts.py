"""Compare the options in `programs/data/` with published completion data: which take a value that we do not know of.

    npm pack @withfig/autocomplete && tar xzf withfig-autocomplete-*.tgz
    python tools/option_facts.py package git docker curl

The package is code. It is loaded by a `node` that may read its folder and do nothing else, and gives facts alone: names
of subcommands and options, and whether an option takes a value. One that does and is not known to shifts the operands
behind it. `--yaml` prints what is missing in the notation of the data, to be read and given roles by a person: some
switches are said to take a value, and a switch that is taken for one hides an operand.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ostiary import programs

LOADER = r"""
import { pathToFileURL } from "node:url";
const [root, name] = process.argv.slice(1);
const list = (value) => (value === undefined ? [] : Array.isArray(value) ? value : [value]);
async function load(path) {
  const found = (await import(pathToFileURL(`${root}/build/${path}.js`))).default;
  return typeof found === "function" ? {} : found;
}
async function facts(spec, depth) {
  if (typeof spec.loadSpec === "string" && depth > 0) {
    try { spec = { ...spec, ...(await load(spec.loadSpec)), name: spec.name }; } catch {}
  }
  const options = list(spec.options).map((option) => ({
    names: list(option.name),
    values: list(option.args).filter((arg) => !arg.isOptional).length,
    optional: list(option.args).length > 0,
    equals: Boolean(option.requiresEquals || option.requiresSeparator),
    path: list(option.args).some((arg) => list(arg.template).some((item) => ["filepaths", "folders"].includes(item))),
    everywhere: Boolean(option.isPersistent),
  }));
  const below = depth > 0 ? await Promise.all(list(spec.subcommands).map((item) => facts(item, depth - 1))) : [];
  return { names: list(spec.name), options, below };
}
console.log(JSON.stringify(await facts(await load(name), 4)));
"""


KINDS = ("unknown", "flag", "attached", "value")


class Gap(NamedTuple):
    """One disagreement: the words that lead to the command, the option's names, what is said of it here (one of
    `KINDS`), and whether the completion data takes its value for a path."""

    where: tuple[str, ...]
    names: tuple[str, ...]
    ours: str
    path: bool


class Report(NamedTuple):
    """What a program's comparison found: options that were compared, gaps, commands that are not known here."""

    compared: int
    gaps: tuple[Gap, ...]
    commands: tuple[str, ...]


def completion(package: Path, name: str) -> dict[str, Any]:
    """The facts of one program."""
    allowed = f"--allow-fs-read={package.resolve()}/*"
    command = ["node", "--experimental-permission", allowed, "--no-warnings", "--input-type=module", "-e", LOADER]
    done = subprocess.run([*command, str(package.resolve()), name], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def compare(name: str, spec: dict[str, Any]) -> Report:
    """The gaps of one program."""
    data = programs.program(name)
    if data is None:
        return Report(0, (), (name,))
    return _compare((name,), data, spec, ())


def _compare(where: tuple[str, ...], data: programs.Program, spec: dict[str, Any], above: tuple[Any, ...]) -> Report:
    options = [*spec["options"], *above]
    gaps = [gap for option in options if (gap := _gap(where, data, option))]
    compared, commands = len(options), []
    everywhere = tuple(option for option in options if option["everywhere"])
    for below in spec["below"]:
        known = next((found for word in below["names"] if (found := programs.subprogram(data, word))), None)
        if known is None:
            commands += [" ".join((*where, below["names"][0]))] if data.subcommands else []
            continue
        inner = _compare((*where, below["names"][0]), known, below, everywhere)
        compared += inner.compared
        gaps += inner.gaps
        commands += inner.commands
    return Report(compared, tuple(gaps), tuple(commands))


def _gap(where: tuple[str, ...], data: programs.Program, option: dict[str, Any]) -> Gap | None:
    """Where an option takes a value as the next word and is not known to, or is known to and takes none."""
    names = tuple(name.rstrip("=") for name in option["names"] if re.fullmatch(r"--?[A-Za-z0-9][\w.-]*=?", name))
    ours = next((data.options[name] for name in names if name in data.options), None)
    takes = option["values"] == 1 and not option["equals"]
    if not names or (ours is None and not takes):
        return None
    if ours is None:
        return Gap(where, names, "unknown", option["path"])
    if takes and ours.kind in ("", "?"):
        return Gap(where, names, "flag" if not ours.kind else "attached", option["path"])
    return Gap(where, names, "value", False) if ours.kind == "=" and not option["optional"] else None


def skeleton(gaps: tuple[Gap, ...]) -> Iterator[str]:
    """Options that are not known, in the notation of the data, by command."""
    by_command: dict[tuple[str, ...], list[str]] = {}
    for gap in gaps:
        if gap.ours == "unknown":
            option = f"{'|'.join(gap.names)}={'shape' if gap.path else ''}"
            by_command.setdefault(gap.where, []).append(option)
    for where, options in by_command.items():
        yield f"{' '.join(where)}: {{options: {' '.join(dict.fromkeys(options))}}}"


def main() -> int:
    """Print the report, or the skeleton; 1 if an option shifts operands."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", type=Path, help="the unpacked package")
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--yaml", action="store_true", help="print what is missing as data")
    arguments = parser.parse_args()
    shifting = 0
    for name in arguments.programs:
        report = compare(name, completion(arguments.package, name))
        counts = {
            kind: [gap for gap in report.gaps if gap.ours == kind] for kind in ("unknown", "flag", "attached", "value")
        }
        shifting += len(counts["unknown"]) + len(counts["flag"])
        if arguments.yaml:
            print("\n".join(skeleton(report.gaps)))
            continue
        said = ", ".join(f"{kind} {len(gaps)}" for kind, gaps in counts.items())
        print(f"{name}: {report.compared} options; here {said}; {len(report.commands)} commands not known")
        for gap in counts["flag"] + counts["attached"] + counts["value"]:
            print(f"  {' '.join(gap.where)} {'|'.join(gap.names)}: {gap.ours} here")
    return int(shifting > 0)


if __name__ == "__main__":
    sys.exit(main())
