"""Scores: the numbers that were printed, both uncertainties, and what must be there for one."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.analysis.matching.compare_machines import compare_machines
from machmeter.analysis.scores.components import ratio_components, speedups, ssp_rates
from machmeter.analysis.scores.scores import (
    Component,
    ScoreKind,
    ScoreUse,
    component_bounds,
    geometric_score,
    ssi_components,
    ssp,
    ssp_rate,
    throughput_components,
    too_slow_for_ssi,
    utilization,
)
from machmeter.model.benchmark import Direction
from machmeter.model.layout import Layout
from machmeter.model.origin import Origin
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults, Parts
from machmeter.model.units import FLOPS, UNBOUNDED
from machmeter.published.machine import published_results
from tests.support.made_up.estimates import made_up
from tests.support.made_up.named_machines import code, machine, printed, stating

# NERSC-8's own table for Hopper: reference operations in TFLOP, seconds, rate as printed in TF/s.
HOPPER = {
    "minife": (1065, 92.4, 0.00563),
    "minighost": (3350, 96.0, 0.0170),
    "amg": (1365, 151, 0.00441),
    "umt": (18409, 1263, 0.00712),
}


def components(*values: float, variance: float = 0.0, printed: bool = True) -> list[Component]:
    return [Component(f"code{n}", v, variance, 9.0, printed) for n, v in enumerate(values)]


@pytest.mark.parametrize("name", HOPPER)
def test_ssp_rates_are_those_that_nersc_printed(name: str) -> None:
    tflop, seconds, printed = HOPPER[name]
    assert ssp_rate(tflop * 1e12, seconds, 2048) / 1e12 == pytest.approx(printed, rel=0.005)


def test_ssp_of_hopper_from_its_published_figures() -> None:
    (rates,) = ssp_rates([published_results("hopper")])
    assert {one.name for one in rates.found} >= set(HOPPER)
    kept = [one for one in rates.found if one.name in HOPPER]
    score = ssp(kept, 6384, "hopper")
    # By hand from the printed rates: (0.00563 x 0.0170 x 0.00441 x 0.00712)^(1/4) x 6384 nodes.
    by_hand = math.prod(row[2] for row in HOPPER.values()) ** 0.25 * 6384
    assert score.value / 1e12 == pytest.approx(by_hand, rel=0.005)
    assert score.as_printed
    assert (score.low, score.high) == (0.0, UNBOUNDED)


def test_a_spec_like_ratio_is_that_of_the_printed_scores() -> None:
    # 10.4 and 7.01 are themselves geometric means of the same 14 codes: their ratio is the score's.
    found = geometric_score(
        ScoreKind.SPEC, components(10.4 / 7.01), machine="echo", reference="uv1000"
    )
    assert found.value == pytest.approx(1.48, abs=0.005)
    nine = geometric_score(
        ScoreKind.SPEC,
        components(7.65 / 7.44),
        machine="echo",
        reference="uv1000",
        missing=["five codes"],
        adjusted=True,
    )
    assert nine.value == pytest.approx(1.028, abs=0.0005)
    assert nine.adjusted


def test_no_base_score_without_every_code_and_no_score_without_any() -> None:
    with pytest.raises(ValueError, match="no base score without lbm"):
        geometric_score(ScoreKind.SPEC, components(1.0), machine="a", missing=["lbm"])
    with pytest.raises(ValueError, match="at least one component"):
        geometric_score(ScoreKind.SPEC, [], machine="a")
    with pytest.raises(ValueError, match="above 0"):
        geometric_score(ScoreKind.SPEC, components(0.0), machine="a")


@given(st.lists(st.floats(0.1, 10), min_size=2, max_size=12), st.floats(0.1, 10))
def test_a_score_does_not_depend_on_the_reference(ratios: list[float], other: float) -> None:
    one = geometric_score(ScoreKind.SPEC, components(*ratios), machine="a")
    scaled = geometric_score(ScoreKind.SPEC, components(*(r * other for r in ratios)), machine="a")
    assert scaled.value / one.value == pytest.approx(other)
    assert one.workload_low <= one.value * (1 + 1e-12)
    assert one.workload_high >= one.value * (1 - 1e-12)


def test_measurement_and_workload_are_told_apart() -> None:
    alike = geometric_score(
        ScoreKind.SPEC, components(2.0, 2.0, 2.0, variance=1e-2, printed=False), machine="a"
    )
    apart = geometric_score(
        ScoreKind.SPEC, components(1.0, 2.0, 4.0, variance=1e-6, printed=False), machine="a"
    )
    assert alike.workload_high / alike.workload_low == pytest.approx(1)
    assert alike.high / alike.low > 1.1
    assert apart.high / apart.low < 1.01
    # Student's t of three logs 0, ln 2, 2 ln 2: half width 4.3027 x ln 2 / sqrt 3.
    assert apart.workload_high == pytest.approx(
        2 * math.exp(4.3027 * math.log(2) / 3**0.5), rel=1e-4
    )


def test_the_measurement_interval_holds_the_true_score_as_often_as_it_says() -> None:
    draw, held = random.Random(5), 0
    truth = (1.5, 0.8, 2.0)
    for _ in range(400):
        found = []
        for number, value in enumerate(truth):
            logs = [math.log(value) + draw.gauss(0, 0.05) for _ in range(8)]
            mean = sum(logs) / 8
            variance = sum((x - mean) ** 2 for x in logs) / 7 / 8
            by_round = ((dict(enumerate(logs)),),)
            found.append(
                Component(f"code{number}", math.exp(mean), variance, 7.0, by_round=by_round)
            )
        score = geometric_score(ScoreKind.SPEC, found, machine="a")
        held += score.low <= math.prod(truth) ** (1 / 3) <= score.high
    assert 0.92 <= held / 400 <= 0.98


def test_the_interval_of_a_component_is_that_of_its_log() -> None:
    # Student's t with 9 degrees: 2.2622 standard errors of 0.1.
    low, high = component_bounds(Component("x", 2.0, 0.01, 9.0))
    assert (low, high) == pytest.approx((2 * math.exp(-0.22622), 2 * math.exp(0.22622)), rel=1e-4)
    assert component_bounds(Component("x", 2.0, as_printed=True)) == (0.0, UNBOUNDED)


def test_a_component_of_one_comparison_has_the_interval_of_its_ratio_and_says_whence() -> None:
    sides = [
        machine(
            name,
            made_up(
                "sparse.spmv", {"matrix": "banded", "schedule": "static"}, Layout(), "flops", *of
            ),
        )
        for name, of in (("a", (2e9, 0.02)), ("b", (3e9, 0.01)))
    ]
    compared = compare_machines(sides[0], sides[1])
    (component,) = ratio_components(sides[0], compared, every=True).found
    ratio = compared.results[0].by["as measured"]
    assert component_bounds(component) == pytest.approx((ratio.low, ratio.high), rel=1e-6)
    assert component.sources == ("results of a", "results of b")


def test_speedups_say_where_their_figures_are_printed() -> None:
    gordon, comet = published_results("gordon"), published_results("comet")
    found, _ = speedups(gordon, comet)
    assert found.found
    for one in found.found:
        assert one.sources
        assert all("Tatineni" in source for source in one.sources)


def test_one_code_says_nothing_of_others() -> None:
    score = geometric_score(ScoreKind.SPEC, components(2.0), machine="a")
    assert (score.workload_low, score.workload_high) == (0.0, UNBOUNDED)


def test_utilization_rewards_fewer_nodes_and_larger_machines() -> None:
    assert utilization(ScoreUse(100, 1000), ScoreUse(50, 1000)) == pytest.approx(2)
    assert utilization(ScoreUse(100, 1000), ScoreUse(100, 3000)) == pytest.approx(3)
    with pytest.raises(ValueError, match="above 0"):
        utilization(ScoreUse(100, 1000), ScoreUse(0, 10))


def test_ssi_is_capability_times_utilization_times_speedup_by_weight() -> None:
    fast = [Component("a", 2.0, weight=1.0), Component("b", 8.0, weight=3.0)]
    uses = {name: (ScoreUse(10, 100), ScoreUse(5, 100)) for name in "ab"}
    terms = ssi_components(fast, uses, {"b": 4.0})
    assert [one.value for one in terms] == [4.0, 64.0]
    score = geometric_score(ScoreKind.SSI, terms, machine="m")
    assert score.value == pytest.approx((4.0 * 64.0**3) ** 0.25)
    plain = throughput_components(fast, uses)
    assert [one.value for one in plain] == [4.0, 16.0]
    assert too_slow_for_ssi([Component("slow", 0.5), Component("fast", 2.0)])[0].startswith("slow")


def test_equal_weights_are_student_and_unequal_ones_count_fewer_codes() -> None:
    equal = [Component(f"c{n}", v) for n, v in enumerate((1.0, 2.0, 4.0, 3.0))]
    heavy = [Component(c.name, c.value, weight=9.0 if c.name == "c1" else 1.0) for c in equal]
    one = geometric_score(ScoreKind.SSI, equal, machine="m")
    other = geometric_score(ScoreKind.SSI, heavy, machine="m")
    assert other.workload_high / other.workload_low > one.workload_high / one.workload_low


def test_a_code_with_many_figures_counts_once() -> None:
    def paper(name: str, *times: tuple[str, int, float]) -> tuple[Estimate, ...]:
        return tuple(code(n, t, Layout(ranks_per_node=r)) for n, r, t in times)

    a = machine("a", *paper("a", ("x", 8, 10.0), ("x", 16, 6.0), ("y", 8, 4.0), ("z", 8, 1.0)),
                origin=Origin.PUBLISHED)  # fmt: skip
    b = machine("b", *paper("b", ("x", 8, 5.0), ("x", 16, 6.0), ("y", 8, 1.0)),
                origin=Origin.PUBLISHED)  # fmt: skip
    found = ratio_components(a, compare_machines(a, b))
    assert {one.name: one.value for one in found.found} == pytest.approx({"x": 2**0.5, "y": 4.0})
    assert found.missing == ("z",)


def test_speedups_take_the_run_with_the_fewest_node_seconds() -> None:
    parts = Parts(nodes=10, cores=160)
    a = machine("a", code("x", 10.0, Layout(nodes=2, ranks_per_node=16)),
                code("x", 8.0, Layout(nodes=4, ranks_per_node=16)), parts=parts,
                origin=Origin.PUBLISHED)  # fmt: skip
    b = machine("b", code("x", 5.0, Layout(nodes=1, ranks_per_node=16)), parts=parts,
                origin=Origin.PUBLISHED)  # fmt: skip
    found, uses = speedups(a, b)
    assert found.found[0].value == pytest.approx(2.0)
    assert uses["x"] == (ScoreUse(2, 10), ScoreUse(1, 10))


def test_a_measured_rate_is_an_ssp_component_with_its_uncertainty() -> None:
    one = made_up(
        "sparse.spmv", {"matrix": "banded", "schedule": "static"}, Layout(threads_per_rank=2),
        "flops", 2e9, 0.02,
    )  # fmt: skip
    assert one.unit == FLOPS
    (((component,), _, _),) = ssp_rates([machine("m", one, parts=Parts(1, 2))])
    assert component.value == pytest.approx(2e9)
    assert 0 < component.log_variance < 1e-3
    assert not component.as_printed


def test_a_figure_that_does_not_say_how_many_nodes_it_is_of_is_no_component() -> None:
    parts = Parts(nodes=10, cores=160)
    stated = code("x", 10.0, Layout(nodes=2, ranks_per_node=16))
    silent = stating(replace(stated, point=replace(stated.point, layout=Layout())))
    a = machine("a", stated, code("y", 5.0), parts=parts, origin=Origin.PUBLISHED)
    b = machine("b", silent, code("y", 5.0), parts=parts, origin=Origin.PUBLISHED)
    for first, second in ((a, b), (b, a)):
        found, uses = speedups(first, second)
        assert [one.name for one in found.found] == list(uses) == ["y"]
        assert found.missing == ("x",)
        assert found.doubts == ("x: on how many nodes is not stated by b",)


def test_ranks_of_a_node_do_not_say_how_many_nodes() -> None:
    one = code("x", 10.0, Layout(ranks_per_node=16))
    parts = Parts(nodes=10, cores=160)
    unknown = stating(one, "ranks_per_node")
    a = machine("a", unknown, parts=parts, origin=Origin.PUBLISHED)
    assert speedups(a, a)[0].missing == ("x",)
    b = machine("b", one, parts=parts, origin=Origin.PUBLISHED)
    assert speedups(b, b)[0].missing == ()


def test_no_peak_of_a_whole_machine_is_taken_for_one_node() -> None:
    peak = code("peak", 102e12, unit=FLOPS, direction=Direction.HIGHER)
    silent = stating(peak)
    (rates,) = ssp_rates([machine("m", silent, parts=Parts(100), origin=Origin.PUBLISHED)])
    assert rates.found == ()
    assert rates.missing == ("peak",)
    (rates,) = ssp_rates([machine("m", peak, parts=Parts(100), origin=Origin.PUBLISHED)])
    assert [one.value for one in rates.found] == pytest.approx([102e12])
    assert rates.found[0].parts.endswith("on 1 node")


def test_a_setup_time_is_not_set_against_a_wall_time() -> None:
    wall, setup = code("x", 100.0), replace(code("x", 1.0), metric="setup_time")
    a = machine("a", wall, setup, parts=Parts(10, 100), origin=Origin.PUBLISHED)
    b = machine("b", code("x", 90.0), parts=Parts(10, 100), origin=Origin.PUBLISHED)
    found, _ = speedups(a, b)
    assert {one.name: one.value for one in found.found} == pytest.approx({"x, wall time": 100 / 90})
    assert found.missing == ("x, setup time",)


def test_a_rate_of_another_problem_is_another_component_of_ssp() -> None:
    def own(name: str, problem: str, tflop: int) -> MachineResults:
        parameters = {"problem": problem, "reference_tflop": tflop}
        figure = code("x", 100.0, parameters=parameters)  # type: ignore[arg-type]
        return machine(name, figure, parts=Parts(10, 100), origin=Origin.PUBLISHED)

    small, large = ssp_rates([own("a", "small", 5), own("b", "large", 500)])
    assert small.found[0].name != large.found[0].name
    one, other = ssp_rates([own("a", "small", 5), own("b", "small", 5)])
    assert one.found == other.found


@pytest.mark.parametrize("tflop", ["abc", -5, 10**400])
def test_what_is_no_number_of_operations_gives_no_rate(tflop: int | str) -> None:
    figure = code("x", 100.0, parameters={"reference_tflop": tflop})
    (rates,) = ssp_rates([machine("m", figure, parts=Parts(10))])
    assert (rates.found, rates.missing) == ((), ())


def test_the_fewest_core_seconds_count_where_nodes_are_not_known() -> None:
    def of(name: str, alone: float, wide: float) -> MachineResults:
        figures = (code("x", alone), code("x", wide, Layout(threads_per_rank=16)))
        return machine(name, *figures, parts=Parts(cores=64), origin=Origin.PUBLISHED)

    found, uses = speedups(of("a", 100.0, 50.0), of("b", 100.0, 10.0))
    assert found.found[0].value == pytest.approx(1.0)
    assert uses["x"] == (ScoreUse(1, 64), ScoreUse(1, 64))


def test_what_has_no_ratio_does_not_count_as_equal() -> None:
    def overhead(construct: str, value: float) -> Estimate:
        layout = Layout(threads_per_rank=2)
        return made_up("threads.sync", {"construct": construct}, layout, "overhead", value)

    fine = overhead("parallel", 1e-6), overhead("parallel", 1e-5)
    wide = replace(overhead("for", 1e-5), low=-1e-5)
    below = printed(replace(overhead("for", 1e-5), value=-1e-5))
    for odd in (wide, below):
        a = machine("a", fine[0], overhead("for", 1e-6))
        b = machine("b", fine[1], odd)
        found = ratio_components(a, compare_machines(a, b), every=True)
        assert found.found[0].value == pytest.approx(0.1, rel=1e-6)
        assert "1 of 2 results left out" in found.doubts[0]
        assert found.missing == ()
