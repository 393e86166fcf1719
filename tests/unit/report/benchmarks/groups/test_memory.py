import pytest

from machmeter.report.benchmarks.groups.memory import latency_charts, stream_charts
from machmeter.report.benchmarks.section import Section, sections_of
from machmeter.report.drawing.chart import Chart
from tests.support.synthetic.run import make_run


def over_threads(threads: tuple[int, ...]) -> Chart:
    (section,) = (s for s in sections_of(make_run(threads=threads)) if s.name == "memory.stream")
    (chart,) = (c for c in stream_charts(section) if c.name == "memory-stream-threads")
    return chart


@pytest.mark.parametrize(("threads", "joined"), [((1, 2), False), ((1, 2, 4), True)])
def test_two_numbers_of_threads_are_lines_of_dots_and_more_are_curves(
    threads: tuple[int, ...], joined: bool
) -> None:
    chart = over_threads(threads)
    text = str(chart.spec)
    assert ("'type': 'line'" in text) == joined
    assert ("yOffset" in text) != joined
    assert ("2 threads" in text) != joined


def test_the_ratio_is_named_as_the_legend_names_it() -> None:
    for threads in ((1, 2), (1, 2, 4)):
        chart = over_threads(threads)
        assert "times temporal stores, 4 KiB pages" in str(chart.spec)
        assert "plain" not in f"{chart.note} {chart.spec}".lower()


def test_one_working_set_is_no_chart() -> None:
    run = make_run()
    found = [e for e in run.estimates if e.point.benchmark == "memory.latency"]
    size = dict(found[0].point.parameters)["size"]
    alone = tuple(e for e in found if dict(e.point.parameters)["size"] == size)
    assert latency_charts(Section(run, "memory.latency", tuple(found)))
    assert latency_charts(Section(run, "memory.latency", alone)) == []
