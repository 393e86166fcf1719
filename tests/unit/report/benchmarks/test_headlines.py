from collections import Counter

import pytest
from msgspec.structs import replace

from machmeter.analysis.stats.fields import value_of, where
from machmeter.model.benchmark import Direction
from machmeter.model.layout import Layout
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.model.units import UNBOUNDED
from machmeter.report.benchmarks.groups.memory import level_tables
from machmeter.report.benchmarks.headlines import headline_results, in_turns
from machmeter.report.benchmarks.limits import limits
from machmeter.report.benchmarks.section import section_of
from machmeter.report.benchmarks.selection import best, estimates_of, plain_choices
from machmeter.report.views.tables import drift_table
from tests.support.made_up.estimates import made_up
from tests.support.synthetic.runs import NAMES, run

RUN = run("quick")


def test_best_follows_the_direction_of_the_metric() -> None:
    some = estimates_of(RUN, "network.latency")
    lowest, highest = min(e.value for e in some), max(e.value for e in some)
    found = best(some)
    assert found is not None
    assert found.value == lowest
    turned = best([replace(e, direction=Direction.HIGHER) for e in some])
    assert turned is not None
    assert turned.value == highest


def test_unresolved_figures_are_never_the_best() -> None:
    assert best([replace(e, resolved=False) for e in RUN.estimates]) is None


@pytest.mark.parametrize("name", NAMES)
def test_every_benchmark_has_one_to_three_headlines(name: str) -> None:
    shown = Counter(
        (f.estimate.point.benchmark, f.estimate.point.variant.mpi)
        for f in headline_results(run(name))
    )
    assert shown.keys() == {(e.point.benchmark, e.point.variant.mpi) for e in run(name).estimates}
    assert all(1 <= count <= 4 for count in shown.values())


@pytest.mark.parametrize("name", ["scalemp", "cluster"])
def test_nothing_resolved_breaks_no_headline(name: str) -> None:
    lost = tuple(replace(e, resolved=False) for e in run(name).estimates)
    unknown = replace(run(name), estimates=lost)
    assert all(not f.estimate.resolved for f in headline_results(unknown))
    assert {limit.title.split(",")[0] for limit in limits(unknown)} <= {"Levels", "Last cache"}


def test_a_small_message_is_told_for_each_library() -> None:
    cluster = run("cluster")
    libraries = {"mpich": "MPICH Version: 5.0.2", "openmpi": "Open MPI v5.0.11, package"}
    every = headline_results(replace(cluster, mpi_libraries=libraries))
    shown = [f for f in every if f.subject == "MPI latency, 8 B"]
    assert [f.title for f in shown] == [
        "MPI latency, 8 B (MPICH 5.0.2)",
        "MPI latency, 8 B (Open MPI v5.0.11)",
    ]
    assert every.index(shown[1]) == every.index(shown[0]) + 1
    assert [f.label for f in shown] == ["2 ranks, mpich", "2 ranks, openmpi"]
    requested = [f.title for f in headline_results(cluster) if f.subject == "MPI latency, 8 B"]
    assert requested == ["MPI latency, 8 B (mpich)", "MPI latency, 8 B (openmpi)"]
    assert {value_of(f.estimate, "way") for f in shown} == {"blocking"}


def test_every_device_has_its_own_bandwidth() -> None:
    def measured(layout: Layout, value: float) -> Estimate:
        return made_up("device.stream", {"size": 2**28}, layout, "triad_bandwidth", value)

    devices = (measured(Layout(device="opencl:0"), 2e10), measured(Layout(device="opencl:1"), 9e11))
    shown = headline_results(replace(RUN, estimates=devices))
    assert [one.estimate for one in shown] == list(devices)
    assert [one.label.rsplit(", ", 1)[1] for one in shown] == [
        "device opencl:0",
        "device opencl:1",
    ]
    # Where none is named, nothing is said of one.
    (alone,) = headline_results(replace(RUN, estimates=(measured(Layout(), 2e10),)))
    assert "device" not in alone.label


def test_both_liquids_of_a_device_are_shown() -> None:
    def measured(case: str, cells: int, value: float) -> Estimate:
        parameters = {"case": case, "cells": cells, "steps": 100}
        return made_up("device.liquid", parameters, Layout(), "rate", value)

    largest = (measured("melt", 20, 5e7), measured("liquid", 20, 6e7))
    shown = headline_results(replace(RUN, estimates=(*largest, measured("melt", 6, 1e6))))
    assert [(one.title, one.estimate) for one in shown] == [
        ("Lennard-Jones liquid on a device, melt", largest[0]),
        ("Lennard-Jones liquid on a device, liquid", largest[1]),
    ]


def test_what_no_mpi_measured_names_no_library() -> None:
    known = replace(RUN, mpi_libraries={"": "MPICH Version: 5.0.2"})
    with_library = {f.estimate.point.benchmark for f in headline_results(known) if f.mpi_library}
    assert with_library == {"network.latency", "network.bandwidth", "network.overlap"}


def test_the_best_is_never_taken_over_libraries() -> None:
    cluster = run("cluster")
    for one in headline_results(cluster):
        variant = one.estimate.point.variant
        of_one = tuple(e for e in cluster.estimates if e.point.variant == variant)
        alone = replace(cluster, estimates=of_one)
        assert one.estimate in [f.estimate for f in headline_results(alone)]


def test_a_second_library_has_its_turn_before_a_second_result() -> None:
    every = headline_results(run("cluster"))
    of_latency = [
        every[position].title
        for position in in_turns(every)
        if every[position].estimate.point.benchmark == "network.latency"
    ]
    assert of_latency[:2] == ["MPI latency, 8 B (mpich)", "MPI latency, 8 B (openmpi)"]
    assert sorted(in_turns(every)) == list(range(len(every)))


def test_the_slowest_pair_is_told_by_the_names_of_its_nodes() -> None:
    figures = {f.title: f for f in headline_results(run("cluster"))}
    assert "n4" in figures["Slowest pair of nodes"].label
    assert "n4" not in figures["Fastest pair of nodes"].label


def test_pairs_on_one_host_are_of_ranks_and_one_pair_is_not_the_slowest() -> None:
    laptop = run("laptop")
    assert len(set(laptop.rank_hosts)) == 1
    every = [e for e in laptop.estimates if e.point.benchmark == "network.consistency"]
    titles = [
        [f.title for f in headline_results(replace(laptop, estimates=tuple(some)))]
        for some in (every, [e for e in every if e.point.parameters == every[0].point.parameters])
    ]
    assert titles == [["Slowest pair of ranks", "Fastest pair of ranks"], ["Pair of ranks"]]


def test_headlines_name_unbound_threads_as_layouts_do() -> None:
    titles = {f.title for f in headline_results(run("scalemp"))}
    assert {"Triad over time, close", "Triad over time, unbound"} <= titles


def test_the_size_of_first_messages_says_nothing_of_startup() -> None:
    labels = {f.title: f.label for f in headline_results(run("laptop"))}
    assert labels["MPI_Init"] == labels["Memory of a rank"] == "16 ranks, oversubscribed"


@pytest.mark.parametrize("mpi", ["mpich", "openmpi"])
def test_rate_of_many_is_compared_under_the_layout_of_one(mpi: str) -> None:
    cluster = run("cluster")
    (limit,) = (found for found in limits(cluster) if found.title == f"Messages of 8 B ({mpi})")
    plain = plain_choices(where(estimates_of(cluster, "network.latency"), "mpi", mpi))
    latency = best(where(plain, "size", 8))
    assert latency is not None
    rates = where(estimates_of(cluster, "network.bandwidth", "message_rate"), "mpi", mpi)
    same_layout = [e for e in where(rates, "size", 8) if e.point.layout == latency.point.layout]
    fastest = best(same_layout)
    assert fastest is not None
    assert f"{fastest.value * latency.value:.2f}x" in limit.text


def test_nearest_and_farthest_places_are_headlines() -> None:
    titles = [f.title for f in headline_results(run("scalemp"))]
    assert "Page visit, same CPU" in titles
    assert "Page visit, same machine" in titles
    assert "Memory latency, own domain" in titles


def test_domains_and_products_stand_against_the_machine() -> None:
    found = {limit.title: limit.text for limit in limits(run("scalemp"))}
    assert "x the latency of own domain" in found["Farthest memory (same machine, distance 32)"]
    assert "power-law" in found["Sparse product over read sweep"]


def test_unknown_benchmark_has_its_best_first_metric_as_headline() -> None:
    renamed = tuple(
        replace(e, point=replace(e.point, benchmark="device.unknown"))
        for e in estimates_of(RUN, "network.latency")
    )
    (figure,) = headline_results(replace(RUN, estimates=renamed))
    assert figure.title == "device.unknown, Latency, one way"
    assert figure.estimate.value == min(e.value for e in renamed)


def test_the_best_triad_is_taken_at_any_number_of_threads() -> None:
    triads = [
        e
        for e in estimates_of(RUN, "memory.stream", "stream_bandwidth")
        if value_of(e, "kernel") == "triad"
    ]
    assert headline_results(RUN)[0].estimate == best(triads)
    alone = next(e for e in triads if e.point.layout.threads == 1)
    faster = replace(alone, value=10 * alone.value)
    others = tuple(faster if e is alone else e for e in RUN.estimates)
    first = headline_results(replace(RUN, estimates=others))[0]
    assert (first.title, first.estimate) == ("Memory bandwidth, triad", faster)


def test_shares_of_the_best_seen_reach_but_do_not_pass_100_percent() -> None:
    (shares,) = (limit.text for limit in limits(RUN) if limit.title.startswith("Fraction of peak"))
    numbers = [int(part.split()[-2]) for part in shares.split(", ")]
    assert max(numbers) == 100
    assert len(numbers) == 7


def test_levels_carry_their_intervals() -> None:
    levels = [limit for limit in limits(RUN) if limit.title.startswith("Levels")]
    assert len(levels) == 2
    assert "L1 48 KiB: 1.30 ns [1.28, 1.32]; L2 2 MiB: 4.60" in levels[0].text
    assert "; level 3, to 12 MiB: 35.0 ns" in levels[0].text
    assert levels[0].short.startswith("L1 48 KiB 1.30 ns, L2 2 MiB 4.60 ns, to 12 MiB 35.0 ns, ")


def test_run_without_estimates_has_neither_figures_nor_limits() -> None:
    empty = replace(RUN, estimates=(), knees={})
    assert headline_results(empty) == ()
    assert limits(empty) == ()


def test_levels_and_drift_of_one_launch_have_no_interval() -> None:
    alone = make_run_of_one_launch()
    assert all("(no CI)" in limit.text for limit in limits(alone) if "Level" in limit.title)
    (levels,) = level_tables(section_of(alone, "memory.latency"))
    assert len(levels.rows) == 8
    assert [row[-1] for row in drift_table(alone).rows] == ["no CI"] * 2
    assert max(len(cell) for row in drift_table(alone).rows for cell in row) < 20


def make_run_of_one_launch() -> RunResult:
    knees = {
        pages: tuple(replace(k, low_seconds=0.0, high_seconds=UNBOUNDED) for k in found)
        for pages, found in RUN.knees.items()
    }
    drift = tuple(replace(d, low=0.0, high=UNBOUNDED) for d in RUN.drift)
    return replace(RUN, knees=knees, drift=drift)
