"""Tools that prepare a measurement: what they print, and what is said when they fail."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from machmeter.build.process import run_tool
from machmeter.model.errors import MachineLacksError


def run(program: str, **options: object) -> str:
    settings = {"doing": "trying", "remedy": "do this", "timeout": 60.0} | options
    return run_tool([sys.executable, "-c", program], **settings)  # type: ignore[arg-type]


def test_the_output_comes_back_with_folder_and_environment(tmp_path: Path) -> None:
    program = "import os; print(os.getcwd(), os.environ['GIVEN'], os.environ.get('HOME'))"
    printed = run(program, folder=tmp_path, environment={"GIVEN": "ü"})
    assert printed.split() == [str(tmp_path), "ü", "None"]


def test_a_failing_tool_is_told_with_the_end_of_its_output() -> None:
    with pytest.raises(MachineLacksError) as caught:
        run("import sys; [print('line', n) for n in range(1000)]; sys.exit('the reason')")
    error = caught.value
    assert error.message.startswith("trying failed (exit code 1)")
    assert error.remedy == "do this"
    assert error.details.splitlines()[-1] == "the reason"
    assert len(error.details.splitlines()) == 40


def test_a_tool_that_never_ends_is_ended() -> None:
    with pytest.raises(MachineLacksError, match="no end after 1 s"):
        run("import time; time.sleep(600)", timeout=1.0)


def test_a_missing_tool_is_told() -> None:
    with pytest.raises(MachineLacksError, match="cannot start no-such-tool"):
        run_tool(["no-such-tool"], doing="trying", remedy="do this", timeout=5)
