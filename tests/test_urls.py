"""Hosts: spellings of URLs, and patterns over labels."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ostiary.answers import NAMES, YES
from ostiary.urls import canonical, host_of, host_plan, matcher, remote_of, shown
from ostiary.words import Hole, Word, word

X = Hole("$X", "outside")
GLOB = Hole("*", "glob")


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://Api.Example.NET./x", "api.example.net"),
        ("api.example.net/x?y", "api.example.net"),
        ("//api.example.net", "api.example.net"),
        ("https:///api.example.net", "api.example.net"),
        ("https://api.example.net:8443/x", "api.example.net:8443"),
        ("https://api.example.net:0443/x", "api.example.net:443"),
        ("https://api.example.net:x/", "api.example.net"),
        ("https://good.example@evil.example/", "evil.example"),
        ("https://u:p@w@evil.example", "evil.example"),
        ("https://evil.example#@good.example", "evil.example"),
        ("https://evil.example?@good.example", "evil.example"),
        ("https://ex%61mple.net", "example.net"),
        ("  https://example.net\t", "example.net"),
        ("https://b\u00fccher.example", "xn--bcher-kva.example"),
        ("https://\uff45xample.net", "example.net"),
        ("https://127.1", "127.0.0.1"),
        ("https://2130706433", "127.0.0.1"),
        ("https://0x7f000001", "127.0.0.1"),
        ("https://0177.0.0.1", "127.0.0.1"),
        ("https://0x7f.1", "127.0.0.1"),
        ("https://0x.1", "0.0.0.1"),
        ("https://300.1.1.1", "300.1.1.1"),
        ("https://1.2.3.999", "1.2.3.999"),
        ("https://089.1.1.1", "089.1.1.1"),
        ("https://1.2.3.4.5", "1.2.3.4.5"),
        ("https://[::1]/", "::1"),
        ("https://[0:0::1]:80/", "[::1]:80"),
        ("https://[::ffff:127.0.0.1]/", "127.0.0.1"),
        ("https://[fe80::1%25eth0]/", "fe80::1"),
        ("https://[::zz]/", "::zz"),
        ("ssh://me@box.example:22/x", "box.example:22"),
        ("file:///etc/passwd", None),
        ("data:text/plain,x", None),
        ("https://", None),
        ("", None),
        ("/local/path", None),
    ],
)
def test_host_of(url: str, host: str | None) -> None:
    found = host_of(url)
    assert (None if found is None else found.text) == host
    assert host_of(word(url)) == found


@pytest.mark.parametrize("url", ["https://good.example\\@evil.example", "https://{a,b}.example", "https://a b.example"])
def test_a_host_that_programs_read_differently_is_a_hole(url: str) -> None:
    found = host_of(url)
    assert found is not None
    assert found.text is None


@pytest.mark.parametrize(
    ("pieces", "host"),
    [
        (("https://api.example.net/", X), "api.example.net"),
        (("api.example.net/", X), "api.example.net"),
        (("https://", X, ".example.net"), None),
        (("https://api.", X), None),
        (("https://api.example.net", X), None),
        ((X, "://api.example.net"), None),
        ((X,), None),
        (("https://@/", X), None),
    ],
)
def test_hosts_with_holes(pieces: tuple[Any, ...], host: str | None) -> None:
    found = host_of(Word(pieces))
    assert found is not None
    assert found.text == host


@pytest.mark.parametrize(
    ("target", "host"),
    [
        ("me@git.example:a/b.git", "git.example"),
        ("box:a", "box"),
        ("[::1]:a", "::1"),
        ("https://git.example/a", "git.example"),
        ("a/b:c", None),
        ("./a:b", None),
        ("C:\\x", None),
        ("origin", None),
        ("", None),
    ],
)
def test_remote_of(target: str, host: str | None) -> None:
    found = remote_of(word(target))
    assert (None if found is None else found.text) == host


def test_remotes_with_holes() -> None:
    assert remote_of(Word((X,))) == Word((X,))
    assert remote_of(Word(("box:", X))) == word("box")
    for local in (Word(("./", X)), Word(("a/", X)), Word(("~", X)), Word((GLOB,))):
        assert remote_of(local) is None


@pytest.mark.parametrize(
    ("pattern", "host", "answer"),
    [
        ("*", "a.example", "yes"),
        ("example.net", "example.net", "yes"),
        ("Example.NET.", "example.net", "yes"),
        ("example.net", "a.example.net", "no"),
        ("example.net", "notexample.net", "no"),
        ("example.net", "example.net.evil.example", "no"),
        ("*.example.net", "a.example.net", "yes"),
        ("*.example.net", "b.a.example.net", "yes"),
        ("*.example.net", "example.net", "no"),
        ("*.example.net", "aexample.net", "no"),
        ("api-*.example.net", "api-1.example.net", "yes"),
        ("api-*.example.net", "api-1.b.example.net", "no"),
        ("a.*.net", "a.b.net", "yes"),
        ("a.*.net", "a.b.c.net", "no"),
        ("example.net:8080", "example.net:8080", "yes"),
        ("example.net:8080", "example.net:80", "no"),
        ("example.net:8080", "example.net", "no"),
        ("example.net:443", "example.net", "maybe"),
        ("example.net:*", "example.net:1", "yes"),
        ("example.net", "example.net:8080", "yes"),
        ("127.0.0.1", "0x7f.1", "yes"),
        ("2130706433", "127.0.0.1", "yes"),
        ("::1", "[0::1]:80", "yes"),
        ("[::1]:80", "[::1]:80", "yes"),
        ("b\u00fccher.example", "xn--bcher-kva.example", "yes"),
        ("/^api\\./", "api.example.net", "yes"),
        ("/^api\\./", "x.example.net", "no"),
    ],
)
def test_matching(pattern: str, host: str, answer: str) -> None:
    match = matcher((host_plan(pattern),))
    assert NAMES[match(word(host))] == answer
    assert NAMES[match(host)] == answer


def test_any_pattern_may_match() -> None:
    match = matcher((host_plan("a.example"), host_plan("b.example")))
    assert [NAMES[match(host)] for host in ("a.example", "b.example", "c.example")] == ["yes", "yes", "no"]
    assert NAMES[matcher(())("a.example")] == "no"


def test_holes_are_maybe() -> None:
    assert NAMES[matcher((host_plan("a.example"),))(Word(("b.", X)))] == "maybe"
    assert NAMES[matcher((host_plan("*"),))(Word((X,)))] == "yes"
    assert NAMES[matcher(())(Word((X,)))] == "no"


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("https://a.example", "is no host; write the host alone"),
        ("a.example/x", "is no host; write the host alone"),
        ("me@a.example", "is no host; write the host alone"),
        ("", "a host pattern cannot be empty"),
        ("a.example:http", "`http` in `a.example:http` is no port"),
        ("a b", "has a character that no host has"),
        ("/a(/", "is not a valid regular expression"),
    ],
)
def test_bad_patterns(pattern: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        host_plan(pattern)


@pytest.mark.parametrize("pattern", ["*", "a.example", "*.a.example", "a.example:80", "/^a/i"])
def test_a_plan_is_shown_as_it_was_written(pattern: str) -> None:
    assert shown(host_plan(pattern)) == pattern


def test_an_idn_that_cannot_be_encoded_stays() -> None:
    long = "\u00fc" * 80
    assert canonical(long) == long


@given(st.text(max_size=40))
def test_host_of_never_raises_and_is_stable(text: str) -> None:
    for url in (text, f"https://{text}"):
        found = host_of(url)
        remote_of(word(url))
        if found is not None and found.text is not None:
            assert host_of(found.text) == found
            assert matcher((("any",),))(found) == YES


@given(st.integers(0, 2**32 - 1))
def test_spellings_of_an_address_are_one(number: int) -> None:
    parts = [number >> shift & 255 for shift in (24, 16, 8, 0)]
    spellings = [
        str(number),
        hex(number),
        ".".join(map(str, parts)),
        ".".join(map(hex, parts)),
        f"{parts[0]}.{number & 0xFFFFFF}",
        f"0{parts[0]:o}.{parts[1]}.{number & 0xFFFF}",
    ]
    assert {canonical(spelling) for spelling in spellings} == {".".join(map(str, parts))}
