"""The record of a program that writes none."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.launch.files.given_files import GivenFiles
from machmeter.launch.observed import Running, Seen, observed_record, run_observed
from machmeter.launch.process import ProcessResult
from machmeter.layout.verification.verify import verify
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import Assignment
from machmeter.model.origin import Origin
from machmeter.model.plan.command import Command
from machmeter.model.plan.launch import Launch, Verdict
from machmeter.model.point import make_point
from machmeter.run.measuring.judge import judge
from machmeter.store.records import read_record
from tests.support.fake_launcher import small_spec

BEGUN = datetime(2026, 11, 24, 12, 0, 0, tzinfo=UTC)


def launch() -> Launch:
    spec = small_spec()
    point = make_point("explore.process", {"command": "./solver in"}, spec.layout)
    command = Command(("./solver", "in"), "/", 60.0)
    return Launch(
        7,
        replace(spec, benchmark="explore.process", points=(point,), command=command),
        11,
        Assignment((((0,),),)),
    )


def result(exit_code: int = 0, *, timed_out: bool = False) -> ProcessResult:
    return ProcessResult(exit_code, 2.5, timed_out, "what it said")


def test_the_wall_time_is_its_one_sample_and_what_nobody_saw_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "record"
    path.write_bytes(observed_record(launch(), result(), Seen(BEGUN)))
    record = read_record(path)
    assert record.complete
    (reason,) = verify(launch(), record)
    assert reason.startswith("ranks: requested 1, observed 0")
    (point,) = record.points
    assert (point.parameters, point.series) == ({"command": "./solver in"}, {"seconds": (2.5,)})
    assert record.header is not None
    assert (record.header.places, record.header.noise) == ((), ())
    assert (record.header.toolchain, record.header.clock) == (None, None)
    assert record.header.origin is Origin.MEASURED
    assert record.closing is not None
    assert record.closing.ended == "2026-11-24T12:00:02.500000+00:00"
    other = replace(launch(), number=8)
    assert verify(other, record)[0].startswith("record of another launch")


def test_one_that_was_ended_for_its_output_has_no_record() -> None:
    too_much = replace(result(), wrote_too_much=True)
    assert observed_record(launch(), too_much, Seen(BEGUN)) == b""


@pytest.mark.parametrize("own", [True, False])
def test_a_program_that_fills_the_folder_of_its_user_ends_the_run(
    own: bool, tmp_path: Path
) -> None:
    filled = replace(result(-15), wrote_too_much=True, filled_folder=True)
    command = Command(("./solver",), str(tmp_path), 60.0, own_folder=own)
    record = tmp_path / "00001.jsonl"

    def run(folder: str, _most_kept: int, _read_only: Sequence[Path]) -> ProcessResult:
        (Path(folder) / "part").write_text("x")
        return filled

    if own:
        assert run_observed(
            launch(), command, record, Running((), run), GivenFiles(print)
        ).filled_folder
        return
    with pytest.raises(MachineLacksError):
        run_observed(launch(), command, record, Running((), run), GivenFiles(print))
    assert [path.name for path in tmp_path.iterdir()] == ["part"], "what it wrote is its user's"


@pytest.mark.parametrize("ended", [result(3), result(-9), result(timed_out=True)])
def test_a_launch_that_did_not_end_well_has_no_record(ended: ProcessResult, tmp_path: Path) -> None:
    assert observed_record(launch(), ended, Seen(BEGUN)) == b""
    outcome = judge(
        launch(),
        read_record(tmp_path / "none"),
        command=("./solver",),
        exit_code=ended.exit_code,
        timed_out=ended.timed_out,
        started="",
        wall_seconds=ended.wall_seconds,
        output=ended.output,
    )
    assert outcome.verdict is (Verdict.TIMED_OUT if ended.timed_out else Verdict.FAILED)
    assert outcome.reasons[-1] == "it said: what it said"


RULE = "-" * 70
LAUNCHER = f"{RULE}\nmpirun noticed that a process ended\n{RULE}\n"


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (f"step 1\nERROR: no such file\n{LAUNCHER}", "step 1 | ERROR: no such file"),
        (f"ERROR: no such file\n{LAUNCHER}\n{LAUNCHER}\n", "ERROR: no such file"),
        (LAUNCHER, "mpirun noticed that a process ended"),
        (f"{RULE}\nresults\n{RULE}\nERROR\n", "results | ERROR"),
        (f"{RULE}\n", ""),
        (f"starting\n{RULE}\nFatal error: no input\n{RULE}\n", "starting | Fatal error: no input"),
    ],
)
def test_what_a_program_said_comes_before_what_its_launcher_adds(
    output: str, said: str, tmp_path: Path
) -> None:
    outcome = judge(
        launch(),
        read_record(tmp_path / "none"),
        command=("./solver",),
        exit_code=1,
        timed_out=False,
        started="",
        wall_seconds=1.0,
        output=output,
    )
    assert outcome.reasons[1:] == ((f"it said: {said}",) if said else ())
