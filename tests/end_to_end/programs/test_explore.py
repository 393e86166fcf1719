"""Any program under every layout, from one command: what ran is what was asked for."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from machmeter.build.mpi import MpiInstall
from tests.support.processes.machmeter_command import (
    Done,
    MachmeterCommand,
    assert_refused,
    processes_about,
    verdicts,
    wait_until,
)

CPUS = sorted(os.sched_getaffinity(0))
# What it was given, one line a launch.
WITNESS = """#!/bin/sh
cpus=$(grep Cpus_allowed_list /proc/self/status)
echo "${OMP_NUM_THREADS:-unset} ${OMP_PROC_BIND:-unset} $cpus" >> seen
"""
# In bash: python3 may be a script that first finds Python, which takes time that no sample shows.
ONE_THREAD = """#!/usr/bin/env bash
end=$((${EPOCHREALTIME/[.,]/} + 800000))
while [ ${EPOCHREALTIME/[.,]/} -lt $end ]; do :; done
"""
# Shorter where it is pinned, by nothing that its threads do.
PINNED = """#!/usr/bin/env python3
import os, time
while time.process_time() < 0.6:
    pass
if len(os.sched_getaffinity(0)) > 1:
    time.sleep(0.6)
"""
RANKS = """
#include <mpi.h>
#include <stdio.h>
int main(int count, char **words) {
    int rank, size;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        FILE *seen = fopen("seen", "a");
        fprintf(seen, "%d\\n", size);
        fclose(seen);
    }
    MPI_Finalize();
    return 0;
}
"""


@pytest.fixture
def command(command_beside_others: MachmeterCommand) -> MachmeterCommand:
    return command_beside_others


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that programs are started in, which is not where runs are kept."""
    folder = tmp_path / "case with spaces"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def program(folder: Path, text: str) -> str:
    (folder / "program").write_text(text)
    (folder / "program").chmod(0o755)
    return "./program"


def explored(command: MachmeterCommand, *words: str) -> tuple[Done, Any]:
    done = command.run("explore", "--json", *words)
    return done, json.loads(done.stdout) if done.stdout.startswith("{") else None


def assert_measured(done: Done, result: Any) -> None:
    """Every launch counts."""
    assert result, done.stdout + done.stderr
    assert {one["verdict"] for one in result["outcomes"]} == {"accepted"}, result["outcomes"]
    assert done.returncode == 0, done.stderr


def test_a_script_runs_under_every_layout_equally_often(
    command: MachmeterCommand, here: Path
) -> None:
    name = program(here, WITNESS)
    done, result = explored(command, "--launches", "3", "--threads", "1,2", "--", name, "a b")
    assert_measured(done, result)
    *seen, tried = [line.split() for line in (here / "seen").read_text().splitlines()]
    by_threads = {threads: [one for one in seen if one[0] == threads] for threads in "12"}
    assert [len(by_threads["1"]), len(by_threads["2"]), len(seen)] == [3, 3, 9]
    assert {one[-1] for one in by_threads["1"]} == {str(CPUS[0])}
    assert {one[1] for one in by_threads["2"]} == {"close"}
    # What nobody set is as it was: all CPUs, and no variable.
    nothing = [one for one in seen if one[0] == "unset"]
    assert len(nothing) == 3
    assert {one[1] for one in nothing} == {"unset"}
    assert len({one[-1] for one in nothing} - {one[-1] for one in by_threads["1"]}) == 1
    estimates = result["estimates"]
    assert len(estimates) == 3
    assert all(one["launches"] == 3 and 0 < one["low"] <= one["value"] for one in estimates)
    (asked,) = {dict(one["point"]["parameters"])["command"] for one in estimates}
    assert asked.endswith("/case with spaces/program' 'a b'")
    (finding,) = result["findings"]
    assert finding["question"] == "Which number of threads is fastest?"
    assert any(one["kind"].startswith("the placement") for one in result["caveats"])
    assert result["toolchain"] is None, "nobody knows what the program was built with"
    assert result["tried"]["problems"] == []
    threads = [one.partition("=")[2] for one in result["tried"]["lines"] if "NUM_THREADS" in one]
    assert tried[0] in (threads or ["unset"])
    shown = command.run("show", "last")
    assert shown.stdout.count("Wall time") == 3
    assert "nothing set" in shown.stdout


@pytest.mark.parametrize("library", ["mpich", pytest.param("openmpi", marks=pytest.mark.full)])
def test_a_program_of_mpi_is_started_by_the_mpi_that_it_is_linked_with(
    library: str, command: MachmeterCommand, here: Path, request: pytest.FixtureRequest
) -> None:
    mpi: MpiInstall = request.getfixturevalue(library)
    (here / "ranks.c").write_text(RANKS)
    path = f"{mpi.prefix}/bin:{os.environ['PATH']}"
    subprocess.run(
        [f"{mpi.prefix}/bin/mpicc", "ranks.c", "-o", "ranks"],
        check=True,
        cwd=here,
        timeout=60,
        env={**os.environ, "PATH": path, "OPAL_PREFIX": mpi.prefix},
    )
    done, result = explored(command, "--launches", "2", "--ranks", "1,2", "--", "./ranks")
    assert_measured(done, result)
    *seen, tried = map(int, (here / "seen").read_text().split())
    layouts = [one["layout"] for one in result["plan"]["specs"] if one["command"]]
    expected = sorted(2 * [one["nodes"] * one["ranks_per_node"] for one in layouts])
    assert sorted(seen) == expected
    assert {1, 2} <= set(seen)
    assert result["tried"]["problems"] == []
    assert f"{mpi.mpiexec} " in result["tried"]["lines"][-1]
    assert f"-n {tried} " in result["tried"]["lines"][-1]
    assert "; tried" in command.run("show", "last").stdout
    assert {one["benchmark"] for one in result["plan"]["specs"] if one["command"]} == {
        "explore.ranks"
    }
    other = "openmpi" if library == "mpich" else "mpich"
    refused = command.run("explore", "--mpi", other, "--", "./ranks")
    assert_refused(refused, 2, f"linked with {library}", "copies of one rank")


@pytest.mark.alone
def test_copies_run_side_by_side_and_count_by_their_throughput(
    command: MachmeterCommand, here: Path
) -> None:
    name = program(here, "#!/bin/sh\necho $OMP_NUM_THREADS >> seen\nsleep 0.2\n")
    asked = ("--copies", "1,2", "--threads", "1", "--launches", "2", "--no-race")
    done, result = explored(command, *asked, "--", name)
    assert_measured(done, result)
    of_copies = {one["point"]["layout"]["ranks_per_node"]: one for one in result["estimates"]}
    assert {1, 2} <= set(of_copies)
    launched = [
        one["layout"]["ranks_per_node"]
        for outcome in result["outcomes"]
        for one in result["plan"]["specs"]
        if one["command"] and one["name"] == outcome["spec"]
    ]
    assert len((here / "seen").read_text().splitlines()) >= sum(launched)
    for copies, estimate in of_copies.items():
        assert estimate["unit"]["symbol"] == "run/s"
        assert estimate["value"] < copies / 0.2
    # Two that only sleep take the time of one.
    assert of_copies[2]["value"] > 1.2 * of_copies[1]["value"]
    assert "explore --copies 1,2 --threads 1" in command.run("runs").stdout


def test_a_program_that_fails_is_told_with_its_words_and_ends_with_1(
    command: MachmeterCommand, here: Path
) -> None:
    name = program(here, "#!/bin/sh\necho 'no input'\nexit 3\n")
    done, result = explored(command, "--launches", "2", "--threads", "1", "--", name)
    assert done.returncode == 1
    failed = [one for one in result["outcomes"] if one["verdict"] == "failed"]
    assert failed
    assert all(one["exit_code"] == 3 and "no input" in one["output"] for one in failed)
    assert result["estimates"] == []


@pytest.mark.alone
def test_a_program_that_does_not_take_its_threads_is_not_compared(
    command: MachmeterCommand, here: Path
) -> None:
    name = program(here, ONE_THREAD)
    done, result = explored(command, "--launches", "2", "--threads", "2", "--", name)
    assert done.returncode == 1
    refused = [one for one in result["outcomes"] if one["verdict"] != "accepted"]
    assert {one["verdict"] for one in refused} == {"wrong parallelism"}
    assert all("2 threads requested, 1 worked" in one["reasons"][0] for one in refused)
    (left,) = result["estimates"]
    assert left["point"]["layout"]["binding"] == "default"


@pytest.mark.alone
@pytest.mark.full
@pytest.mark.skipif(len(CPUS) < 2, reason="needs 2 CPUs")
def test_what_a_program_of_one_thread_gains_by_pinning_is_no_gain_of_threads(
    command: MachmeterCommand, here: Path
) -> None:
    name = program(here, PINNED)
    done, result = explored(command, "--launches", "6", "--threads", "1", "--", name)
    assert done.returncode == 0, done.stdout + done.stderr
    (finding,) = result["findings"]
    (case,) = finding["cases"]
    assert case["chosen"] == {"threads_per_rank": "1", "binding": "close"}
    assert "over nothing set" in finding["answer"]
    assert "1 thread worked in both" in finding["answer"]
    assert "of pinning, not of the number of threads" in finding["answer"]


def test_layouts_of_which_none_fits_are_refused_before_anything_is_launched(
    command: MachmeterCommand, here: Path
) -> None:
    name = program(here, WITNESS)
    for words in (("--threads", "9999"), ("--copies", "9999"), ("--threads", "1", "--smt", "99")):
        refused = command.run("explore", *words, "--", name)
        assert_refused(refused, 2, "no layout that was named fits", str(len(CPUS)))
    assert not (here / "seen").exists()
    assert not list(command.data.glob("runs/*"))


@pytest.mark.full
def test_a_question_that_single_launches_did_not_keep_open_ends_with_0(
    command: MachmeterCommand, here: Path
) -> None:
    text = "#!/bin/sh\n[ -e once ] || { touch once; exit 3; }\n"
    name = program(here, text + '[ -n "$OMP_NUM_THREADS" ] || sleep 0.3\n')
    done, result = explored(command, "--launches", "4", "--threads", "1", "--", name)
    assert [one["verdict"] for one in result["outcomes"]].count("failed") == 1
    assert result["findings"][0]["status"] == "decided"
    assert done.returncode == 0, done.stdout + done.stderr
    assert result["tried"]["lines"][-1].startswith("taskset -c ")
    assert result["tried"]["problems"] == [], "what starts it is found on the PATH"


def test_standard_input_is_never_dropped_without_a_word(
    command: MachmeterCommand, here: Path
) -> None:
    name = program(here, WITNESS)
    (here / "input").write_text("5\n")
    under = ("sh", "-c", 'exec "$@" < input', "sh")
    refused = command.run("explore", "--", name, under=under)
    assert_refused(refused, 2, "standard input is not given to launches", "as an argument")
    assert not (here / "seen").exists()


def test_variables_of_its_user_reach_the_program(command: MachmeterCommand, here: Path) -> None:
    name = program(here, '#!/bin/sh\necho "$OMP_STACKSIZE" >> seen\n')
    with_variable = replace(command, extra={"OMP_STACKSIZE": "7M"})
    done, result = explored(with_variable, "--launches", "2", "--threads", "1", "--", name)
    assert_measured(done, result)
    assert (here / "seen").read_text().split() == ["7M"] * 5, "the lines to copy were tried, too"


def test_a_run_that_explored_is_listed_by_its_program_and_is_no_baseline(
    command: MachmeterCommand, here: Path
) -> None:
    done, result = explored(command, "--launches", "2", "--threads", "1", "--", "sleep", "0.01")
    assert_measured(done, result)
    assert "explore --threads 1 --launches 2 --" in command.run("runs").stdout
    assert_refused(command.run("run", "--against", "last"), 2, "no benchmark of machmeter's own")
    history = command.run("history")
    assert "left out" not in history.stdout + history.stderr


def test_what_is_no_program_is_refused(command: MachmeterCommand, here: Path) -> None:
    (here / "data.txt").write_text("no program")
    refused = command.run("explore", "--", "./data.txt")
    assert_refused(refused, 2, "chmod +x ./data.txt")
    assert not list(command.data.glob("runs/*"))


def test_a_dry_run_starts_nothing(command: MachmeterCommand, here: Path) -> None:
    name = program(here, WITNESS)
    done = command.run("explore", "--dry-run", "--", name)
    assert done.returncode == 0, done.stderr
    assert "default" in done.stdout
    assert "how long depends on the program" in " ".join(done.stdout.split())
    assert not (here / "seen").exists()


def test_an_interrupted_exploration_goes_on_where_it_was(
    command: MachmeterCommand, here: Path, tmp_path: Path
) -> None:
    name = program(here, WITNESS + "sleep 0.3\n")
    folder = tmp_path / "run"
    words = ("explore", "--launches", "4", "--threads", "1", "--output", folder, "--", name)
    process = command.start(*words)
    try:
        wait_until(lambda: len(verdicts(folder)) > 2, "the program was launched")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 1
    finally:
        process.kill()
        process.communicate()
    before = verdicts(folder)
    assert not processes_about(str(here))
    done = command.run("run", "--resume", folder)
    assert done.returncode == 0, done.stdout + done.stderr
    after = verdicts(folder)
    assert all(after[spec][: len(ended)] == ended for spec, ended in before.items())
    of_program = {s: v for s, v in after.items() if s.startswith("explore.process")}
    assert [v.count("accepted") for v in of_program.values()] == [4, 4]


def test_further_axes_of_layouts_are_measured_and_named_by_the_question(
    command: MachmeterCommand, here: Path
) -> None:
    name = program(here, WITNESS)
    words = ("--threads", "2", "--wait", "passive,default", "--binding", "close,none")
    done, result = explored(command, "--launches", "2", *words, "--", name)
    assert_measured(done, result)
    layouts = [one["layout"] for one in result["plan"]["specs"] if one["command"]]
    # Unbound threads that wait as by default are what those have who set nothing.
    expected = {("default", "default"), ("none", "passive")}
    expected |= {("close", "default"), ("close", "passive")}
    assert {(one["binding"], one["wait_policy"]) for one in layouts} == expected
    *seen, _ = [line.split() for line in (here / "seen").read_text().splitlines()]
    assert sum(one[1] == "false" for one in seen) == 2
    (finding,) = result["findings"]
    assert finding["question"] == "Which layout is fastest?"
    assert finding["cases"], "candidates that differ in these axes are compared"
    assert "--binding close,none --wait passive,default" in command.run("runs").stdout


def test_what_only_our_own_programs_take_is_no_option(command: MachmeterCommand) -> None:
    assert_refused(command.run("explore", "--pages", "4KiB", "--", "/bin/true"), 2)
