"""A described application as a benchmark."""

from __future__ import annotations

import pytest

from machmeter.apps.benchmark import benchmark_of
from machmeter.benchmarks.programs import USER_PROCESS, USER_RANKS
from machmeter.model.benchmark import Benchmark, Direction, Formula, RankSweep, ThreadSweep
from machmeter.model.plan.description import Description, Figure
from machmeter.model.units import SECONDS, format_value


def benchmark(*figures: Figure, threads: bool | None = None, of_ranks: bool = False) -> Benchmark:
    description = Description(
        name="md", title="MD", command=("md",), figures=figures, threads=threads
    )
    return benchmark_of(description, of_ranks=of_ranks)


RATE = Figure(name="rate", unit="ns/day", better="higher", pattern="(a)")
PART = Figure(name="fft_time", unit="s", better="lower", pattern="(a)")


def test_its_figures_are_metrics_before_the_wall_time() -> None:
    made = benchmark(RATE, PART)
    assert made.name == "app.md"
    assert [one.name for one in made.metrics] == ["rate", "fft_time", "wall"]
    assert [one.primary for one in made.metrics] == [True, False, False]
    assert [one.amount for one in made.metrics] == ["rate", "fft_time", ""]
    assert made.metrics[0].formula is Formula.AMOUNT
    assert [one.direction for one in made.metrics[:2]] == [Direction.HIGHER, Direction.LOWER]


def test_without_figures_the_wall_time_is_the_result() -> None:
    (wall,) = benchmark().metrics
    assert wall.primary


def test_values_are_printed_in_the_unit_of_the_description() -> None:
    rate, part, _ = benchmark(RATE, PART).metrics
    assert format_value(12_345.0, rate.unit) == "12345 ns/day"
    assert part.unit == SECONDS


@pytest.mark.parametrize("of_ranks", [True, False])
def test_an_mpi_starts_it_or_not(*, of_ranks: bool) -> None:
    made = benchmark(RATE, of_ranks=of_ranks)
    assert made.program is (USER_RANKS if of_ranks else USER_PROCESS)
    assert (made.ranks is RankSweep.EVERY) is of_ranks


@pytest.mark.parametrize("threads", [None, True, False])
def test_a_program_without_threads_has_one(threads: bool | None) -> None:
    swept = benchmark(RATE, threads=threads).threads
    assert (swept is ThreadSweep.ONE) is (threads is False)


def test_a_figure_is_named_with_its_application_unless_the_command_was_typed() -> None:
    assert benchmark(RATE).metrics[0].title == "MD: rate"
    described = Description(name="md", title="MD", command=("md",), figures=(PART,))
    assert benchmark_of(described, of_ranks=False, typed=True).metrics[0].title == "Fft time"
