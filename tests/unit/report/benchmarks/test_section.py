import pytest

from machmeter.analysis.stats.fields import where
from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.model.benchmark import Benchmark
from machmeter.model.display import PivotTable
from machmeter.report.benchmarks.section import Section, section_of
from tests.support.synthetic.runs import run


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda one: one.name)
def test_what_a_display_names_is_declared(benchmark: Benchmark) -> None:
    display = benchmark.display
    metrics = {metric.name for metric in benchmark.metrics}
    drawn = (one for one in (*display.charts, *display.tables) if not isinstance(one, str))
    for one in (*display.headlines, *drawn):
        chosen = one.select
        assert set(chosen.metrics) <= metrics
        for name, value in (*chosen.where, *chosen.prefer):
            parameter = benchmark.parameter(name)
            assert parameter is not None
            assert not parameter.choices or str(value) in parameter.choices
        named = {*chosen.vary, *chosen.largest, *chosen.smallest}
        assert all(benchmark.parameter(name) for name in named)
    assert not any(isinstance(one, PivotTable) and not one.title for one in display.tables)
    for term in display.definitions:
        parameter = benchmark.parameter(term.parameter)
        assert not term.parameter or parameter is not None
        assert not term.values or set(term.values) <= set(parameter.choices if parameter else ())


def names_in(section: Section) -> list[str]:
    return [one.name for one in section.definitions]


def test_only_what_was_measured_is_defined() -> None:
    section = section_of(run("cluster"), "network.latency")
    assert names_in(section) == ["Ping-ping", "Data", "Buffers"]
    plain = where(where(section.estimates, "pattern", "ping-pong"), "data", "contiguous")
    assert names_in(Section(section.result, section.name, plain)) == ["Buffers"]
    assert names_in(section_of(run("quick"), "network.latency")) == []
    assert names_in(Section(section.result, "memory.stream", ())) == []


def test_a_benchmark_of_another_version_has_its_name_as_title() -> None:
    section = Section(run("quick"), "device.unknown", ())
    assert (section.title, section.declared, section.definitions) == ("device.unknown", None, ())
