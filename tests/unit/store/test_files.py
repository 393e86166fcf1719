from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest

from machmeter.store.files import open_regular, open_unfollowed, read_regular, write_durably


def test_no_more_than_asked_for_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abcdef")
    assert read_regular(tmp_path / "file", 4) == b"abcd"


def test_what_could_wait_or_never_end_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    for name in ("pipe", "link", "."):
        with pytest.raises(OSError, match="no regular file"):
            open_regular(tmp_path / name)


def test_a_link_under_the_temporary_name_is_not_written_through(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("theirs")
    planted = tmp_path / f".state.json.{os.getpid()}.partial"
    planted.symlink_to(victim)
    write_durably(tmp_path / "state.json", b"new")
    assert victim.read_text() == "theirs"
    assert (tmp_path / "state.json").read_bytes() == b"new"
    assert not planted.is_symlink()


def test_what_a_process_of_the_same_number_left_is_replaced(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("theirs")
    # Another name of a file would be written into, too, if it were opened.
    (tmp_path / f".state.json.{os.getpid()}.partial").hardlink_to(victim)
    write_durably(tmp_path / "state.json", b"new")
    assert (tmp_path / "state.json").read_bytes() == b"new"
    assert victim.read_text() == "theirs"


def test_links_are_followed_where_nothing_else_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abcdef")
    (tmp_path / "link").symlink_to("file")
    assert read_regular(tmp_path / "link", 4) == b"abcd"
    with pytest.raises(OSError, match="symbolic links"):
        read_regular(tmp_path / "link", 4, follow_links=False)


def test_a_pipe_under_the_name_of_a_lock_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lock")
    for flags in (os.O_RDWR, os.O_WRONLY):
        with pytest.raises(OSError, match=r"regular|No such device"):
            open_unfollowed(tmp_path / "lock", flags | os.O_CREAT)


def test_reading_a_small_file_takes_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "small"
    path.write_bytes(b"small")
    tracemalloc.start()
    assert read_regular(path, 64 * 2**20) == b"small"
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * 2**20
    path.write_bytes(b"0123456789" * 2**18)
    assert read_regular(path, 2**21 + 7) == (b"0123456789" * 2**18)[: 2**21 + 7]
