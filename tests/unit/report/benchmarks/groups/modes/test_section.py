"""What a page shows of launch modes: pictures, the tables that say the same, and the system."""

from __future__ import annotations

import altair as alt

from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.charts import all_charts
from machmeter.report.benchmarks.groups.modes.section import ModeSection, mode_section
from machmeter.report.pages.run import render_page
from tests.support.documents.page_outline import Outline
from tests.support.synthetic.modes import WITHOUT_SMT, make_modes, usual_modes, with_described
from tests.support.synthetic.run import make_run

RUN = usual_modes()


def section_of(result: RunResult) -> ModeSection:
    found = mode_section(result)
    assert found is not None
    return found


WHOLE = section_of(RUN)


def test_both_pictures_are_what_vega_lite_takes_and_are_among_all_charts() -> None:
    charts = all_charts(RUN)
    for one in WHOLE.charts:
        alt.TopLevelSpec.validate(one.spec)
        assert one in charts


def test_the_page_shows_the_system_and_what_was_not_measured() -> None:
    page = render_page(make_modes(machine=WITHOUT_SMT))
    outline = Outline(page)
    assert "MPI + SMT" in outline.words
    assert "cores here have one hardware thread" in outline.words
    charts = {attributes.get("data-chart") for _, attributes in outline.elements}
    for name in ("launch-modes", "launch-modes-phases"):
        assert name in charts
        assert f'"{name}":' in page


def test_what_is_published_of_all_codes_stands_beside_what_was_measured() -> None:
    assert [one.machine for one in WHOLE.published] == ["edison"] * 3
    page = render_page(RUN)
    for one in WHOLE.published:
        assert one.published in Outline(page).words
    # Of them nothing was measured here.
    assert "here:" not in page.partition(WHOLE.published[0].published)[2].partition("</p>")[0]


def test_applications_are_said_to_be_in_no_mean() -> None:
    assert "Not in the mean" not in WHOLE.conclusion
    both = section_of(make_modes(study=with_described("gromacs-water")))
    assert "Not in the mean, as not every machine has them: GROMACS, water." in both.conclusion


def test_other_runs_have_no_such_section() -> None:
    assert mode_section(make_run()) is None
