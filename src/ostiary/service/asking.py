"""A word to the service itself, from the verbs that people type."""

from __future__ import annotations

import json
import os
import socket
from typing import Any, Final

from ostiary import __version__
from ostiary.service.peers import peer
from ostiary.service.protocol import Malformed, Request, answered, framing, read

_SECONDS: Final = 5.0


def ask(address: str, word: str) -> dict[str, Any] | None:
    """What the service says to `status`, or to `stop`, which it then does; None where none listens. Raises OSError and
    `Malformed` where it does not answer as one."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(_SECONDS)
        try:
            connection.connect(address)
        except (FileNotFoundError, ConnectionRefusedError):
            return None
        if peer(connection).uid != os.geteuid():
            raise Malformed("another user listens there")
        connection.sendall(Request(__version__, "", word, "", b"").pack())
        with connection.makefile("rb") as file:
            try:
                _, said, _ = answered(read(framing(), file).body)
            except EOFError:
                raise Malformed("the service ended the connection") from None
    found = json.loads(said)
    if not isinstance(found, dict):
        raise Malformed("the service did not answer in words that are known")
    return found
