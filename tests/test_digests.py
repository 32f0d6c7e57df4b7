"""The digest is SHA-256, wherever it comes from."""

from __future__ import annotations

import hashlib

from ostiary.digests import sha256


def test_a_digest_is_that_of_hashlib() -> None:
    ours, theirs = sha256(b"a"), hashlib.sha256(b"a")
    ours.update(b"b")
    theirs.update(b"b")
    assert (ours.hexdigest(), ours.digest_size) == (theirs.hexdigest(), theirs.digest_size)
