"""The results of one benchmark of a run, with what its declaration says of showing them."""

from __future__ import annotations

from msgspec import Struct

from machmeter.analysis.stats.fields import value_of
from machmeter.benchmarks.catalogue import known
from machmeter.model.benchmark import Benchmark
from machmeter.model.display import Definition, Display
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.selection import estimates_of


class Section(Struct, frozen=True):
    """One benchmark of a run."""

    result: RunResult
    """The whole run."""
    name: str
    """Of the benchmark."""
    estimates: tuple[Estimate, ...]
    """Its results, in the order of the run."""

    @property
    def declared(self) -> Benchmark | None:
        """Its declaration; None for a benchmark of another version."""
        return known(self.name, self.result.header.request.study.benchmarks)

    @property
    def display(self) -> Display:
        """How its results are shown; empty where nothing says so."""
        return self.declared.display if self.declared else Display()

    @property
    def title(self) -> str:
        """Its title, or its name."""
        return self.declared.title if self.declared else self.name

    @property
    def slug(self) -> str:
        """Its name as part of a chart's name: `network-onesided`."""
        return self.name.replace(".", "-")

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """The terms that these results need."""
        return tuple(one for one in self.display.definitions if _is_needed(one, self.estimates))


def section_of(result: RunResult, name: str) -> Section:
    """The results of that benchmark."""
    return Section(result, name, estimates_of(result, name))


def sections_of(result: RunResult) -> tuple[Section, ...]:
    """Every benchmark of the run, in the order of its results."""
    names = dict.fromkeys(e.point.benchmark for e in result.estimates)
    return tuple(section_of(result, name) for name in names)


def _is_needed(one: Definition, estimates: tuple[Estimate, ...]) -> bool:
    if not one.parameter:
        return True
    found = {str(value_of(e, one.parameter)) for e in estimates} - {""}
    return bool(found.intersection(one.values)) if one.values else bool(found)
