"""Every figure of Louhi and Murska as it is printed, and what follows from it."""

from __future__ import annotations

import pytest

from machmeter.model.units import LINK_BITS_UNSTATED, LINK_BYTES_UNSTATED
from machmeter.published.formulas import published_numbers
from machmeter.published.load import published_machine
from machmeter.published.machine import published_results
from machmeter.published.units import link_rate

MACHINES = {name: published_machine(name) for name in ("louhi", "murska", "louhi-full")}
VALUES = {name: known.value for name, known in published_numbers(MACHINES.values()).items()}
UNITS = {
    **{f"{m.id}/{f.id}": t.unit for m in MACHINES.values() for t in m.tables for f in t.figures},
    **{
        f"{machine.id}/{link.id}": link.unit
        for machine in MACHINES.values()
        for link in machine.links
    },
}
# In the units printed.
PRINTED = {
    "louhi/peak-phase-1": (10.5, "TFLOP/s"),
    "louhi/peak-phase-2": (70.1, "TFLOP/s"),
    "louhi/cores-phase-2": (6736, "cores"),
    "louhi/link": (7.6, "GB/s"),
    "murska/peak": (10.6, "TFLOP/s"),
    "murska/links-down": (16, "links"),
    "murska/link-down": (16, "Gbit/s"),
    "murska/links-up": (8, "links"),
    "murska/link-up": (8, "Gbit/s"),
    "murska/oversubscription": (4, "x"),
    "murska/rdma-memory": (256, "kB"),
    "murska/gromacs-limit": (32, "tasks"),
    "louhi/gromacs-limit": (64, "tasks"),
    "louhi/gromacs-mpi-grows": (64, "tasks"),
    "murska/gromacs-mpi-grows": (64, "tasks"),
    "louhi/availability-rises-from": (8, "KiB"),
    "louhi/availability-rises-to": (128, "KiB"),
    "murska/availability-drops-from": (16, "KiB"),
    "murska/availability-drops-to": (32, "KiB"),
    "louhi/bandwidth-still-rising": (4, "MiB"),
    "louhi/procurement": (10, "MEUR"),
    "louhi-full/peak": (102.2, "TFLOP/s"),
    "louhi-full/hpl": (76.5, "TFLOP/s"),
    "louhi-full/cores-xt4": (4048, "cores"),
    "louhi-full/cores-xt5": (6816, "cores"),
    "louhi-full/nodes-xt4": (1012, "nodes"),
    "louhi-full/nodes-xt5": (852, "nodes"),
}


@pytest.mark.parametrize(("name", "printed"), PRINTED.items())
def test_a_figure_is_as_printed(name: str, printed: tuple[float, str]) -> None:
    assert VALUES[name] == pytest.approx(printed[0])
    assert UNITS[name] == printed[1]


def test_the_final_machine_is_the_sum_of_its_halves() -> None:
    counts = MACHINES["louhi-full"].counts
    for count, what in ((counts.nodes, "nodes"), (counts.cores, "cores")):
        assert count == VALUES[f"louhi-full/{what}-xt4"] + VALUES[f"louhi-full/{what}-xt5"]


def test_links_are_in_bits_on_one_machine_and_in_bytes_on_the_other() -> None:
    (seastar,) = MACHINES["louhi"].links
    down, up = MACHINES["murska"].links
    assert link_rate(seastar) == (7.6e9, LINK_BYTES_UNSTATED)
    assert link_rate(down) == (16e9, LINK_BITS_UNSTATED)
    assert link_rate(up) == (8e9, LINK_BITS_UNSTATED)


def test_both_machines_can_be_compared_by_what_they_have_in_common() -> None:
    louhi, murska = (
        {(one.point.benchmark, one.metric) for one in published_results(name).estimates}
        for name in ("louhi", "murska")
    )
    assert louhi & murska == {
        ("workload.peak", "floating_point_rate"),
        ("workload.gromacs", "tasks_where_strong_scaling_stops"),
        ("workload.gromacs", "tasks_from_which_mpi_time_grows"),
    }


@pytest.mark.parametrize(("name", "cores"), [("louhi", 2024), ("murska", 2048)])
def test_a_peak_is_of_every_core(name: str, cores: int) -> None:
    known = published_results(name)
    (peak,) = (one for one in known.estimates if one.point.benchmark == "workload.peak")
    assert peak.point.layout.ranks == known.parts.cores == cores
