"""A lock is a file, and no link to one."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.model.errors import MachineLacksError
from machmeter.store.locks import exclusive


def test_a_link_as_a_lock_is_named_and_not_followed(tmp_path: Path) -> None:
    victim, lock = tmp_path / "victim", tmp_path / "a.lock"
    victim.write_text("theirs")
    for target in (victim, tmp_path / "new"):
        lock.symlink_to(target)
        with (
            pytest.raises(MachineLacksError, match="is a link") as caught,
            exclusive(lock),
        ):
            pytest.fail("it was followed")
        assert str(lock) in caught.value.message
        lock.unlink()
    assert victim.read_text() == "theirs"
    assert not (tmp_path / "new").exists()
    with exclusive(lock):
        assert lock.is_file()
