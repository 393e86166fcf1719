import math

from msgspec.structs import replace

from machmeter.analysis.curves.waves import wave_time
from machmeter.analysis.stats.fields import where
from machmeter.model.layout import Binding
from machmeter.model.results.run import RunResult
from machmeter.model.units import UNBOUNDED
from machmeter.report.benchmarks.groups.apps import WaveModel, wave_models
from machmeter.report.benchmarks.section import section_of
from machmeter.report.benchmarks.selection import estimates_of, threads
from machmeter.report.views.axis import number
from tests.support.synthetic.runs import charts_in, run, tables_in

RUN = run("scalemp")


def models_of(result: RunResult) -> tuple[WaveModel, ...]:
    return wave_models(section_of(result, "apps.heatflow"))


def test_model_is_made_of_measured_times_of_one_domain() -> None:
    inside, slices = models_of(RUN)
    assert (inside.arrays, slices.arrays) == ("inside", "slices")
    assert (inside.units, inside.domains, inside.slots) == (33, 4, 4)
    times = where(estimates_of(RUN, "apps.heatflow"), "arrays", "inside")
    full = next(e for e in times if threads(e) == number(e, "derivatives") == 4)
    alone = next(e for e in times if threads(e) == number(e, "derivatives") == 1)
    expected = wave_time(33, 4, 4, {1: alone.value, 4: full.value})
    assert math.isclose(inside.seconds, expected)
    assert inside.low_seconds < inside.seconds < inside.high_seconds


def test_measured_is_all_cores_as_outer_threads_as_the_study_asks() -> None:
    for model in models_of(RUN):
        layout = model.measured.point.layout
        assert (layout.threads_per_rank, layout.inner_threads) == (16, 1)
        assert layout.binding is Binding.SPREAD
        others = [
            e
            for e in where(estimates_of(RUN, "apps.heatflow"), "arrays", model.arrays)
            if threads(e) == 16 and number(e, "derivatives") == 33
        ]
        nested = tuple(e for e in others if e.point.layout.inner_threads > 1)
        kept = tuple(e for e in RUN.estimates if e not in others or e in nested)
        (without,) = (
            m for m in models_of(replace(RUN, estimates=kept)) if m.arrays == model.arrays
        )
        assert without.measured.value == min(e.value for e in nested)


def test_on_one_thread_it_takes_as_many_times_one_derivative_where_that_was_not_measured() -> None:
    times = estimates_of(RUN, "apps.heatflow")
    whole = [e for e in times if threads(e) == 1 and number(e, "derivatives") == 33]
    for model in models_of(RUN):
        (measured,) = where(whole, "arrays", model.arrays)
        assert model.serial_seconds == measured.value
    left = replace(RUN, estimates=tuple(e for e in RUN.estimates if e not in whole))
    for model in models_of(left):
        (one,) = (
            e
            for e in where(times, "arrays", model.arrays)
            if threads(e) == number(e, "derivatives") == 1
        )
        assert math.isclose(model.serial_seconds, 33 * one.value)
    (table,) = tables_in(left, "apps.heatflow")
    assert not any("–" in row for row in table.rows)
    charts = charts_in(left, "apps.heatflow")
    assert "speedup over one thread" in charts[0].title


def test_two_cores_of_one_domain_have_a_model() -> None:
    assert [(m.domains, m.slots) for m in models_of(run("2 cores"))] == [(1, 2), (1, 2)]


def test_no_model_without_times_of_one_domain() -> None:
    kept = tuple(
        e for e in RUN.estimates if threads(e) == 16 and e.point.layout.binding is Binding.SPREAD
    )
    largest = tuple(e for e in kept if number(e, "derivatives") == 33)
    assert models_of(replace(RUN, estimates=largest)) == ()
    assert models_of(replace(RUN, estimates=())) == ()
    assert tables_in(replace(RUN, estimates=()), "apps.heatflow") == ()


def test_one_launch_has_a_model_without_an_interval() -> None:
    alone = tuple(replace(e, launches=1, low=0.0, high=UNBOUNDED) for e in RUN.estimates)
    models = models_of(replace(RUN, estimates=alone))
    assert all(m.low_seconds == m.seconds == m.high_seconds for m in models)
    (table,) = tables_in(replace(RUN, estimates=alone), "apps.heatflow")
    assert "interval unknown" in table.rows[0][3]


def test_table_says_how_much_of_the_model_is_reached() -> None:
    (table,) = tables_in(RUN, "apps.heatflow")
    for row, model in zip(table.rows, models_of(RUN), strict=True):
        assert row[-1] == f"{100 * model.seconds / model.measured.value:.0f} %"
