"""Every proxy under every MPI: its checks hold, and ranks and threads do not change its results."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from machmeter.benchmarks.catalogue import PROXIES
from machmeter.build.mpi import resolve_mpi
from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import PointRecord, Verdict
from tests.support.processes.measured_launches import BASE_PAGE, holds
from tests.support.processes.native_programs import built_with, launch_of, launcher_of, start

SMALL: dict[str, dict[str, Value]] = {
    "proxies.beampic": {"cells": 16, "particles": 5000, "steps": 12},
    "proxies.fvcore": {"latitudes": 24, "levels": 8, "steps": 10},
    "proxies.gkpic": {"planes": 4, "radial": 12, "poloidal": 32, "particles": 3, "steps": 6},
    "proxies.ljmd": {"cells": 6, "steps": 45},
    "proxies.lowmach": {"cells": 24, "box": 8, "steps": 2},
    "proxies.lqcd": {"extent": 8, "iterations": 10},
    "proxies.nwp": {"cells": 32, "levels": 12, "steps": 4, "imbalance": 50},
    "proxies.ofp": {"cells": 21, "iterations": 30},
    "proxies.pwdft": {"grid": 20, "bands": 6, "iterations": 4},
    "proxies.ring": {"rings": 3, "milliseconds": 60, "imbalance": 40},
    "proxies.scf": {"molecules": 7, "iterations": 3},
    "proxies.plf": {"taxa": 12, "sites": 501, "rounds": 3},
}
# Of each what the problem alone decides, by the names in its record.
RESULTS = {
    "proxies.beampic": ("field_energy", "mean_square_radius"),
    "proxies.fvcore": ("square_of_ratios",),
    "proxies.gkpic": ("weight_square", "potential_square"),
    "proxies.ljmd": ("potential_energy", "total_energy"),
    "proxies.lowmach": ("kinetic_energy", "v_cycles"),
    "proxies.lqcd": ("residual", "form"),
    "proxies.nwp": ("rise",),
    "proxies.ofp": ("residual", "error"),
    "proxies.pwdft": ("energy",),
    "proxies.ring": ("spikes", "spike_checksum"),
    "proxies.scf": ("energy",),
    "proxies.plf": ("log_likelihood",),
}
ALONE = Layout(page_bytes=BASE_PAGE)
TOGETHER = Layout(ranks_per_node=2, page_bytes=BASE_PAGE)
# Threads are the same under every library, and each launch takes a second under some.
LAYOUTS = {
    "mpich": (ALONE, Layout(threads_per_rank=2, page_bytes=BASE_PAGE), TOGETHER),
    "openmpi": (ALONE, TOGETHER),
}
# With a second library CI has one proxy of each kind of message, as each costs ten seconds of
# compiling: with neighbors and sums, all to all, gathered from all, a counter in a window.
OFTEN = ("proxies.lqcd", "proxies.pwdft", "proxies.ring", "proxies.scf")
CASES = [
    *(("mpich", name) for name in SMALL),
    *(
        pytest.param("openmpi", name, marks=() if name in OFTEN else pytest.mark.full)
        for name in SMALL
    ),
]


WITHOUT_NEIGHBORS = ("proxies.plf", "proxies.pwdft", "proxies.ring", "proxies.scf")


def test_every_proxy_is_tested() -> None:
    assert {one.name for one in PROXIES} == set(SMALL) == set(RESULTS)


def measured(name: str, library: str, layout: Layout, cache: Path, folder: Path) -> PointRecord:
    holds(layout)
    mpi = resolve_mpi(library, cache, os.environ)
    held = OFTEN if name in OFTEN else tuple(SMALL)
    launcher = launcher_of(built_with(mpi, cache, held), mpi, os.environ)
    folder.mkdir()
    outcome, record = start(launcher, launch_of(name, [SMALL[name]], layout), folder)
    assert outcome.verdict is Verdict.ACCEPTED, (outcome.reasons, outcome.output)
    (point,) = record.points
    assert point.check.passed, point.check.what
    return point


@pytest.mark.parametrize(("library", "name"), CASES)
def test_ranks_and_threads_do_not_change_the_result(
    name: str, library: str, cache: Path, tmp_path: Path
) -> None:
    points = [
        measured(name, library, layout, cache, tmp_path / str(number))
        for number, layout in enumerate(LAYOUTS[library])
    ]
    for quantity in RESULTS[name]:
        one, *others = (point.quantities[quantity] for point in points)
        assert others == [pytest.approx(one, rel=1e-9)] * len(others)
    alone, together = points[0], points[-1]
    assert alone.quantities["messages"] == 0
    # Some proxies send nothing to single ranks.
    sent = ("messages", "reductions", "gathers")
    assert sum(together.quantities.get(kind, 0) for kind in sent) > 0
    counted = sum(together.series.get("message_count", ()))
    assert counted == together.quantities["messages"]
    # Messages that are parts of an operation of all ranks are none with neighbors.
    of_halo = together.quantities["halo_messages"]
    assert 0 <= of_halo <= counted
    assert (of_halo > 0) == (together.quantities.get("halo_share", 0) > 0)
    assert (of_halo > 0) == (name not in WITHOUT_NEIGHBORS)
    # How much is of the machine too: other tests may have its CPUs in between.
    assert 0 < alone.quantities["compute_share"] <= 1
    # Each rank has all of it there.
    times = 2 if name == "proxies.scf" else 1
    data = times * alone.quantities["data_bytes"]
    assert data == pytest.approx(together.quantities["data_bytes"])


def test_what_cannot_be_shared_out_is_said_and_leaves_the_other_points(
    cache: Path, tmp_path: Path
) -> None:
    layout = Layout(ranks_per_node=2, page_bytes=BASE_PAGE)
    holds(layout)
    mpi = resolve_mpi("mpich", cache, os.environ)
    points: list[dict[str, Value]] = [{"cells": 3, "steps": 2}, {"cells": 4, "steps": 2}]
    launcher = launcher_of(built_with(mpi, cache), mpi, os.environ)
    outcome, record = start(launcher, launch_of("proxies.ljmd", points, layout), tmp_path)
    assert outcome.verdict is Verdict.ACCEPTED
    (reason,) = outcome.dropped_points.values()
    assert "fewer ranks" in reason
    assert [point.check.passed for point in record.points].count(True) == 1
