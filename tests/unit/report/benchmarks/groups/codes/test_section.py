"""All codes of a set in one section."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import replace

from machmeter.analysis.rules.answer import answers
from machmeter.benchmarks.codes.born import BORN
from machmeter.benchmarks.codes.set import CODES
from machmeter.model.layout import Binding, Layout
from machmeter.model.plan.question import EfficiencyRule
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.groups.codes.section import CodesSection, codes_section
from machmeter.report.pages.run import render_page
from machmeter.studies.codes import CODES_STUDY
from tests.support.synthetic.maker import Maker
from tests.support.synthetic.runs import run

PLAIN = run("2 cores")
THREADS = (1, 2, 4)


def with_rates(estimates: list[Estimate]) -> RunResult:
    request = replace(PLAIN.header.request, study=CODES_STUDY)
    return replace(
        PLAIN,
        header=replace(PLAIN.header, request=request),
        estimates=tuple(estimates),
        findings=(),
    )


def rates(
    exponents: dict[str, float], bindings: tuple[Binding, ...], scaling: str = "strong"
) -> list[Estimate]:
    """Of every code, as its threads to that power; the first binding has that of one thread."""
    maker = Maker(3)
    return [
        maker.estimate(
            code.benchmark.name,
            {p.name: p.values[0] for p in code.benchmark.parameters} | {"scaling": scaling},
            Layout(threads_per_rank=threads, binding=binding),
            "rate",
            1e6 * threads ** exponents.get(code.benchmark.name, 1.0),
        )
        for code in CODES
        for binding in bindings
        for threads in THREADS
        if threads > 1 or binding is bindings[0]
    ]


def section_with(
    exponents: dict[str, float], bindings: tuple[Binding, ...] = (Binding.CLOSE,)
) -> CodesSection:
    section = codes_section(with_rates(rates(exponents, bindings)))
    assert section is not None
    return section


def test_every_code_has_a_panel_and_a_row() -> None:
    section = section_with({})
    (chart,) = section.charts
    (rows,) = chart.spec["datasets"].values()
    assert len({row["panel"] for row in rows}) == len(CODES)
    assert [row["x"] for row in rows[:3]] == list(THREADS)
    (table,) = section.tables
    assert [row[0] for row in table.rows] == [code.benchmark.title for code in CODES]


def test_efficiency_is_the_rate_a_thread_over_that_of_one() -> None:
    (chart,) = section_with({"codes.born": 0.5}).charts
    (rows,) = chart.spec["datasets"].values()
    of_born = [row for row in rows if row["panel"].startswith(BORN.title[:12])]
    values = [row["value"] for row in of_born]
    assert values[0] == 100
    assert all(
        math.isclose(value, 100 * threads**-0.5, rel_tol=0.05)
        for value, threads in zip(values, THREADS, strict=True)
    )
    assert all(row["low"] <= row["value"] <= row["high"] for row in rows)


def test_one_thread_is_the_base_of_every_binding() -> None:
    section = section_with({}, (Binding.CLOSE, Binding.SPREAD))
    (chart,) = section.charts
    (rows,) = chart.spec["datasets"].values()
    series = {row["series"] for row in rows}
    assert len(series) == 2
    for name in series:
        assert {row["x"] for row in rows if row["series"] == name} == set(THREADS)
    assert len(section.tables[0].rows) == 2 * len(CODES)


def test_weak_is_said_of_codes_whose_work_grows_with_their_threads() -> None:
    every = rates({}, (Binding.CLOSE,), "weak")
    section = codes_section(with_rates(every))
    assert section is not None
    weak = {code.benchmark.title for code in CODES if code.benchmark.group == "codes"}
    said = {row[0] for row in section.tables[0].rows if "weak" in row[4]}
    assert said == weak
    assert f"close, weak: {len(weak)} of {len(weak)} codes" in section.conclusion
    assert f"close: {len(CODES) - len(weak)} of {len(CODES) - len(weak)}" in section.conclusion


def test_strong_and_weak_of_one_run_are_two_series() -> None:
    both = rates({}, (Binding.CLOSE,)) + rates({"codes.kdtree": 0.5}, (Binding.CLOSE,), "weak")
    section = codes_section(with_rates(both))
    assert section is not None
    (rows,) = section.charts[0].spec["datasets"].values()
    ends = {r["series"]: r["value"] for r in rows if "k-d" in r["panel"] and r["x"] == THREADS[-1]}
    assert set(ends) == {"close", "close, weak"}
    assert ends["close, weak"] < 60
    assert ends["close"] > 90


def test_the_finding_of_weak_points_is_labeled_so() -> None:
    questions = [q for q in CODES_STUDY.questions if isinstance(q.rule, EfficiencyRule)]
    both = rates({}, (Binding.CLOSE,)) + rates({"codes.kdtree": 0.5}, (Binding.CLOSE,), "weak")
    (found,) = answers([q for q in questions if q.benchmark == "codes.kdtree"], both)
    bands = {case.label: case.outcome.lowest.name for case in found.cases}
    assert bands == {(("scaling", "strong"),): "yes", (("scaling", "weak"),): "partly"}


@pytest.mark.parametrize(("kept", "is_named"), [(0.25, True), (0.35, False)])
def test_a_code_whose_threads_keep_too_little_is_named(kept: float, *, is_named: bool) -> None:
    exponent = 1 + math.log(kept, THREADS[-1])
    section = section_with({"codes.kdtree": exponent})
    assert ("k-d tree" in section.conclusion) is is_named
    assert "undecided" not in section.conclusion
    assert f"{len(CODES) - 1} of {len(CODES)} codes" in section.conclusion


def test_what_an_interval_does_not_decide_is_counted_as_such() -> None:
    unsure = [
        replace(one, launch_values=(one.value / 3, one.value, 3 * one.value), launches=3, rounds=())
        if one.point.benchmark == "codes.lbm"
        else one
        for one in rates({}, (Binding.CLOSE,))
    ]
    section = codes_section(with_rates(unsure))
    assert section is not None
    assert f"{len(CODES) - 1} of {len(CODES)} codes" in section.conclusion
    assert "of 1 the 95 % interval leaves it undecided" in section.conclusion


def test_a_code_that_lacks_the_most_threads_is_not_counted_as_on_them() -> None:
    every = [
        one
        for one in rates({}, (Binding.CLOSE,))
        if one.point.benchmark != "codes.born" or one.point.layout.threads < THREADS[-1]
    ]
    section = codes_section(with_rates(every))
    assert section is not None
    assert f"{len(CODES) - 1} of {len(CODES) - 1} codes" in section.conclusion
    assert f"not measured on so many: {BORN.title}" in section.conclusion


def test_a_line_is_of_points_that_differ_in_their_threads_alone() -> None:
    every = rates({}, (Binding.CLOSE,))
    huge = [
        replace(one, point=replace(one.point, layout=replace(one.point.layout, page_bytes=2**21)))
        for one in every
        if one.point.layout.threads == THREADS[-1]
    ]
    section = codes_section(with_rates([*huge, *every]))
    assert section is not None
    (rows,) = section.charts[0].spec["datasets"].values()
    assert len(rows) == len(THREADS) * len(CODES)
    shown = codes_section(with_rates(every))
    assert shown is not None
    assert section.tables[0].rows == shown.tables[0].rows


def test_a_code_without_rates_is_missing_by_name() -> None:
    every = rates({}, (Binding.CLOSE,))
    section = codes_section(
        with_rates([one for one in every if one.point.benchmark != "codes.lbm"])
    )
    assert section is not None
    assert "codes.lbm" in section.conclusion


def test_a_run_without_a_set_or_on_one_thread_has_no_section() -> None:
    assert codes_section(PLAIN) is None
    alone = [one for one in rates({}, (Binding.CLOSE,)) if one.point.layout.threads == 1]
    assert codes_section(with_rates(alone)) is None


def test_the_page_has_it_with_what_is_printed_of_others() -> None:
    page = render_page(with_rates(rates({}, (Binding.CLOSE,))))
    assert 'href="#codes"' in page
    assert 'id="chart-codes-efficiency"' in page
    assert "10.4" in page.partition('id="codes"')[2].partition("</section>")[0]
    assert 'href="#codes"' not in render_page(PLAIN)
