"""A file is read-only for what is started, and for nothing else, where this system gives that."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from machmeter.launch.files.read_only import can_be_read_only, enter_read_only
from machmeter.launch.process import run_process

WRITES = (
    "import os, sys\n"
    "path = sys.argv[1]\n"
    "print(open(path).read(), os.geteuid())\n"
    "for act in (lambda: open(path, 'w').write('n'), lambda: os.chmod(path, 0o600),\n"
    "            lambda: os.remove(path), lambda: os.truncate(path, 0)):\n"
    "    try: act(); print('changed')\n"
    "    except OSError as error: print(error.errno)\n"
)


def test_what_is_started_reads_and_cannot_change_it(tmp_path: Path) -> None:
    given, other = tmp_path / "given mesh", tmp_path / "other"
    given.write_text("mesh")
    link = tmp_path / "link"
    link.symlink_to(given)
    before = given.stat()
    words = (sys.executable, "-c", WRITES, str(link))
    protected = (given,) if can_be_read_only(given) else ()
    result = run_process(words, dict(os.environ), 30.0, read_only=protected)
    assert result.output.startswith(f"mesh {os.geteuid()}")
    assert result.exit_code == 0
    # Removing the link changes nothing of the file.
    if protected:
        assert given.read_text() == "mesh"
        assert given.stat().st_mode == before.st_mode
        assert result.output.count("changed") == 1
    else:
        assert given.read_text() == ""
    given.write_text("this process still can")
    other.write_text("and everything else is as it was")


def test_where_the_system_does_not_give_it_nothing_is_started(tmp_path: Path) -> None:
    given = tmp_path / "given"
    given.write_text("mesh")
    started = tmp_path / "started"
    given.unlink()
    with pytest.raises(FileNotFoundError):
        enter_read_only((given,))
    assert not can_be_read_only(given)
    result = run_process(("touch", str(started)), dict(os.environ), 30.0, read_only=(given,))
    assert result.exit_code == 127
    assert "cannot start touch" in result.output
    assert not started.exists()
