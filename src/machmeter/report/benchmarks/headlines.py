"""The few results of a run that a person asks for first, as benchmarks declare them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.rules.system.nodes import nodes_of
from machmeter.analysis.stats.fields import where
from machmeter.model.benchmark import Direction
from machmeter.model.display import Headline, Pick
from machmeter.model.layout_fields import FIELDS
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.groups.explored.per_core import core_results
from machmeter.report.benchmarks.node_pairs import node_name, pair_label, worst_and_best
from machmeter.report.benchmarks.places import by_ancestor, median_pair_label
from machmeter.report.benchmarks.section import Section, sections_of
from machmeter.report.benchmarks.selection import best, first_choices, narrowed, of_metric, select
from machmeter.report.benchmarks.yardsticks import yardstick_text
from machmeter.text.labels import parameter_phrase, point_columns, point_label
from machmeter.text.layouts import binding_text
from machmeter.text.runs import library_of


class HeadlineResult(Struct, frozen=True):
    """A result to show first."""

    title: str
    """What it is, with the MPI library that measured it: `MPI latency, 8 B (MPICH 5.0.2)`."""
    label: str
    """Under which parameters and layout."""
    estimate: Estimate
    """Its value."""
    against: str = ""
    """What gives it meaning: its relation to another result of the run; empty for nothing."""
    mpi_library: str = ""
    """The MPI library, as the title ends with it; empty where none measured it."""

    @property
    def subject(self) -> str:
        """The title without the library: the same of every library of a run."""
        return self.title.removesuffix(f" ({self.mpi_library})")


def headline_results(result: RunResult) -> tuple[HeadlineResult, ...]:
    """One to three of each benchmark that ran."""
    return tuple(
        _with_meaning(result, shown)
        for section in sections_of(result)
        for shown in _library_by_library(_of_section(one) for one in _by_library(section))
    )


def in_turns(headlines: Sequence[HeadlineResult]) -> list[int]:
    """Positions of the first of every benchmark, those of other MPI libraries after those of the
    first one, then of the second of every benchmark, and so on."""
    libraries: dict[str, dict[str, int]] = {}
    seen: Counter[tuple[str, str]] = Counter()
    turns = []
    for position, one in enumerate(headlines):
        mpi, benchmark = one.estimate.point.variant.mpi, one.estimate.point.benchmark
        known = libraries.setdefault(benchmark, {})
        turns.append((seen[benchmark, mpi], known.setdefault(mpi, len(known)), position))
        seen[benchmark, mpi] += 1
    return [position for *_, position in sorted(turns)]


def _with_meaning(result: RunResult, shown: HeadlineResult) -> HeadlineResult:
    library = library_of(result, shown.estimate.point)
    return replace(
        shown,
        title=f"{shown.title}{library and f' ({library})'}",
        against=yardstick_text(result, shown.estimate),
        mpi_library=library,
    )


def _by_library(section: Section) -> list[Section]:
    """The results of each MPI library by themselves: none is the best over libraries."""
    names = dict.fromkeys(e.point.variant.mpi for e in section.estimates)
    return [replace(section, estimates=where(section.estimates, "mpi", name)) for name in names]


def _library_by_library(
    libraries: Iterable[Iterable[HeadlineResult]],
) -> Iterable[HeadlineResult]:
    """The same key result of every library, then the next."""
    found: dict[str, list[HeadlineResult]] = {}
    for shown in libraries:
        for one in shown:
            found.setdefault(one.title, []).append(one)
    return chain.from_iterable(found.values())


def _of_section(section: Section) -> Iterable[HeadlineResult]:
    found: dict[int, HeadlineResult] = {}
    for spec in section.display.headlines:
        for shown in _of_spec(spec, section):
            found.setdefault(id(shown.estimate), shown)
    return found.values() or _best_of_first(section)


def _best_of_first(section: Section) -> list[HeadlineResult]:
    """For a benchmark that declares no headline, or none of whose are in this run."""
    found = best(of_metric(section.estimates, section.estimates[0].metric))
    if found is None:
        return []
    label = point_label(found, of_ranks=_of_ranks(section))
    return [HeadlineResult(f"{section.title}, {found.title}", label, found)]


def _of_ranks(section: Section) -> bool:
    return section.declared is not None and section.declared.program.has_ranks


def _of_spec(spec: Headline, section: Section) -> Iterable[HeadlineResult]:
    chosen = select(section.estimates, spec.select)
    shown = [one for group in _groups(spec, chosen) for one in _picked(spec, group, section)]
    return shown[: spec.most or None]


def _groups(spec: Headline, chosen: Sequence[Estimate]) -> list[list[Estimate]]:
    if not spec.by:
        return [list(chosen)]
    groups: dict[str, list[Estimate]] = {name: [] for name in spec.values}
    for one in chosen:
        value = point_columns(one.point).get(spec.by, "")
        if not spec.values or value in groups:
            groups.setdefault(value, []).append(one)
    return list(groups.values())


def _picked(
    spec: Headline, group: Sequence[Estimate], section: Section
) -> Iterable[HeadlineResult]:
    found = narrowed(group, spec.select)
    if not found:
        return []
    if spec.pick in {Pick.NEAREST_AND_FARTHEST, Pick.FARTHEST}:
        return _ends(spec, found, section)
    if spec.pick is Pick.WORST_AND_BEST_PAIR:
        return [
            HeadlineResult(_title(spec, one, place), pair_label(section.result, one), one)
            for place, one in worst_and_best(section.result, found)
        ]
    if spec.pick is Pick.WORST_AND_BEST_NODE:
        return _worst_and_best_node(spec, found, section)
    if spec.pick is Pick.EACH:
        sign = -1 if found[0].direction is Direction.HIGHER else 1
        each = sorted(found, key=lambda one: sign * one.value)
    else:
        picked = best(found) if spec.pick is Pick.BEST else found[0]
        each = [picked] if picked is not None else []
    plain = set(first_choices(section.name)) if spec.select.plain else set()
    without = (*spec.hide, *(plain - set(spec.select.vary)))
    of_ranks = _of_ranks(section)
    shown = _distinct(
        [
            HeadlineResult(_title(spec, one), point_label(one, without, of_ranks=of_ranks), one)
            for one in each
        ]
    )
    return _with_cores(shown, section) if spec.pick is Pick.EACH else shown


def _worst_and_best_node(
    spec: Headline, found: Sequence[Estimate], section: Section
) -> list[HeadlineResult]:
    """Of one node it alone."""
    by_node = nodes_of(found)
    sign = -1 if found[0].direction is Direction.HIGHER else 1
    ordered = sorted(by_node, key=lambda node: sign * by_node[node].value)
    named = {"worst node": ordered[-1:], "best node": ordered[:1]}
    if len(ordered) == 1:
        named = {"one node": ordered}
    return [
        HeadlineResult(
            _title(spec, by_node[node], place), node_name(section.result, node), by_node[node]
        )
        for place, nodes in named.items()
        for node in nodes
    ]


def _distinct(results: Sequence[HeadlineResult]) -> list[HeadlineResult]:
    """The same, where labels are equal with the wait policy, which they leave out otherwise."""
    count = Counter((one.title, one.label) for one in results)
    phrase = FIELDS["wait_policy"].phrase
    return [
        replace(one, label=f"{one.label}, {phrase(one.estimate.point.layout)}")
        if count[one.title, one.label] > 1
        else one
        for one in results
    ]


def _with_cores(results: Sequence[HeadlineResult], section: Section) -> list[HeadlineResult]:
    """The same, with what each is of a core where they took different numbers of them."""
    topology = section.result.header.machine.topology
    found = core_results([one.estimate for one in results], topology)
    return [
        replace(one, label=f"{one.label}; {of_cores.text}")
        if (of_cores := found.get(one.estimate.point))
        else one
        for one in results
    ]


def _ends(spec: Headline, found: Sequence[Estimate], section: Section) -> list[HeadlineResult]:
    """The median pair of those with the closest and with the farthest ancestor."""
    groups = by_ancestor(section.result.header.machine.topology, found)
    if not groups:
        return []
    ends = dict.fromkeys((0, len(groups) - 1) if spec.pick is not Pick.FARTHEST else (-1,))
    results = []
    for group in (groups[at] for at in ends):
        more = [
            parameter_phrase(name, value)
            for name, value in group.typical.point.parameters
            if name not in {*spec.hide, "pair"}
        ]
        label = ", ".join([median_pair_label(group), *more])
        title = _title(spec, group.typical, group.ancestor.kind)
        results.append(HeadlineResult(title, label, group.typical))
    return results


def _title(spec: Headline, one: Estimate, place: str = "") -> str:
    layout = one.point.layout
    names = {
        **{n: text.replace("-", " ") for n, text in point_columns(one.point).items()},
        "place": place,
        "binding": binding_text(layout.binding),
        "wait_policy": layout.wait_policy.value,
        "pairs": str(layout.ranks // 2),
    }
    title = spec.title.format_map(names)
    return f"{title[:1].upper()}{title[1:]}"
