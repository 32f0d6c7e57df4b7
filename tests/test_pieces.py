"""Long lists are read item by item, and no text is read otherwise than as a whole."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ostiary.document import pieces, reader
from ostiary.problems import Problem

pytestmark = pytest.mark.no_cover


@pytest.fixture(autouse=True, scope="module")
def eager() -> Iterator[None]:
    """Every list is long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "_FEWEST", 1)
        patch.setattr(pieces, "_known", {})
        yield


def whole(text: str) -> tuple[object, list[Problem]]:
    """What a text is without pieces."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "_FEWEST", 1 << 30)
        return reader.read(text, "a.yaml")


LINES = st.sampled_from(
    """\
rules:
deny:
version: 1
rules: # those of the team
deny: [a,
  b]
name: >
  - {id: a, when: {command: {program: a}}}
  - {id: b, reason: "x
  y"}
  - id: c
    when:
      - a
      - b: c
  - "quoted
  - end"
  - [a,
  - b]
  - |
    text
     - more
  - |+
  -
  - # comment
  - a: |
      deep

  - 'it''s'
  - a # said
  -  wide
   - odd
- a
- b: 1
  c: 2
# comment
  # comment inside
    # deeper

  plain
    plain
  key: value
}
]
"
'
---
...
%YAML 1.2
\ttab
  - &anchor x
  - *anchor
  - !tag x
  - ? a
  - <<: b
  - null
  - ~
  - a:
a: b: c
""".splitlines()
)


@given(texts=st.lists(st.lists(LINES, max_size=14), min_size=1, max_size=3), end=st.sampled_from(["", "\n", "\n\n"]))
def test_pieces_are_what_the_whole_is(texts: list[list[str]], end: str) -> None:
    for lines in texts:
        text = "\n".join(lines) + end
        assert reader.read(text, "a.yaml") == whole(text)


ITEMS = st.sampled_from(
    [
        "- {id: N, when: {reads: 'a*'}}\n",
        "- id: N\n  when:\n    any:\n      - a\n      - b\n",
        "- >\n  folded\n  N\n",
        "- |+\n  kept\n\n",
        "-   wide\n",
        '- "N\n  over lines"\n',
        "- plain\n  over lines N\n# comment\n",
        "- [a,\n   N]\n\n",
    ]
)


@given(
    items=st.lists(ITEMS, min_size=1, max_size=12), edits=st.lists(st.integers(0, 11), max_size=4), indent=st.booleans()
)
def test_pieces_are_used_again_wherever_they_stand(items: list[str], edits: list[int], indent: bool) -> None:
    lead = "  " if indent else ""
    for number, edit in enumerate([0, *edits]):
        listed = [item.replace("N", f"x{index}") for index, item in enumerate(items)]
        listed[edit % len(items)] += f"- new {number}\n"
        body = "".join(f"{lead}{line}" if line.strip() else line for item in listed for line in item.splitlines(True))
        text = f"# file\nversion: 1\nrules:\n{body}name: x\n"
        assert pieces.read(text, reader._clean) is not None
        assert reader.read(text, "a.yaml") == whole(text)


def test_only_what_is_new_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def parse(text: str) -> object:
        parsed.append(text)
        return reader._clean(text)

    def text(*names: str) -> str:
        return "version: 1\nrules:\n" + "".join(f"  - {{id: {name}}}\n" for name in names)

    first = pieces.read(text("k1", "k2", "k3"), parse)  # type: ignore[arg-type]
    assert parsed == ["version: 1\n", "k:\n  - {id: k1}\n  - {id: k2}\n  - {id: k3}\n"]
    parsed.clear()
    second = pieces.read(text("k1", "new", "k2", "k3"), parse)  # type: ignore[arg-type]
    assert parsed == ["version: 1\n", "k:\n  - {id: new}\n"]
    assert first
    assert second
    assert [node.line for node in second.value["rules"].value] == [3, 4, 5, 6]


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "_MOST", 10)
    for number in range(5):
        text = "rules:\n" + "".join(f"  - {number}-{item}\n" for item in range(20))
        reader.read(text, "a.yaml")
        assert len(pieces._known) <= 10
