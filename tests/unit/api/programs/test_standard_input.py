"""A standard input that holds data is refused, since launches are not given it."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from machmeter.api.programs.standard_input import refuse_standard_input
from machmeter.model.errors import UsageError


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def test_a_file_with_data_is_refused_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "input").write_text("5\n")
    with (tmp_path / "input").open("rb") as file:
        with pytest.raises(UsageError) as caught:
            refuse_standard_input(file.fileno())
        assert file.tell() == 0, "nothing of it was read"
    assert "argument" in caught.value.remedy
    assert "script" in caught.value.remedy
    assert "/dev/null" in caught.value.remedy


def test_what_holds_nothing_more_is_none(tmp_path: Path) -> None:
    (tmp_path / "input").write_text("5\n")
    (tmp_path / "empty").touch()
    with (tmp_path / "input").open("rb", buffering=0) as file:
        file.read()
        refuse_standard_input(file.fileno())
    for name in (tmp_path / "empty", Path(os.devnull)):
        with name.open("rb") as file:
            refuse_standard_input(file.fileno())


def test_a_pipe_is_refused_where_something_is_in_it(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    refuse_standard_input(reading)
    os.write(writing, b"5\n")
    with pytest.raises(UsageError):
        refuse_standard_input(reading)
    assert os.read(reading, 10) == b"5\n"


def test_a_socket_is_refused_where_something_is_in_it() -> None:
    one, other = socket.socketpair()
    with one, other:
        refuse_standard_input(one.fileno())
        other.send(b"5\n")
        with pytest.raises(UsageError):
            refuse_standard_input(one.fileno())


def test_a_terminal_and_what_is_closed_are_none() -> None:
    terminal, of_program = os.openpty()
    try:
        os.write(terminal, b"5\n")
        refuse_standard_input(of_program)
    finally:
        os.close(terminal)
        os.close(of_program)
    refuse_standard_input(of_program)
