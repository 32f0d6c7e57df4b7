"""SHA-256, without OpenSSL: loading that takes a hook 2 ms, and what it hashes are small files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256
    except ImportError:  # before CPython 3.12
        try:
            from _sha256 import sha256
        except ImportError:  # another Python
            from hashlib import sha256

__all__ = ["sha256"]
