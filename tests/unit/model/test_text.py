"""Names that are no UTF-8 can be written."""

from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st

from machmeter.model.text import readable


@given(st.text())
def test_text_stays_as_it_is(text: str) -> None:
    assert readable(text) == text


@given(st.binary())
def test_any_file_name_becomes_text(name: bytes) -> None:
    readable(os.fsdecode(name)).encode("utf-8")


def test_bytes_that_are_no_text_are_told_apart() -> None:
    assert readable(os.fsdecode(b"caf\xe9")) == r"caf\udce9"
