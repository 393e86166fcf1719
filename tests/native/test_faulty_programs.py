"""Programs that crash, hang, lie, print rubbish or run elsewhere: told, never used, never left."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from machmeter.launch.process import OUTPUT_TAIL
from machmeter.model.layout import Assignment, Layout
from machmeter.model.plan.launch import Launch, LaunchOutcome, Record, Verdict
from machmeter.store.records import read_record
from tests.support.processes.machmeter_command import processes_about
from tests.support.processes.native_programs import (
    Programs,
    judged,
    launch_of,
    launcher_of,
    start,
    two_cpus,
    with_script,
)

BASE = Layout(page_bytes=os.sysconf("SC_PAGE_SIZE"))
LATENCY = launch_of("memory.latency", [{"size": 4096}, {"size": 65536}], BASE)
# The words of a native program: BENCHMARK --record PATH ...
RECORD = '"$3"'


def with_node_script(
    programs: Programs, folder: Path, script: str, limit_seconds: float = 60.0
) -> tuple[LaunchOutcome, Record]:
    """A launch of `memory.latency` whose program is `script`."""
    changed = with_script(programs, folder / "programs", "machmeter-node", script)
    return start(launcher_of(changed, None, os.environ), LATENCY, folder, limit_seconds)


def test_a_crash_is_told_with_its_signal(programs: Programs, tmp_path: Path) -> None:
    outcome, record = with_node_script(programs, tmp_path, "kill -SEGV $$")
    assert outcome.verdict is Verdict.FAILED
    assert outcome.exit_code == -11
    assert "ended by signal 11; the program wrote no record" in outcome.reasons[0]
    assert record.points == ()


def test_a_crash_in_the_middle_keeps_what_was_recorded(programs: Programs, tmp_path: Path) -> None:
    script = f'"$REAL" "$@"; head -n 2 {RECORD} > {RECORD}.partial; rm {RECORD}; kill -SEGV $$'
    outcome, record = with_node_script(programs, tmp_path, script)
    assert outcome.verdict is Verdict.FAILED
    assert "signal 11; the record has no closing line" in outcome.reasons[0]
    assert len(record.points) == 1
    assert not record.complete


STUBBORN = "trap '' TERM; sleep 987654; sleep 987654"


@pytest.mark.parametrize("script", ["exec sleep 987654", STUBBORN], ids=["meek", "stubborn"])
def test_a_hang_is_ended_with_all_its_processes(
    script: str, programs: Programs, tmp_path: Path
) -> None:
    before = len(processes_about("sleep 987654"))
    outcome, _ = with_node_script(programs, tmp_path, script, limit_seconds=0.5)
    assert outcome.verdict is Verdict.TIMED_OUT
    assert "0 of 2 points were recorded by then" in outcome.reasons[0]
    assert len(processes_about("sleep 987654")) == before


def test_rubbish_on_standard_output_hurts_nothing(programs: Programs, tmp_path: Path) -> None:
    script = 'head -c 300000 /dev/urandom; echo the last words; exec "$REAL" "$@"'
    outcome, record = with_node_script(programs, tmp_path, script)
    assert outcome.verdict is Verdict.ACCEPTED, outcome.reasons
    assert record.complete
    assert len(outcome.output) <= OUTPUT_TAIL
    assert outcome.output.endswith("the last words\n")


RUBBISH = {
    "noise": f"head -c 5000 /dev/urandom > {RECORD}",
    "nothing": f": > {RECORD}",
    "deep brackets": f"head -c 100000 /dev/zero | tr '\\0' '[' > {RECORD}",
    "other JSON": f"""echo '{{"kind": "closing", "points": 2}}' > {RECORD}""",
    "a folder": f"mkdir {RECORD}",
    "no closing line": f'"$REAL" "$@"; sed -i "$ d" {RECORD}',
    "half a line": f'"$REAL" "$@"; truncate -s -20 {RECORD}',
    "a line twice": f'"$REAL" "$@"; sed -i 2p {RECORD}',
    "rubbish inside": f'"$REAL" "$@"; sed -i "2s/.*/rubbish/" {RECORD}',
    "no record": "exit 0",
}


@pytest.mark.parametrize("kind", RUBBISH)
def test_a_record_that_is_rubbish_is_incomplete(
    kind: str, programs: Programs, tmp_path: Path
) -> None:
    outcome, record = with_node_script(programs, tmp_path, RUBBISH[kind])
    assert outcome.verdict is Verdict.INCOMPLETE
    assert outcome.reasons[0], "it must say why"
    assert record.problem == outcome.reasons[0]
    assert not record.complete


def test_a_point_that_failed_its_own_check_is_dropped(programs: Programs, tmp_path: Path) -> None:
    script = f"""\"$REAL\" \"$@\"; sed -i '2s/"passed":true/"passed":false/' {RECORD}"""
    outcome, _ = with_node_script(programs, tmp_path, script)
    assert outcome.verdict is Verdict.ACCEPTED
    assert len(outcome.dropped_points) == 1
    assert "own check failed" in next(iter(outcome.dropped_points.values()))


def test_a_negative_time_is_no_measurement(programs: Programs, tmp_path: Path) -> None:
    script = f"""\"$REAL\" \"$@\"; sed -i '2s/:\\[/:[-/' {RECORD}"""
    outcome, record = with_node_script(programs, tmp_path, script)
    assert any(min(point.series["seconds"]) < 0 for point in record.points)
    assert outcome.verdict is Verdict.ACCEPTED
    assert len(outcome.dropped_points) == 1


def test_the_record_of_another_launch_is_rejected(programs: Programs, tmp_path: Path) -> None:
    other = launch_of("memory.latency", [{"size": 4096}, {"size": 65536}], BASE, 9, 99)
    start(launcher_of(programs, None, os.environ), other, tmp_path)
    outcome, _ = with_node_script(programs, tmp_path, f"cp '{tmp_path}/00009.jsonl' {RECORD}")
    assert outcome.verdict is Verdict.REJECTED
    assert "launch 1, seed 7" in outcome.reasons[0]
    assert "launch 9, seed 99" in outcome.reasons[0]


def test_exit_codes_that_lie_are_told_and_not_believed(programs: Programs, tmp_path: Path) -> None:
    outcome, _ = with_node_script(programs, tmp_path, '"$REAL" "$@"; exit 7')
    assert outcome.verdict is Verdict.ACCEPTED
    assert "exit code 7 after its record was complete" in outcome.reasons[0]


def test_a_program_that_is_missing_is_told(programs: Programs, tmp_path: Path) -> None:
    changed = with_script(programs, tmp_path / "programs", "machmeter-node", "exit 0")
    Path(changed.folder, "machmeter-node").unlink()
    outcome, _ = start(launcher_of(changed, None, os.environ), LATENCY, tmp_path)
    assert outcome.verdict is Verdict.FAILED
    assert "cannot start" in outcome.output
    shutil.rmtree(changed.folder)
    outcome, _ = start(launcher_of(changed, None, os.environ), LATENCY, tmp_path)
    assert outcome.verdict is Verdict.FAILED
    assert "cannot start" in outcome.output


def on_cpu(launch: Launch, cpu: int) -> Launch:
    return Launch(launch.number, launch.spec, launch.seed, Assignment((((cpu,),),)))


def test_a_launch_that_was_started_on_another_cpu_is_rejected(
    programs: Programs, tmp_path: Path
) -> None:
    first, second = two_cpus()
    path = tmp_path / "00001.jsonl"
    attempt = launcher_of(programs, None, os.environ).start(on_cpu(LATENCY, first), path, 60)
    outcome = judged(on_cpu(LATENCY, second), attempt, read_record(path))
    assert outcome.verdict is Verdict.REJECTED
    assert f"requested CPUs {second}, allowed CPUs {first}" in outcome.reasons[0]


@pytest.mark.skipif(not shutil.which("taskset"), reason="needs taskset")
def test_a_wrapper_that_binds_elsewhere_is_found_out(programs: Programs, tmp_path: Path) -> None:
    first, second = two_cpus()
    script = f'while [ "$1" != -- ]; do shift; done; shift; exec taskset -c {first} "$@"'
    changed = with_script(programs, tmp_path / "programs", "machmeter-bind", script)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    launcher = launcher_of(changed, None, environment)
    outcome, _ = start(launcher, on_cpu(LATENCY, second), tmp_path)
    assert outcome.verdict is Verdict.REJECTED
    assert any(f"requested CPUs {second}, allowed CPUs {first}" in why for why in outcome.reasons)
