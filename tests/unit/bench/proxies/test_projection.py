"""What is read of the program that calls hypre, and which of its solves count."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import asdict, replace

from bench.comparisons.proxies.projection import CELLS, MOST_DEVIATION, TARGET, solve_rate
from bench.parsers import ProjectionRun, parse_projection
from bench.rounds import ContenderError

GOOD = ProjectionRun((0.25, 0.75), 16, TARGET / 2, MOST_DEVIATION / 2, 2)


def test_the_last_line_is_read_and_rated_by_cells() -> None:
    run = parse_projection("a warning\n" + json.dumps(asdict(GOOD)))
    assert run == GOOD
    assert solve_rate(run, 2) == pytest.approx(CELLS**3 / 0.5)


@pytest.mark.parametrize(
    "run",
    [
        replace(GOOD, ranks=1),
        replace(GOOD, residual=2 * TARGET),
        replace(GOOD, residual=float("nan")),
        replace(GOOD, deviation=2 * MOST_DEVIATION),
    ],
)
def test_a_solve_of_something_else_is_refused(run: ProjectionRun) -> None:
    with pytest.raises(ContenderError):
        solve_rate(run, 2)


def test_output_without_times_is_refused() -> None:
    with pytest.raises(ValueError, match="times of solves"):
        parse_projection("Killed")
