"""The results of one machine in groups, with the labels that pages and terminals share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.printed_text import origin_briefly
from machmeter.text.labels import parameter_phrase, parameter_text
from machmeter.text.plain import plain
from machmeter.text.results import result_interval_text

_LAYOUT_LABELS = {
    "nodes": ("{} node", "{} nodes"),
    "ranks_per_node": ("{} rank a node", "{} ranks a node"),
    "threads_per_rank": ("{} thread a rank", "{} threads a rank"),
    "inner_threads": ("{} inner thread", "{} inner threads"),
    "reserved_cores": ("{} reserved core", "{} reserved cores"),
    "progress": ("{}", "{}"),
}
_STATED = ("nodes", "ranks_per_node", "threads_per_rank")
_WORKLOAD = "workload."
_ABBREVIATED = ("cpu", "gpu", "mpi", "numa", "ssd")
_ADDRESS = re.compile(r" \([a-z0-9.-]{1,80}\.[a-z]{2,6}/[^\s()]*\)")


class ResultGroup(Struct, frozen=True):
    """Results of one quantity that are printed in one place."""

    benchmark: str
    """Name of the benchmark or workload."""
    title: str
    """Of the metric."""
    source: str
    """Where they are printed; empty where they were measured."""
    results: tuple[Estimate, ...]
    """In their order."""

    def common_labels(self) -> tuple[str, ...]:
        """The labels that all of them have, where they are several."""
        if len(self.results) < 2:
            return ()
        of_each = [point_labels(one) for one in self.results]
        shared = set.intersection(*map(set, of_each))
        return tuple(label for label in of_each[0] if label in shared)

    def notes(self) -> tuple[str, ...]:
        """What is noted of their table, each once."""
        return tuple(
            dict.fromkeys(e.printed.note for e in self.results if e.printed and e.printed.note)
        )

    def flags(self) -> dict[str, int]:
        """What contradicts them, each once, with how many it concerns."""
        return dict(Counter(one.flag for one in self.results if one.flag))


def result_groups(estimates: Iterable[Estimate]) -> tuple[ResultGroup, ...]:
    """Results by what they are of and where they are printed, in their order."""
    found: dict[tuple[str, str, str], list[Estimate]] = {}
    for one in estimates:
        found.setdefault((one.point.benchmark, one.title, one.source), []).append(one)
    return tuple(
        ResultGroup(benchmark, title, source, tuple(results))
        for (benchmark, title, source), results in found.items()
    )


def within_a_line(title: str) -> str:
    """The title with a small first letter, unless it begins with a name such as MPI_Init."""
    return title if title[1:2].isupper() else f"{title[:1].lower()}{title[1:]}"


def part_name(name: str) -> str:
    """What a part is called where people read it: `gpu` is `GPU`, `numa nodes` `NUMA nodes`."""
    return " ".join(word.upper() if word in _ABBREVIATED else word for word in name.split(" "))


def without_address(source: str) -> str:
    """The words of a source without an address in brackets, for a narrow column."""
    return _ADDRESS.sub("", source)


def point_labels(one: Estimate) -> tuple[str, ...]:
    """Parameters and stated layout of a result, as text; a workload's own by their names."""
    return tuple(named_point_labels(one).values())


def named_point_labels(one: Estimate) -> dict[str, str]:
    """The labels of a result by the names of parameters and fields of the layout."""
    phrase = _named if one.point.benchmark.startswith(_WORKLOAD) else parameter_phrase
    labels = {name: phrase(name, value) for name, value in one.point.parameters}
    if "pair" in labels and one.pair_relation:
        labels["pair"] += f" ({plain(one.pair_relation, 80)})"
    for name in stated_layout(one):
        value = getattr(one.point.layout, name, "")
        single, several = _LAYOUT_LABELS.get(name, (f"{name.replace('_', ' ')} {{}}",) * 2)
        if value != "" and name not in labels:
            labels[name] = (single if value == 1 else several).format(value)
    return labels


def stated_layout(one: Estimate) -> Sequence[str]:
    """The fields of the layout that are known of a result: those printed, or measured."""
    return one.printed.stated_layout if one.printed else _STATED


def interval_or_origin(one: Estimate) -> str:
    """The interval of a result, or that its value is printed, derived, or read off."""
    if one.printed and one.as_printed:
        return origin_briefly(one.printed)
    return result_interval_text(one)


def _named(name: str, value: int | str) -> str:
    """As a file of one's own has to name it to be compared with it: `cells=10500`."""
    return plain(f"{name}={parameter_text(name, value)}", 120)
