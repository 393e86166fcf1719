import pytest

from bench.comparisons.latency import page_sizes
from bench.ours import Statistic, one_point, time_of
from machmeter.benchmarks.network.messages import LATENCY
from machmeter.model.layout import Layout
from machmeter.model.machine import Memory


def test_the_best_of_nine_leaves_the_first_out_and_takes_no_more_than_nine() -> None:
    samples = (0.5, *(2.0 + number for number in range(9)), 1.0)
    assert time_of(samples, Statistic.BEST_OF_NINE) == 2.0
    assert time_of(samples, Statistic.BEST) == 0.5


def test_the_mean_takes_all_samples() -> None:
    assert time_of((1.0, 2.0, 6.0), Statistic.MEAN) == 3.0


def test_a_launch_without_a_sample_left_is_refused() -> None:
    with pytest.raises(ValueError, match="no sample left"):
        time_of((1.0,), Statistic.BEST_OF_NINE)


@pytest.mark.parametrize(
    ("setting", "expected"),
    [("never", (65536,)), ("always", (2**29,)), ("madvise", (65536, 2**29))],
)
def test_pages_compared_are_those_of_the_machine(setting: str, expected: tuple[int, ...]) -> None:
    memory = Memory(
        total_bytes=2**36,
        available_bytes=2**35,
        limit_bytes=0,
        base_page_bytes=65536,
        huge_page_bytes=2**29,
        transparent_huge_pages=setting,
        huge_pages_free=0,
    )
    assert page_sizes(memory) == expected


def test_parameters_left_out_of_a_point_are_plain() -> None:
    layout = Layout(ranks_per_node=2)
    spec = one_point(LATENCY.name, {"size": 64}, layout, samples=1, seconds=1.0, name="x")
    given = dict(spec.points[0].parameters)
    assert set(given) == {parameter.name for parameter in LATENCY.parameters}
    assert (given["size"], given["pattern"], given["way"]) == (64, "ping-pong", "blocking")
