"""`make test` has two phases, and ends at Ctrl-C in the first; `make setup` takes any pip."""

from __future__ import annotations

import os
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


# It makes an environment with a copy of itself, and knows pip or not, as PIPS says.
FAKE_PYTHON = """#!/bin/sh
echo "$(basename "$0") $*" >> "$LOG"
case "$*" in
  "-m venv --without-pip "*) mkdir -p "$4/bin"; cp "$0" "$4/bin/python" ;;
  *--version) case " $PIPS " in *" $(basename "$0") "*) exit 0 ;; esac; exit 1 ;;
  "-m ensurepip") exit "$ENSUREPIP" ;;
esac
"""


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.parametrize(
    ("pips", "ensurepip", "installs_by", "code"),
    [("python3", 0, "python3 -m pip --python", 0), ("", 0, "python -m pip", 0), ("", 1, "", 2)],
    ids=["pip of the system", "ensurepip", "neither"],
)
def test_set_up_takes_the_pip_that_is_there(
    pips: str, ensurepip: int, installs_by: str, code: int, tmp_path: Path
) -> None:
    python, log = tmp_path / "python3", tmp_path / "log"
    python.write_text(FAKE_PYTHON)
    python.chmod(0o755)
    command = ["make", "setup", f"PYTHON={python}", f"VENV={tmp_path / 'venv'}"]
    known = {"LOG": str(log), "PIPS": pips, "ENSUREPIP": str(ensurepip), "PATH": os.environ["PATH"]}
    done = subprocess.run(command, cwd=ROOT, env=known, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    installs = [line for line in log.read_text().splitlines() if " install " in line]
    assert len(installs) == (0 if code else 1)
    assert all(line.startswith(installs_by) and " pip --editable ." in line for line in installs)
    assert (tmp_path / "venv" / ".ready").exists() is not bool(code)
    assert ("apt install python3-venv" in done.stdout) is bool(code)
