"""Histories with the real Apache Otava: alarms come when something changed, and not otherwise."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from pathlib import Path

from machmeter.analysis.history.levels import WINDOW, find_changes, rules_for
from machmeter.build.python_tools.otava import starts_of_levels
from machmeter.model.benchmark import Direction
from machmeter.model.results.history import HistoryRules, HistoryValue
from machmeter.model.units import SECONDS
from tests.support.made_up.nightly_runs import night_id, nightly
from tests.support.processes.machmeter_command import MachmeterCommand

FIGURES = 12
SPREAD = 0.01


def alarms(series: Sequence[Sequence[float]], rules: HistoryRules, cache: Path) -> list[bool]:
    """Of each series whether a nightly job that sees it would end with exit code 1."""
    starts = starts_of_levels(series, WINDOW, rules.p_value, cache)
    found = []
    for logs, begins in zip(series, starts, strict=True):
        values = [
            HistoryValue(f"run{n:03d}", "", math.exp(log), 0.0, 0.0, 10)
            for n, log in enumerate(logs)
        ]
        changes = find_changes(values, begins, rules, SECONDS, Direction.LOWER)
        found.append(any(change.stands for change in changes))
    return found


def test_a_hundred_quiet_nights_raise_no_alarm(cache: Path) -> None:
    draw = random.Random(8)
    rules = rules_for(FIGURES)
    quiet = [[draw.gauss(0, SPREAD) for _ in range(100)] for _ in range(FIGURES)]
    nights = [one[:seen] for one in quiet for seen in range(rules.least_runs, 101)]
    assert not any(alarms(nights, rules, cache))


def test_five_percent_are_found_within_five_nights(cache: Path) -> None:
    draw = random.Random(8)
    rules = rules_for(FIGURES)
    step = math.log(1.05)
    stepped = [
        [draw.gauss(0, SPREAD) + step * (night >= 30) for night in range(35)]
        for _ in range(FIGURES)
    ]
    assert sum(alarms(stepped, rules, cache)) >= FIGURES - 1


def test_a_regression_ends_with_exit_code_1_until_it_is_accepted(
    command: MachmeterCommand,
) -> None:
    nightly(command.data, 24, {8: lambda night: 1e-6 if night < 16 else 1.1e-6, 64: lambda _: 2e-6})
    done = command.run("history", "network", "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert (found["regressions"], found["suspicions"]) == (1, 0)
    (change,) = (change for result in found["results"] for change in result["changes"])
    assert change["first_run"] == night_id(16)
    assert change["stands"] is True
    assert command.run("history", "--fail-on", "never").returncode == 0
    accepted = command.run("history", "--since", "2026-09-17")
    assert accepted.returncode == 0
    assert "No regression in 2 results" in accepted.stdout
