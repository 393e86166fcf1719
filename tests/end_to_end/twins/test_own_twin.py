"""The twin that docs/twins.md describes, shown, explained and run on as a user does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.processes.machmeter_command import MachmeterCommand

(EXAMPLE,) = re.findall(
    r"```toml\n(.*?)```", (ROOT / "docs" / "twins.md").read_text(encoding="utf-8"), re.DOTALL
)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("twin", "show"), "fat tree: 32 nodes to a switch"),
        (("twin", "explain", "ping-pong 8 B, farthest", "--on"), "error band ±15 %"),
        (("run", "network.latency", "--on"), "simulated"),
    ],
)
def test_every_command_takes_the_file(
    cache_for_runs: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    file = tmp_path / "ours.toml"
    file.write_text(EXAMPLE, encoding="utf-8")
    done = MachmeterCommand(cache_for_runs, tmp_path / "data").run(*words, file)
    assert done.returncode == 0, done.stdout + done.stderr
    assert said in done.stdout
