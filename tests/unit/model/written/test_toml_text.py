"""TOML of others: what is refused before it is decoded, and at which place."""

from __future__ import annotations

import resource
from enum import StrEnum
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, Struct

from machmeter.model.errors import UsageError
from machmeter.model.written.toml_text import toml_as, toml_table

KEYS = "the guide has all keys"
SIZE = 64 * 2**10


class Shade(StrEnum):
    """An enumeration of a key."""

    DARK = "dark"
    PALE = "pale"


class Door(Struct, frozen=True, forbid_unknown_fields=True):
    """A table within."""

    width: float | str
    handle: str = ""
    hinges: int = 2
    shade: Shade = Shade.DARK
    side: Literal["left", "right"] = "left"
    keyhole: str = ""
    threshold: str = ""


class House(Struct, frozen=True, forbid_unknown_fields=True):
    """A whole file."""

    name: Annotated[str, Meta(max_length=10)]
    doors: dict[str, Door] = {}
    rooms: tuple[Door, ...] = ()
    gate: Door | None = None


def refusal(text: str | bytes) -> UsageError:
    content = text.encode() if isinstance(text, str) else text
    with pytest.raises(UsageError) as error:
        toml_as(content, House, most_bytes=SIZE, keys=KEYS)
    assert error.value.remedy
    return error.value


def test_a_file_of_the_form_is_read() -> None:
    text = 'name = "a"\n[doors."front.1"]\nwidth = 2\n[[rooms]]\nwidth = "3 m"\nside = "right"\n'
    house = toml_as(text.encode(), House, most_bytes=SIZE, keys=KEYS)
    assert house == House("a", {"front.1": Door(2)}, (Door("3 m", side="right"),))


@pytest.mark.parametrize(
    ("text", "place", "remedy"),
    [
        ('nam = "a"', "nam", "name"),
        ('name = "a"\n[doors.front]\nwidth = 1\nhandel = "x"', "doors.front", "handle"),
        ('name = "a"\n[doors.a]\nwidth = 1\n[doors."b c"]\nwidht = 1', 'doors."b c"', "width"),
        ('name = "a"\n[[rooms]]\nwidth = 1\n[[rooms]]\nwidht = 1', "rooms[1]", "width"),
        ('name = "a"\n[gate]\nwidth = 1\nhinge = 1', "gate", "hinges"),
        ('name = "a"\n[gate]\nwidth = 1\nhinges = "1"', "gate.hinges", KEYS),
        ('name = "a"\n[gate]\nwidth = 1\nshade = "red"', "gate.shade", "dark, pale"),
        ('name = "a"\n[gate]\nwidth = 1\nside = "top"', "gate.side", "left, right"),
        ('name = "a"\n[doors]\nfront = 1', "doors.front", KEYS),
        ('name = "a longer one"', "name", KEYS),
        ("name = 1", "name", KEYS),
        ("", "name", KEYS),
        (b'name = "\xff"', "no TOML", "place"),
        ("[[[", "no TOML", "place"),
        ('name = "a"\n[gate]\nwidth = 18446744073709551616', "gate.width", "smaller"),
        ('name = "a"\n[[rooms]]\nwidth = -0x8000000000000001', "no TOML", "place"),
        ('name = "a"\n[[rooms]]\nwidth = 0x1FFFFFFFFFFFFFFFF', "rooms[0].width", "smaller"),
        ("#" * (SIZE + 1), "larger", "name"),
    ],
)
def test_what_is_no_such_file_is_refused_at_its_place(
    text: str | bytes, place: str, remedy: str
) -> None:
    error = refusal(text)
    assert place in error.message
    assert remedy in error.remedy


@pytest.mark.parametrize(
    "bomb",
    [
        "a" + ".a" * 32_000 + " = 1",
        "[" + "a" + " . a" * 16_000 + "]",
        "'a'" + ".'a'" * 16_000 + " = 1",
        '"\\""' + '."\\""' * 10_000 + " = 1",
        "x = {" + "a" + ".a" * 32_000 + " = 1}",
        "x = " + "[" * 60_000,
        "x = " + "{a=" * 20_000,
        "x = 1" + "0" * 60_000,
        "x = 0x" + "f" * 60_000,
        ("a" + ".a" * 40 + " = 1\n") * 700,
    ],
)
def test_bombs_are_refused_before_they_are_decoded(bomb: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    refusal(bomb)
    # Decoding the first takes 14 s and 4 GB.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 * 2**10


@pytest.mark.parametrize(
    "text", ["a-" * 30_000, '"' * 60_000, "'" * 60_000, "a . " * 31, "é." * 20_000]
)
def test_texts_with_many_starts_of_keys_are_refused(text: str) -> None:
    refusal(text)


def test_keys_of_many_parts_are_read_within_the_bound() -> None:
    assert toml_table(("a" + ".a" * 30 + " = 1").encode(), most_bytes=SIZE)


@given(st.binary(max_size=200) | st.text(alphabet="ab.=[]{}\"'\\\n 1#", max_size=200))
def test_any_content_is_a_table_or_refused(content: bytes | str) -> None:
    try:
        toml_table(content if isinstance(content, bytes) else content.encode(), most_bytes=SIZE)
    except UsageError as error:
        assert error.remedy
