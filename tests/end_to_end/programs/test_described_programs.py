"""A program with a description: its figures are measured, and a launch that was wrong is shown."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.processes.machmeter_command import (
    Done,
    MachmeterCommand,
    assert_refused,
)

# Prints what a solver would: its ranks, its rate and its result; the folder says what goes wrong.
SOLVER = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    int rank, size, cells = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        FILE *in = fopen("in.txt", "r");
        if (!in || fscanf(in, "%d", &cells) != 1) return 5;
        FILE *log = fopen("log.txt", "w");
        fprintf(log, "ranks: %d\\nrate: %d steps/s\\n", size, size * cells);
        fprintf(log, "energy: %s\\n", count > 2 && atoi(words[2]) == size ? "-9.5" : "-4.5");
        fclose(log);
        printf("threads %s\\n", words[1]);
    }
    MPI_Finalize();
    return 3;
}
"""
DESCRIBED = """
name = "solver"
title = "A solver"
command = ["./solver", "{threads}", "WRONG"]
threads = true
exit_codes = [3]
[[figures]]
name = "speed"
file = "log.txt"
pattern = 'rate: (\\S+) steps/s'
unit = "steps/s"
better = "higher"
[[echoes]]
what = "ranks"
file = "log.txt"
pattern = 'ranks: (\\d+)'
[[echoes]]
what = "threads"
pattern = 'threads (\\d+)'
[[checks]]
name = "energy"
file = "log.txt"
pattern = 'energy: (\\S+)'
reference = -4.5
absolute = 0.1
[[inputs]]
path = "in.txt"
"""

CHECKSUM = hashlib.sha256(b"20\n").hexdigest()

pytestmark = pytest.mark.skipif(not shutil.which("mpicc"), reason="needs an MPI of this machine")


@pytest.fixture
def command(command_beside_others: MachmeterCommand) -> MachmeterCommand:
    return command_beside_others


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "a case"
    folder.mkdir()
    (folder / "solver.c").write_text(SOLVER)
    build = ["mpicc", "solver.c", "-o", "solver"]
    subprocess.run(build, check=True, cwd=folder, timeout=60)
    (folder / "in.txt").write_text("20\n")
    monkeypatch.chdir(tmp_path)
    return folder


def explored(
    command: MachmeterCommand, here: Path, *words: str, wrong: int = 0
) -> tuple[Done, Any]:
    """wrong: the number of ranks with which its energy is another."""
    (here / "solver.toml").write_text(DESCRIBED.replace("WRONG", str(wrong)))
    options = ("--launches", "2", "--ranks", "1,2", "--threads", "1", *words)
    done = command.run("explore", "--json", *options, str(here / "solver.toml"))
    return done, json.loads(done.stdout) if done.stdout.startswith("{") else None


def test_its_figure_is_measured_under_every_layout(command: MachmeterCommand, here: Path) -> None:
    done, result = explored(command, here)
    assert done.returncode == 0, done.stdout + done.stderr
    speeds = {
        one["point"]["layout"]["ranks_per_node"]: one["value"]
        for one in result["estimates"]
        if one["metric"] == "speed"
    }
    assert speeds[1] == pytest.approx(20)
    assert speeds[2] == pytest.approx(40)
    assert {one["point"]["benchmark"] for one in result["estimates"]} == {"app.solver"}
    (newest,) = {
        one["benchmark"] for one in json.loads(command.run("history", "--json").stdout)["results"]
    }
    assert newest == "app.solver"
    (finding,) = result["findings"]
    assert finding["answer"].startswith("2 ranks")
    # Launches have folders of their own, which are gone when nothing was wrong.
    assert sorted(path.name for path in here.iterdir()) == [
        *("in.txt", "solver", "solver.c", "solver.toml"),
    ]
    folder = Path(command.data) / "runs" / result["header"]["id"]
    assert not list(folder.glob("launches/*.files"))
    shown = command.run("show", "last")
    assert "speed" in shown.stdout
    assert "40.0 steps/s" in shown.stdout
    assert str(here / "solver.toml") in command.run("runs").stdout


@pytest.mark.full
def test_a_layout_with_a_wrong_result_is_shown_and_never_compared(
    command: MachmeterCommand, here: Path
) -> None:
    # A relative name means the folder where machmeter was started, not that of a launch.
    folder = here.parent / "a run"
    done, result = explored(command, here, "--keep", "--output", os.path.relpath(folder), wrong=2)
    assert done.returncode == 1
    counted = {one["spec"] for one in result["outcomes"] if one["verdict"] == "wrong answer"}
    assert counted
    assert all("2 x 1" in spec for spec in counted)
    assert {one["point"]["layout"]["ranks_per_node"] for one in result["estimates"]} <= {1}
    assert any("wrong answer" in one["text"] for one in result["caveats"])
    logs = [path.read_text() for path in folder.glob("launches/*.files/log.txt")]
    assert any("-9.5" in log for log in logs)
    assert any("-4.5" in log for log in logs), "--keep keeps what right launches wrote too"


def test_a_rate_that_a_typed_command_prints_is_its_result(
    command: MachmeterCommand, here: Path
) -> None:
    words = ("--rate", r"rate (\S+)", "--unit", "step/s", "--threads", "1,2", "--launches", "2")
    done = command.run("explore", "--json", *words, "--", "/bin/echo", "rate", "{threads}0")
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    rates = {
        one["point"]["layout"]["threads_per_rank"]: one["value"]
        for one in result["estimates"]
        if one["metric"] == "rate" and one["point"]["layout"]["binding"] == "close"
    }
    assert rates == {1: pytest.approx(10), 2: pytest.approx(20)}
    assert "--rate 'rate (\\S+)' --unit step/s -- /bin/echo rate '{threads}0'" in (
        command.run("runs").stdout
    )


# Alone: a check counts no launch that others disturb, whatever the environment says.
@pytest.mark.alone
def test_one_launch_shows_what_a_description_reads(command: MachmeterCommand, here: Path) -> None:
    (here / "solver.toml").write_text(DESCRIBED.replace("WRONG", "0"))
    done = command.run("apps", "check", "--json", "--run", str(here / "solver.toml"))
    assert done.returncode == 0, done.stdout + done.stderr
    launch = json.loads(done.stdout)["launch"]
    assert launch["verdict"] == "accepted"
    assert launch["read"]["values"]["energy"] == pytest.approx(-4.5)
    assert launch["read"]["values"]["ranks"] == launch["ranks"]
    text = DESCRIBED.replace("WRONG", "0").replace("-4.5", "-4.0")
    (here / "solver.toml").write_text(text)
    shown = command.run("apps", "check", "--run", str(here / "solver.toml"))
    assert shown.returncode == 1
    assert "wrong answer" in shown.stdout


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (("sha256", "sha"), "sha"),
        (("WRONG", "{wrong}"), "{wrong}"),
        ((r"(\S+) steps", r"(?=\S+) steps"), "pattern"),
        (("./solver", "./absent"), "absent"),
        (("in.txt", "out.txt"), "out.txt"),
        (("CHECKSUM", "0" * 64), "SHA-256"),
    ],
)
def test_a_description_that_cannot_be_used_is_refused(
    command: MachmeterCommand, here: Path, change: tuple[str, str], word: str
) -> None:
    text = f'{DESCRIBED}sha256 = "CHECKSUM"\n'.replace(*change).replace("CHECKSUM", CHECKSUM)
    (here / "solver.toml").write_text(text)
    done = command.run("explore", str(here / "solver.toml"))
    assert_refused(done, 2, word)
    assert not (command.data / "runs").exists()
