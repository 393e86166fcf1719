from __future__ import annotations

import os
from pathlib import Path

import pytest

from machmeter.store.files import open_regular, read_regular


def test_no_more_than_asked_for_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abcdef")
    assert read_regular(tmp_path / "file", 4) == b"abcd"


def test_what_could_wait_or_never_end_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    for name in ("pipe", "link", "."):
        with pytest.raises(OSError, match="no regular file"):
            open_regular(tmp_path / name)
