"""The disagreements with other projects that somebody looked at."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from ruamel.yaml import YAML

REVIEWED: Final = Path(__file__).with_name("disagreements.yaml")


class Reviewed(NamedTuple):
    """Why we answer otherwise."""

    corpus: str
    reason: str


def reviewed() -> dict[str, Reviewed]:
    """The reviewed disagreements by digest. The file maps corpora to reasons, and those to digests."""
    data = YAML(typ="safe", pure=True).load(REVIEWED.read_text("utf-8")) or {}
    return {
        digest: Reviewed(corpus, reason)
        for corpus, reasons in data.items()
        for reason, digests in reasons.items()
        for digest in digests
    }
