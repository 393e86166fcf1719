"""`make test` has two phases: both are told of, and Ctrl-C in the first is the end."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.paths import ROOT


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.parametrize(
    ("codes", "phases", "failed"),
    [((0, 0), 2, False), ((1, 0), 2, True), ((0, 1), 2, True), ((2, 0), 1, True)],
    ids=["all pass", "first fails", "second fails", "first interrupted"],
)
def test_phases_after_each_end(
    codes: tuple[int, int], phases: int, *, failed: bool, tmp_path: Path
) -> None:
    (tmp_path / "codes").write_text("".join(f"{code}\n" for code in codes))
    python = tmp_path / "python"
    # Stands for pytest, of which only the exit code matters here.
    python.write_text(
        f"""#!/bin/sh
cd {tmp_path}
echo phase >> begun
exit "$(sed -n "$(wc -l < begun)p" codes)"
"""
    )
    python.chmod(0o755)
    command = ["make", "--old-file=setup-dev", "test", f"BIN={tmp_path}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=60)
    assert len((tmp_path / "begun").read_text().splitlines()) == phases, done.stderr
    assert (done.returncode != 0) is failed
