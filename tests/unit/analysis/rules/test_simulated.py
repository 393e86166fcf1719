"""What answers rest on that a model states: never tested, never surer than its error band."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.analysis.rules.trial import points_between, ratio_of
from machmeter.model.layout import Binding, Layout, ProgressMode
from machmeter.model.plan.question import BetterRule, FlatRule, Question, Selector
from machmeter.model.results.comparison import ComparisonVerdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.finding import AnswerStatus, Confidence
from machmeter.model.twin import ErrorBand
from machmeter.simulation.bands import with_band
from tests.support.made_up.estimates import made_up
from tests.support.made_up.twins import made_up_twin
from tests.support.questions import finding

PAIRS = Question(
    text="Are neighbors faster?",
    benchmark="network.pairs",
    metric="latency",
    rule=BetterRule(
        Selector(layout={"binding": Binding.CLOSE}),
        Selector(layout={"binding": Binding.SPREAD}),
        yes="place them together",
        no="spread them",
        same="place them anywhere",
    ),
)


def simulated(one: Estimate, share: float | None) -> Estimate:
    """As a model states it: one value, with the band of its benchmark."""
    alone = replace(
        one, launches=1, launch_values=one.launch_values[:1], launch_numbers=(1,), rounds=(1,)
    )
    bands = () if share is None else (ErrorBand(one.point.benchmark, share, "made up"),)
    return with_band(alone, made_up_twin(*bands))


def latency(binding: Binding, value: float, share: float | None) -> Estimate:
    layout = Layout(nodes=2, ranks_per_node=4, binding=binding)
    parameters = {"size": 8, "definition": "classic"}
    return simulated(made_up("network.pairs", parameters, layout, "latency", value), share)


def both(share: float | None, ratio: float = 1.5) -> tuple[Estimate, Estimate]:
    return latency(Binding.CLOSE, 1e-6, share), latency(Binding.SPREAD, ratio * 1e-6, share)


def test_an_answer_within_the_band_is_simulated_and_no_surer() -> None:
    found = finding(PAIRS, both(0.1))
    assert (found.status, found.confidence) == (AnswerStatus.DECIDED, Confidence.SIMULATED)
    assert any("simulated on 2" in text for text in found.sensitivity)


def test_a_band_that_allows_both_answers_decides_nothing() -> None:
    found = finding(PAIRS, both(0.3))
    assert found.status is AnswerStatus.INCONCLUSIVE


def test_an_unknown_error_leaves_what_the_model_states() -> None:
    found = finding(PAIRS, both(None))
    assert (found.status, found.confidence) == (AnswerStatus.DECIDED, Confidence.SIMULATED)


def test_bands_of_both_sides_add_up() -> None:
    close, spread = both(0.1)
    ratio = ratio_of(close, spread)
    value = spread.value / close.value
    assert (ratio.low, ratio.high) == pytest.approx((value / 1.21, value * 1.21))
    assert ratio.verdict is ComparisonVerdict.FASTER


def test_differences_of_shares_have_the_bands_of_both() -> None:
    def available(progress: ProgressMode, value: float, share: float) -> Estimate:
        layout = Layout(nodes=2, progress=progress)
        parameters = {"size": 8, "side": "send"}
        one = made_up("network.availability", parameters, layout, "availability", value)
        return simulated(one, share)

    thread, library = (ProgressMode.THREAD, ProgressMode.LIBRARY)
    near = points_between(available(thread, 0.6, 0.1), available(library, 0.5, 0.1))
    assert near.verdict is ComparisonVerdict.INCONCLUSIVE
    far = points_between(available(thread, 0.9, 0.1), available(library, 0.5, 0.1))
    assert far.verdict is ComparisonVerdict.FASTER


def test_a_curve_is_followed_as_the_model_states_it() -> None:
    flat = Question(
        text="From where on is it flat?",
        benchmark="network.bandwidth",
        metric="bandwidth_one_way",
        rule=FlatRule(Selector({"direction": "one-way"}), "size", flat="that large"),
    )
    rates = {2**10: 1e9, 2**14: 5e9, 2**18: 9.9e9, 2**20: 1e10, 2**22: 1e10}
    found = finding(
        flat,
        [
            simulated(
                made_up(
                    "network.bandwidth",
                    {"size": size, "direction": "one-way", "window": 64, "buffers": "hot"},
                    Layout(nodes=2),
                    "bandwidth_one_way",
                    rate,
                ),
                0.1,
            )
            for size, rate in rates.items()
        ],
    )
    assert (found.status, found.confidence) == (AnswerStatus.DECIDED, Confidence.SIMULATED)
