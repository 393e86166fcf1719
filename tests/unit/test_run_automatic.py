"""Values of `auto` that come from topology, memory and budget."""

from __future__ import annotations

import pytest
from fake_launcher import GIB, MIB, synthetic_machine
from msgspec.structs import replace
from sysfs_tree import Shape

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.model.benchmark import AUTO
from machmeter.run.automatic import MOST_PAIRS, automatic_values, timeline_seconds
from machmeter.run.sizing import NO_SIZES, choose_sizes


def test_every_automatic_parameter_of_the_catalogue_gets_values_it_can_take() -> None:
    for shape in (Shape(1, 1, 2, 1), Shape(2, 2, 8, 2)):
        machine = synthetic_machine(shape)
        values = automatic_values(machine, choose_sizes(machine, ()), 110).values
        for benchmark in BENCHMARKS:
            for parameter in benchmark.parameters:
                if parameter.values == (AUTO,):
                    chosen = values[benchmark.name][parameter.name]
                    assert chosen
                    assert not any(parameter.refusal(value) for value in chosen)


def test_pairs_cover_two_cores_and_stay_few_on_a_large_machine() -> None:
    small = automatic_values(synthetic_machine(), NO_SIZES, 110).values
    assert small["memory.pages"]["pair"] == ("0-0", "0-1", "1-0", "1-1")
    assert small["threads.pairs"]["pair"] == ("0-1",)
    assert small["memory.matrix"]["pair"] == ("0-0",)
    large = automatic_values(synthetic_machine(Shape(2, 4, 16, 2)), NO_SIZES, 110).values
    assert len(large["memory.pages"]["pair"]) == MOST_PAIRS
    assert len(large["threads.pairs"]["pair"]) == MOST_PAIRS
    assert len(large["memory.matrix"]["pair"]) == 64


@pytest.mark.parametrize(("budget", "seconds"), [(10, 2), (110, 3), (600, 20), (36000, 60)])
def test_a_time_series_takes_a_thirtieth_of_the_budget(budget: float, seconds: int) -> None:
    assert timeline_seconds(budget) == seconds


def test_derivatives_are_one_a_domain_full_and_two_waves_and_one() -> None:
    machine = synthetic_machine(Shape(2, 2, 4, 1))
    values = automatic_values(machine, NO_SIZES, 110).values
    assert values["apps.heatflow"]["derivatives"] == (1, 4, 33)


def test_what_is_allocated_stays_within_memory() -> None:
    machine = synthetic_machine(Shape(2, 4, 16, 2), available=GIB)
    (size,) = automatic_values(machine, NO_SIZES, 110).values["memory.allocation"]["size"]
    assert size == GIB // 4


def test_page_kinds_that_the_machine_lacks_are_said() -> None:
    machine = synthetic_machine()
    empty_pool = replace(machine.memory, hugetlb_free={str(2 * MIB): 0})
    automatic = automatic_values(replace(machine, memory=empty_pool), NO_SIZES, 110)
    kinds = automatic.values["memory.allocation"]["pages"]
    assert kinds == ("base", "transparent")
    lacking = {skipped.what: skipped.reason for skipped in automatic.skipped}
    assert "nr_hugepages" in lacking["memory.allocation with pages=hugetlb-2m"]
