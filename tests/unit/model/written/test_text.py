"""Names that are no UTF-8 can be written."""

from __future__ import annotations

import os
import subprocess

from hypothesis import given
from hypothesis import strategies as st

from machmeter.model.written.text import escaped, readable, shell_text


@given(st.text())
def test_text_stays_as_it_is(text: str) -> None:
    assert readable(text) == text


@given(st.binary())
def test_any_file_name_becomes_text(name: bytes) -> None:
    readable(os.fsdecode(name)).encode("utf-8")


def test_bytes_that_are_no_text_are_told_apart() -> None:
    assert readable(os.fsdecode(b"caf\xe9")) == r"caf\udce9"


@given(
    st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
)
def test_a_shell_takes_words_as_they_were(words: list[str]) -> None:
    written = shell_text(words)
    assert written == written.replace("\n", "").replace("\x1b", "")
    said = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {written}" if words else "true"],
        capture_output=True,
        check=True,
        env={"LC_ALL": "C.UTF-8"},
    ).stdout.decode()
    assert said.split("\0")[:-1] == words


def test_control_characters_are_seen() -> None:
    assert escaped("a\x1b[31m\u202eb\n") == "a\\x1b[31m\\u202eb\\n".replace("\\n", "\\x0a")
    assert escaped("plain µs") == "plain µs"
