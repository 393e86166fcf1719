"""What is read of the program that calls libpll, and which of its runs count."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from bench.comparisons.proxies.likelihood import (
    LOG_LIKELIHOOD,
    UPDATES,
    update_rate,
)
from bench.parsers import LikelihoodRun, parse_likelihood
from bench.rounds import ContenderError

GOOD = LikelihoodRun((0.25, 0.75), LOG_LIKELIHOOD, 2)


def test_the_last_line_is_read_and_rated_by_the_updates_of_the_proxy() -> None:
    line = {"seconds": [0.25, 0.75], "log_likelihood": LOG_LIKELIHOOD, "ranks": 2}
    run = parse_likelihood("a warning\n" + json.dumps(line))
    assert run == GOOD
    assert update_rate(run, 2) == pytest.approx(UPDATES / 0.5)


@pytest.mark.parametrize(
    "run",
    [
        replace(GOOD, ranks=1),
        replace(GOOD, log_likelihood=LOG_LIKELIHOOD * (1 + 1e-8)),
        replace(GOOD, log_likelihood=float("nan")),
    ],
)
def test_another_run_is_refused(run: LikelihoodRun) -> None:
    with pytest.raises(ContenderError):
        update_rate(run, 2)


def test_output_without_times_is_refused() -> None:
    with pytest.raises(ValueError, match="times of rounds"):
        parse_likelihood("Killed")
    with pytest.raises(ValueError, match="not above zero"):
        parse_likelihood('{"seconds": [], "log_likelihood": -1.0, "ranks": 1}')
