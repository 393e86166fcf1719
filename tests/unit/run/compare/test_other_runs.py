"""Runs whose spread counts: of the same machine, programs and library, and no one's twin."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.model.results.run import RunResult
from machmeter.run.compare.other_runs import other_runs
from tests.support.synthetic.run import make_run

RUN = make_run()


def named(name: str, run: RunResult = RUN, began: str = "2026-11-01T10:00:00Z") -> RunResult:
    return replace(run, header=replace(run.header, id=name, started=began))


LATER = "2026-11-20T10:00:00Z"
A, B = named("a", began=LATER), named("b", began="2026-11-21T10:00:00Z")
STORED = [named(f"r{number}") for number in range(25)]


def of_other_flags(name: str, began: str = "2026-11-01T10:00:00Z") -> RunResult:
    assert RUN.toolchain is not None
    return named(name, replace(RUN, toolchain=replace(RUN.toolchain, flags="-O0")), began)


def test_runs_alike_are_taken_from_the_newest_on() -> None:
    found = other_runs(A, B, [A, B, *STORED])
    assert [one.id for one in found] == [f"r{number}" for number in range(20)]


@pytest.mark.parametrize(
    "others",
    [
        [of_other_flags(f"f{number}") for number in range(5)],
        [named(f"h{number}", make_run(host="node18")) for number in range(5)],
    ],
)
def test_those_of_another_build_or_host_are_not(others: list[RunResult]) -> None:
    assert other_runs(A, B, [*others, *STORED[:2]]) == ()
    assert len(other_runs(A, B, [*others, *STORED[:3]])) == 3


def test_two_builds_on_one_machine_have_the_spread_of_the_first() -> None:
    assert len(other_runs(A, of_other_flags("b", LATER), STORED)) == 20


def test_two_machines_have_none() -> None:
    assert other_runs(A, named("b", make_run(host="node18"), LATER), STORED) == ()


def test_what_changed_between_the_two_is_not_in_the_spread() -> None:
    after = [named(f"n{number}", began="2026-11-20T20:00:00Z") for number in range(5)]
    assert other_runs(A, B, after) == ()
    assert [one.id for one in other_runs(B, A, [*after, *STORED[:3]])] == ["r0", "r1", "r2"]
