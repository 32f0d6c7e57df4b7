"""What a record may keep of texts of others, and what it may not (law L11)."""

from __future__ import annotations

import pytest

from ostiary.redaction import CUT, place, secret, short, without_secrets

STAY = [
    "my-long-project-name-2024-backup",
    "CHANGELOG-2026-12-01.md",
    "test_what_is_too_old_goes.py",
    "task-list-of-the-disk-monitor",
    "20261201-backup-of-the-database.sql",
    "com.example.application.main",
    "pnpm-lock.yaml",
    "x86_64-unknown-linux-gnu",
    "release-candidate-v1.24.0",
    "sk-learn",
]
GO = [
    "AKIAIOSFODNN7EXAMPLE",
    "ghp_abcdefghijklmnopqrst",
    "sk-ant-REDACTEDREDACTED",
    "eyJhbGciOiJIUzI1NiJ9.e30.x",
    "d1cb55ff3382a86ea73c7c9f1d7e3cb4",
    "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY9a8b7c6d",
    "https://hooks.example/xoxb-123456789012",
]


@pytest.mark.parametrize("text", STAY)
def test_words_stay(text: str) -> None:
    assert not secret(text)
    assert without_secrets(f"cat {text} > /a/{text}") == f"cat {text} > /a/{text}"


@pytest.mark.parametrize("text", GO)
def test_secrets_go(text: str) -> None:
    assert secret(text)
    assert text not in without_secrets(f"echo {text}; curl -H x:{text} -p{text}")


TEXTS = [
    ("password=hunter2 x", "password=<7> x"),
    ("--api-key 'k' token: \"abc\"", "--api-key 'k' token: \"<3>\""),
    ("Authorization: Bearer abc.def", "Authorization: Bearer <7>"),
    ("psql postgres://me:pw@host/db", "psql postgres://me:<hidden>@host/db"),
    ("DB_PASSWORD=x&token=y", "DB_PASSWORD=<1>&token=<1>"),
    ("passwords are words", "passwords are words"),
]


@pytest.mark.parametrize(("text", "kept"), TEXTS)
def test_texts(text: str, kept: str) -> None:
    assert without_secrets(text) == kept


PLACES = [
    ("/home/dev/a.txt", True, "~/a.txt"),
    ("/home/dev", True, "~"),
    ("/home/developer/a", True, "/home/developer/a"),
    ("C:/Users/dev", True, "C:/Users/dev"),
    ("a/Authorization: Bearer x", True, "a/<23>"),
    ("https://me:pw@host/x", True, "<6>//<10>/x"),
    ("hunter2", False, "<7>"),
    (".env", False, ".env"),
    ("src/hunter2", False, "src/hunter2"),
    (f"/a/{'x' * 90}", True, "/a/<90>"),
    ("", True, ""),
]


@pytest.mark.parametrize(("path", "certain", "kept"), PLACES)
def test_places(path: str, certain: bool, kept: str) -> None:
    assert place(path, "/home/dev", certain) == kept


def test_a_long_text_is_known_again() -> None:
    one, other = ("x" * CUT + end for end in ("a", "b"))
    assert short(one) != short(other)
    assert len(short(one)) == len(short("y" * 1_000_000)) < CUT
    assert short("x" * CUT) == "x" * CUT
