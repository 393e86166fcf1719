"""Scores of two machines over a set of codes, as they are requested."""

from __future__ import annotations

import io

import pytest
from msgspec.structs import replace
from rich.console import Console

from machmeter.analysis.scores.scores import Score, ScoreKind
from machmeter.api.comparing import compare_results
from machmeter.api.scores import NoScoreError, ScoreRequest
from machmeter.benchmarks.catalogue import find
from machmeter.benchmarks.codes.set import CODE_SET
from machmeter.model.benchmark import Value
from machmeter.model.errors import UsageError
from machmeter.model.layout import Layout
from machmeter.model.origin import Origin
from machmeter.model.plan.code_set import CodeSet
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults, Parts
from machmeter.report.benchmarks.groups.codes.compared import compared_codes
from machmeter.report.terminal.scores import print_scores
from tests.support.made_up.estimates import made_up

SIZES: dict[str, dict[str, Value]] = {
    "proxies.ofp": {"cells": 100, "iterations": 50},
    "proxies.lowmach": {"cells": 96, "steps": 1, "box": 16},
    "proxies.ljmd": {"cells": 20, "steps": 100, "potential": "unshifted"},
    "proxies.nwp": {"cells": 48, "levels": 32, "steps": 20, "imbalance": 0},
    "codes.alignpairs": {"sequences": 128, "touch": "owner"},
    "codes.alignlong": {"length": 32_768, "block": 512, "touch": "owner"},
    "codes.blocklu": {"blocks": 40, "block": 96, "tasks": "depend", "touch": "owner"},
    "codes.kdtree": {"points": 300_000, "found": 24, "sequence": "tree", "touch": "owner"},
    "codes.shallow": {"cells": 1000, "steps": 24, "touch": "owner"},
    "codes.lbm": {"cells": 96, "steps": 12, "solid": 10, "touch": "owner"},
    "codes.coulomb": {"cells": 12, "steps": 8},
    "codes.born": {"atoms": 4000, "evaluations": 4, "forces": "private"},
    "codes.elements": {
        **{"cells": 48, "steps": 20, "scatter": "corners"},
        **{"costly": 10, "touch": "owner"},
    },
}
SPEC = ScoreRequest(ScoreKind.SPEC)
FITTING = replace(SPEC, fitting=True)


def rate(code: str, threads: int, value: float) -> Estimate:
    parameters = {**SIZES[code], **({} if code.startswith("codes.") else {"scaling": "strong"})}
    return made_up(code, parameters, Layout(threads_per_rank=threads), "rate", value)


def machine(
    name: str, cores: int, gain: float, *, poor: str = "", of: CodeSet | None = CODE_SET
) -> MachineResults:
    """Rates of 1e6 times `gain` a core; the threads of `poor` hardly scale."""
    found = [
        rate(code, threads, 1e6 * gain * (1 if code == poor else threads))
        for code in SIZES
        for threads in (1, cores)
    ]
    return MachineResults(
        name, name, Origin.MEASURED, "us", Parts(1, cores), estimates=tuple(found), code_set=of
    )


def scores(a: MachineResults, b: MachineResults, request: ScoreRequest = SPEC) -> tuple[Score, ...]:
    return compare_results((a, b), score=request).scores


def test_the_score_is_the_mean_of_ratios_of_whole_machines() -> None:
    (found,) = scores(machine("base", 4, 1.0), machine("here", 8, 1.5))
    assert found.value == pytest.approx(3.0)
    assert len(found.components) == len(SIZES)
    assert 0 < found.low < 3.0 < found.high
    assert found.code_set == CODE_SET.title


def test_of_fitting_codes_both_scores_stand_side_by_side() -> None:
    base, here = machine("base", 4, 1.0), machine("here", 8, 1.5, poor="proxies.lowmach")
    every, fitting = scores(base, here, FITTING)
    assert every.value == pytest.approx((3.0 ** (len(SIZES) - 1) * 0.375) ** (1 / len(SIZES)))
    assert fitting.value == pytest.approx(3.0)
    assert list(fitting.left_out) == ["proxies.lowmach"]
    assert not every.fitting


def test_each_code_has_its_ratio_and_the_threads_of_both_machines() -> None:
    base, here = machine("base", 4, 1.0), machine("here", 8, 1.5, poor="proxies.lowmach")
    shown = compared_codes(scores(base, here)[0], (base, here), {"here": "This one"})
    assert shown is not None
    (rows,) = shown.chart.spec["datasets"].values()
    assert len({row["panel"] for row in rows}) == len(SIZES)
    of_poor = [row for row in rows if row["panel"].startswith(find("proxies.lowmach").title[:9])]
    ends = {(row["series"], row["x"]): row["value"] for row in of_poor}
    assert ends == {("base", 1): 100, ("base", 4): 100, ("This one", 1): 100, ("This one", 8): 12.5}
    assert {row["panel"].split("\n")[1].split()[0] for row in of_poor} == {"0.38x"}
    assert len(shown.table.rows) == 2 * len(SIZES)
    assert compared_codes(replace(scores(base, here)[0], code_set=""), (base, here), {}) is None


def test_other_scores_are_not_of_the_set() -> None:
    found = scores(machine("base", 4, 1.0), machine("here", 8, 1.5), replace(SPEC, every=True))
    assert found[0].code_set
    pair = (machine("base", 4, 1.0), machine("here", 8, 1.5))
    for kind in (ScoreKind.SSI, ScoreKind.THROUGHPUT):
        try:
            (other,) = scores(*pair, ScoreRequest(kind))
        except NoScoreError as error:
            assert CODE_SET.title not in error.message
        else:
            assert not other.code_set


def test_where_all_codes_fit_the_second_score_is_the_first() -> None:
    every, fitting = scores(machine("base", 4, 1.0), machine("here", 8, 1.5), FITTING)
    assert fitting.fitting
    assert (fitting.value, fitting.left_out) == (every.value, {})


def test_a_code_that_is_missing_needs_an_adjusted_score() -> None:
    here = machine("here", 8, 1.5)
    few = replace(here, estimates=here.estimates[2:])
    with pytest.raises(NoScoreError, match=r"proxies\.ofp"):
        scores(machine("base", 4, 1.0), few)
    (found,) = scores(machine("base", 4, 1.0), few, replace(SPEC, adjusted=True))
    assert found.missing == ("proxies.ofp",)


def test_sets_of_unlike_versions_have_no_score() -> None:
    other = machine("here", 8, 1.5, of=replace(CODE_SET, version=CODE_SET.version + 1))
    for pair in ((machine("base", 4, 1.0), other), (other, machine("base", 4, 1.0))):
        with pytest.raises(NoScoreError, match="version"):
            scores(*pair)


def test_fitting_is_of_codes() -> None:
    pair = (machine("base", 4, 1.0, of=None), machine("here", 8, 1.5, of=None))
    assert len(scores(*pair)) == 1
    with pytest.raises(UsageError, match="--fitting"):
        scores(*pair, FITTING)


def test_no_code_that_fits_is_no_score() -> None:
    base = machine("base", 4, 1.0)
    slow = [one for one in base.estimates if one.point.layout.threads == 1]
    none = replace(base, estimates=tuple(
        replace(one, point=replace(one.point, layout=Layout(threads_per_rank=4))) for one in slow
    ) + tuple(slow))  # fmt: skip
    with pytest.raises(NoScoreError, match="no code fits"):
        scores(none, machine("here", 8, 1.5), FITTING)


def test_printed_scores_follow_those_of_codes_alone() -> None:
    def shown(of: CodeSet | None) -> str:
        stream = io.StringIO()
        pair = (machine("base", 4, 1.0, of=of), machine("here", 8, 1.5, of=of))
        print_scores(scores(*pair), Console(file=stream, width=100))
        return stream.getvalue()

    assert "7.01" in shown(CODE_SET)
    assert "7.01" not in shown(None)
    assert max(map(len, shown(CODE_SET).splitlines())) <= 100
