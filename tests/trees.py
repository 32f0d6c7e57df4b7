"""Folders for tests: a mapping of paths to what is there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def plant(base: Path, tree: Mapping[str, Any]) -> None:
    """Makes files (text), folders (None), links (`{link: TARGET}`, absolute targets count from `base`), FIFOs
    (`{fifo: true}`), large files (`{bytes: N}`) and those that only say they are (`{size: N}`)."""
    for name, content in tree.items():
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.mkdir(exist_ok=True)
        elif isinstance(content, str):
            path.write_text(content, "utf-8")
        elif "link" in content:
            target = content["link"]
            path.symlink_to(base / target[1:] if target.startswith("/") else target)
        elif "fifo" in content:
            os.mkfifo(path)
        elif "size" in content:
            path.touch()
            os.truncate(path, content["size"])
        else:
            path.write_bytes(b"#" * content["bytes"])


def relative(base: Path, path: str | None) -> str | None:
    """A path below `base` as a test writes it; others as they are."""
    if path is None or not path.startswith(str(base)):
        return path
    return path[len(str(base)) + 1 :] or "."
