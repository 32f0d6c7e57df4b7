"""Libraries that log where nobody asked them to."""

from __future__ import annotations

import logging


def silence(*names: str) -> None:
    """Keeps what these libraries log off our output; handlers that a program set up still get it."""
    for name in names:
        logging.getLogger(name).addHandler(logging.NullHandler())
