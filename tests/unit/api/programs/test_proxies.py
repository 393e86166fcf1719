"""What limits a proxy is said by the newest run that measured it under its roofline."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.analysis.scaling.roofline import Roof
from machmeter.api.programs.proxies import proxies, with_limits
from machmeter.benchmarks.catalogue import PROXIES
from machmeter.cli.context import command_context
from machmeter.model.results.run import RunResult
from machmeter.run.history.indexing import index_of
from machmeter.store.run_folder import RunFolder
from tests.support.made_up.estimates import made_up
from tests.unit.report.benchmarks.groups.test_roofline import (
    ALL,
    BEYOND,
    GIGA,
    MEMORY,
    PEAKS,
    run_of,
)

POINT = {"cells": 100, "iterations": 50, "scaling": "strong"}


def measured(name: str, gigaflops: float) -> RunResult:
    values = {"flops": gigaflops * GIGA, "bandwidth": 5 * gigaflops * GIGA, "data": BEYOND}
    made = [made_up("proxies.ofp", POINT, ALL, metric, value) for metric, value in values.items()]
    found = run_of(*MEMORY, *PEAKS, *made)
    return replace(found, header=replace(found.header, id=name))


def test_the_first_run_that_measured_a_proxy_says_its_limit() -> None:
    found = with_limits([run_of(*MEMORY, *PEAKS), measured("new", 4), measured("old", 2)])
    assert [one.name for one in found] == [one.name for one in PROXIES]
    (limited,) = (one for one in found if one.standing)
    assert (limited.name, limited.run) == ("proxies.ofp", "new")
    assert limited.standing is not None
    assert limited.standing.roof is Roof.MEMORY
    assert limited.standing.share.ratio == pytest.approx(20 / 40)


def test_every_proxy_says_what_it_stands_for() -> None:
    assert all(one.stands_for for one in with_limits([]))


def test_without_runs_nothing_limits_any(home: Path, one_run: RunFolder) -> None:
    assert not [one for one in proxies(context=command_context()) if one.standing or one.run]


def test_a_damaged_index_is_a_warning(home: Path) -> None:
    warned: list[str] = []
    home.mkdir(exist_ok=True)
    index_of(home).path.write_text("no database")
    context = replace(command_context(), warn=lambda error: warned.append(error.message))
    assert [one.name for one in proxies(context=context)] == [one.name for one in PROXIES]
    assert warned
