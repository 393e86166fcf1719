"""Runs that earlier versions wrote are read for ever: `tests/data` keeps one of each format."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from pytest import approx

from machmeter.model.plan.launch import Verdict
from machmeter.model.results.caveat import CaveatKind
from machmeter.model.results.run import RunState
from machmeter.run.results.result import collect
from machmeter.store.run_folder import RunFolder
from tests.support.cli_calls import call
from tests.support.paths import DATA

STORED = DATA / "run_format_2"


def test_a_run_of_format_2_says_what_it_said_when_it_was_written() -> None:
    result = collect(RunFolder.open(STORED))
    assert result.state is RunState.FINISHED
    assert Counter((one.spec.split(" (")[0], one.verdict) for one in result.outcomes) == {
        ("memory.latency", Verdict.ACCEPTED): 3,
        ("network.latency", Verdict.ACCEPTED): 3,
        ("reference at the start", Verdict.ACCEPTED): 5,
        ("reference at the end", Verdict.ACCEPTED): 5,
    }
    found = [
        (one.point.benchmark, one.point.get("size"), one.point.layout.ranks, one.value, one.high)
        for one in result.estimates
    ]
    assert found == [
        ("memory.latency", 16384, 1, approx(1.4250961629e-9), approx(1.4384805764e-9)),
        ("memory.latency", 65536, 1, approx(4.2535340777e-9), approx(4.7182508585e-9)),
        ("network.latency", 16384, 2, approx(7.0884063443e-6), approx(8.7321373150e-6)),
        ("network.latency", 65536, 2, approx(1.3427733001e-5), approx(1.7178453816e-5)),
    ]
    assert {one.rounds for one in result.estimates} == {(1, 2, 3)}
    assert [one.point for one in result.estimates] == list(result.plan.points)
    assert result.toolchain is not None
    assert result.toolchain.mpi_library == "MPICH Version: 5.0.2"
    assert [one.quanta for one in result.noise] == [6400, 1200]
    assert CaveatKind.SEVERAL_BUILDS not in {one.kind for one in result.caveats}


def test_its_launches_say_what_they_were_to_do() -> None:
    folder = RunFolder.open(STORED)
    plan = folder.plan()
    assert plan is not None
    launches = [folder.launch(number) for number in folder.launch_numbers()]
    assert [launch.number for launch in launches] == list(range(1, 17))
    assert {launch.spec.name for launch in launches} == {spec.name for spec in plan.specs}
    assert all(launch.spec in plan.specs for launch in launches)
    of_ranks = [one.assignment.cpus for one in launches if one.spec.layout.ranks == 2]
    assert of_ranks == [(((0,),), ((1,),))] * 3
    assert sorted(launch.round for launch in launches) == [0] * 10 + [1, 1, 2, 2, 3, 3]


def test_commands_show_it(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MACHMETER_DATA", "MACHMETER_CACHE"):
        monkeypatch.setenv(name, str(tmp_path / name))
    code, out, _ = call(capfd, "show", str(STORED), "--all")
    assert code == 0
    assert "4 results" in out
    assert all(value in out for value in ("1.43", "4.25", "7.09   [5.75, 8.73]", "[10.5, 17.2]"))
    code, out, _ = call(capfd, "export", str(STORED), "--what", "samples")
    assert code == 0
    assert out.count("\n") > 1000
