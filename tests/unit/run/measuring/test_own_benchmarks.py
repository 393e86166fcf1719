"""A benchmark that no catalogue knows is planned, measured, judged and shown like any other."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import find, is_primary
from machmeter.model.errors import UsageError
from machmeter.model.plan.study import Experiment
from machmeter.report.benchmarks.section import Section
from machmeter.run.results.result import collect
from tests.support.fake_launcher import KIB, STUDY, FakeLauncher, good, new_folder, run_to_end

FIRST = find("memory.latency").metrics[0]
OWN = replace(
    find("memory.latency"),
    name="app.chase",
    title="A chase of one's own",
    metrics=(FIRST, replace(FIRST, name="same again", primary=False)),
)
STUDY_OF_OWN = replace(
    STUDY, experiments=(Experiment(OWN.name, {"size": (8 * KIB,)}),), benchmarks=(OWN,)
)


def test_it_is_measured_and_shown_under_its_own_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        find(OWN.name)
    folder = run_to_end(
        new_folder(tmp_path / "run", STUDY_OF_OWN), FakeLauncher(partial(good, own=(OWN,)))
    )
    result = collect(folder)
    assert {one.point.benchmark for one in result.estimates} == {OWN.name}
    assert Section(result, OWN.name, result.estimates).declared == OWN
    # What follows from another metric of it does not count twice where machines are compared.
    assert {one.metric for one in result.estimates if is_primary(one)} == {
        metric.name for metric in OWN.metrics if metric.primary
    }
    assert not all(map(is_primary, result.estimates))
