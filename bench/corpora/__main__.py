"""Runs the shipped packs over the test data of other projects.

usage: python bench/corpora [CORPUS ...] [--show KIND] [--folder FOLDER]

The corpora are `../shared/cases/corpora`, which is not part of this repository. Corpora of allow lists say which calls
need no prompt: what they ask about and we allow is an unsafe allow. Corpora of block lists say which calls are to be
stopped: what they stop and we do not is a missed stop, what they let pass and we stop a false one. A verdict means
something only within its family. `--show` lists the calls of one kind (`unsafe`, `unallowed`, `missed`, `false`) that
nobody reviewed. Reviewed ones stand in `disagreements.yaml`, by digest, with a reason; they count as disagreements, and
the figures are given with and without them. Exits with 1 if an unsafe allow, a missed or a false stop was not reviewed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from corpora.families import CORPORA, KINDS, Disagreement, Family, disagreements, rows
from corpora.review import Reviewed, reviewed

FOLDER: Final = Path(__file__).resolve().parents[3] / "shared" / "cases" / "corpora"
HARMLESS: Final = "unallowed"


def main() -> int:
    """Runs what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="*", metavar="CORPUS")
    parser.add_argument("--show", choices=KINDS)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args()
    unknown = [name for name in options.corpora if name not in CORPORA]
    if unknown:
        parser.error(f"there is no corpus `{unknown[0]}`; there are {', '.join(CORPORA)}")
    known, left = reviewed(), 0
    for name in options.corpora or CORPORA:
        path = options.folder / f"{name}.jsonl"
        if not path.exists():
            print(f"{path} is not there: the corpora are not part of this repository")
            return 1
        left += _run(name, path, known, options.show)
    return 1 if left else 0


def _run(name: str, path: Path, known: dict[str, Reviewed], show: str | None) -> int:
    """Runs one corpus; how many disagreements nobody reviewed."""
    family, all_rows = CORPORA[name], list(rows(path))
    found = list(disagreements(family, all_rows))
    _report(name, family, all_rows, found, known)
    left = [one for one in found if one.digest not in known]
    for one in left:
        if one.kind == show:
            print(f"    {one.digest} wants {one.wanted}, got {one.got}: {one.text}")
    return sum(one.kind != HARMLESS for one in left)


def _report(
    name: str, family: Family, all_rows: list[dict[str, object]], found: list[Disagreement], known: dict[str, Reviewed]
) -> None:
    wanting = {kind: sum(row["expected"] in verdicts for row in all_rows) for kind, verdicts in family.kinds.items()}
    print(f"{name}: {len(all_rows)} calls with {', '.join(family.packs)}")
    for kind, count in wanting.items():
        ours = [one for one in found if one.kind == kind]
        open_ = [one for one in ours if one.digest not in known]
        print(f"  {kind}: {_share(len(ours), count)}; after review {_share(len(open_), count)}")


def _share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({100 * part / max(whole, 1):.2f} %)"


if __name__ == "__main__":
    sys.exit(main())
