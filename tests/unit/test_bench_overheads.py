from bench.comparisons.overheads import OURS, counted_rows
from bench.rounds import Measured
from bench.verdicts import Holds


def measured(ours: dict[str, tuple[float, ...]], theirs: dict[str, tuple[float, ...]]) -> Measured:
    def by_round(values: tuple[float, ...]) -> dict[int, float]:
        return dict(enumerate(values, start=1))

    figures = {OURS: {construct: by_round(values) for construct, values in ours.items()}}
    for construct, values in theirs.items():
        figures[f"syncbench {construct}"] = {"overhead": by_round(values)}
    return Measured(figures, {}, rounds=3)


def test_raw_launches_below_zero_are_counted_on_both_sides_alike() -> None:
    values = {"parallel": (1e-6, 1.1e-6, 1e-6), "single": (-1e-9, 2e-9, -1e-9)}
    below, _ = counted_rows(measured(values, values))
    assert (below.ours, below.peer) == ("2 of 6", "2 of 6")
    assert below.holds is Holds.MISSED


def test_no_launch_below_zero_passes() -> None:
    below, _ = counted_rows(measured({"for": (1e-6, 2e-6)}, {"for": (1e-6, -1e-6)}))
    assert (below.ours, below.peer) == ("0 of 2", "1 of 2")
    assert below.holds is Holds.PASS


def test_a_construct_is_told_from_zero_by_the_interval_over_launches_on_both_sides() -> None:
    steady, torn = (1e-6, 1.1e-6, 0.9e-6), (1e-6, -2e-6, 1.5e-6)
    _, untold = counted_rows(
        measured({"for": steady, "single": torn}, {"for": torn, "single": torn})
    )
    assert (untold.ours, untold.peer) == ("1 of 2", "2 of 2")


def test_without_figures_of_one_side_there_is_nothing_to_count() -> None:
    assert counted_rows(measured({"for": (1e-6,)}, {})) == []
