"""What a cache is prepared with: all that a run of the same words could launch elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.api import measuring
from machmeter.api.context import Context
from machmeter.api.measuring import prepare_cache
from machmeter.benchmarks.programs import MPI_PROGRAM, NODE_PROGRAM
from machmeter.launch.launcher import ProgramLauncher
from machmeter.model.machine import Machine
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.run import Plan, Request
from machmeter.run.measuring.start import Prepared
from machmeter.studies.quick import QUICK
from tests.support.fake_launcher import PRECISION, synthetic_machine
from tests.support.sysfs_tree import Shape


def test_a_login_node_with_one_core_prepares_what_nodes_with_more_launch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[Plan] = []

    def prepare(_request: Request, plan: Plan, machine: Machine, *_: object) -> Prepared:
        plans.append(plan)
        cache = tmp_path / "cache"
        (cache / "build").mkdir()
        (cache / "build" / "program").write_bytes(bytes(1000))
        (cache / "link").symlink_to(cache / "build" / "program")
        return Prepared(ProgramLauncher({}, {}), machine)

    monkeypatch.setattr(measuring, "prepare", prepare)
    monkeypatch.setattr(measuring, "with_fetched", lambda _request, machine, *_, **__: machine)
    # A budget in which next to nothing is measured.
    precision = replace(PRECISION, least_launches=100, most_launches=100, budget_seconds=1.0)
    request = Request((QUICK.name,), QUICK, LayoutOptions(), precision, "mpich", "")
    context = Context(tmp_path / "data", tmp_path / "cache", environment={"PATH": str(tmp_path)})
    one_core = synthetic_machine(Shape(1, 1, 1, 1))
    found = prepare_cache(request, machine=one_core, context=context)
    assert set(found.programs) == {NODE_PROGRAM.name, MPI_PROGRAM.name}
    assert {spec.benchmark for spec in plans[0].own_specs} >= {
        one.benchmark for one in QUICK.experiments
    }
    assert found.cache == str(tmp_path / "cache")
    assert 1000 <= found.bytes < 2000
    assert not (tmp_path / "data").exists()
