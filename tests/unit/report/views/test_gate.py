"""The gate of an A/B run: fails with the worst regression, passes with what is nearest to it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.cli.commands.run import RunFailOn, exit_code_for
from machmeter.model.benchmark import Direction
from machmeter.model.results.machine_comparison import Basis, RelativeStanding
from machmeter.model.results.run import RunResult
from machmeter.report.drawing.row_plot import Shape
from machmeter.report.pages.ratio_rows import gate_plot
from machmeter.report.pages.run import render_brief
from machmeter.report.views.gate import GATE, Gate, gate_of, has_pairs, pair_ratios
from machmeter.run.results.result import collect
from tests.support.documents.page_outline import Outline
from tests.support.made_up.ab_runs import launcher, measured, two_sided


def _run(tmp_path_factory: pytest.TempPathFactory, factor: float) -> RunResult:
    return collect(measured(two_sided(tmp_path_factory.mktemp("gate") / "run"), launcher(factor)))


@pytest.fixture(scope="module")
def slower(tmp_path_factory: pytest.TempPathFactory) -> RunResult:
    return _run(tmp_path_factory, 0.8)


def gate(result: RunResult) -> Gate:
    found = gate_of(result)
    assert found
    return found


def test_a_regression_fails_and_is_named_with_its_value_and_its_pairs(slower: RunResult) -> None:
    found = gate(slower)
    assert not found.passed
    assert found.verdict.startswith("Fails the gate: ")
    assert " % slower" in found.verdict
    assert "pairs of launches, baseline and candidate in turn: " in found.consequence
    assert "% slower at 95 % confidence; the gate is 2 %." in found.consequence
    assert found.consequence.endswith("With `--fail-on regression` the exit code is 1.")


def test_the_ratios_of_the_pairs_have_the_ratio_as_their_mean(slower: RunResult) -> None:
    one = gate(slower).deciding
    assert one
    ratios = pair_ratios(one)
    ratio = one.by[Basis.AS_MEASURED]
    assert min(ratios) <= ratio.ratio <= max(ratios)
    assert len(ratios) == ratio.degrees + 1


def test_without_a_regression_it_passes(slower: RunResult) -> None:
    assert slower.baseline
    assert slower.baseline.comparison
    kept = tuple(one for one in slower.baseline.comparison.results if one.standing.value != "worse")
    comparison = replace(slower.baseline.comparison, results=kept)
    found = gate(replace(slower, baseline=replace(slower.baseline, comparison=comparison)))
    assert found.passed == bool(kept)
    assert found.consequence.endswith(f"the exit code is {int(not kept)}.")


def test_where_every_result_is_inconclusive_nothing_is_said_to_be_decided(
    slower: RunResult,
) -> None:
    assert slower.baseline
    assert slower.baseline.comparison
    first = slower.baseline.comparison.results[0]
    open_one = replace(first, standing=RelativeStanding.INCONCLUSIVE)
    comparison = replace(slower.baseline.comparison, results=(open_one,))
    found = gate(replace(slower, baseline=replace(slower.baseline, comparison=comparison)))
    assert found.verdict == "Undecided: 1 result is inconclusive"
    assert found.consequence.startswith("Nearest to the gate: ")


def test_each_pair_is_a_small_dot_and_the_gate_a_dashed_line(slower: RunResult) -> None:
    found = gate(slower)
    plot = gate_plot("pairs", found)
    assert plot
    assert found.deciding
    pairs, ratio = plot.groups[0].rows
    assert len(pairs.marks) == len(pair_ratios(found.deciding))
    assert {mark.shape for mark in pairs.marks} == {Shape.SMALL}
    assert ratio.verdict == "slower"
    (limit,) = (line for line in plot.axis.references if line.limit)
    assert limit.value == pytest.approx(GATE)


def test_a_run_without_a_baseline_has_no_gate(slower: RunResult) -> None:
    assert gate_of(replace(slower, baseline=None)) is None


def test_shares_have_no_pairs_of_ratios(slower: RunResult) -> None:
    one = gate(slower).deciding
    assert one
    assert not has_pairs(replace(one, points=-0.1))


def test_what_is_slower_at_least_is_said_as_what_is_slower(slower: RunResult) -> None:
    found = gate(slower)
    assert found.deciding
    ratio = found.deciding.by[Basis.AS_MEASURED]
    assert found.deciding.a.direction is Direction.LOWER
    least = f"{100 * (1 / ratio.high - 1):.{0 if 1 / ratio.high - 1 >= 0.0995 else 1}f} %"
    assert f"At least {least} slower" in found.consequence


def test_the_brief_of_a_run_of_two_leads_with_the_gate(slower: RunResult) -> None:
    assert gate(slower).verdict.replace("`", "") in Outline(render_brief(slower)).words


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [(None, 0), (RunFailOn.REGRESSION, 0), (RunFailOn.UNDECIDED, 1)],
)
def test_an_undecided_gate_fails_where_that_is_asked_for(
    slower: RunResult, fail_on: RunFailOn | None, code: int
) -> None:
    assert slower.baseline
    assert slower.baseline.comparison
    undecided = tuple(
        replace(one, standing=RelativeStanding.INCONCLUSIVE)
        for one in slower.baseline.comparison.results
    )
    comparison = replace(slower.baseline.comparison, results=undecided)
    result = replace(slower, baseline=replace(slower.baseline, comparison=comparison))
    assert exit_code_for(result, fail_on) == code
    found = gate(result)
    assert found.undecided
    assert "1 with `--fail-on undecided`" in found.consequence


@pytest.mark.parametrize("fail_on", list(RunFailOn))
def test_a_regression_ends_with_1_however_strict_the_gate(
    slower: RunResult, fail_on: RunFailOn
) -> None:
    assert exit_code_for(slower) == 0
    assert exit_code_for(slower, fail_on) == 1
