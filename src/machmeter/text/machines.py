"""The figures of one machine in groups, and the words that both its page and its terminal use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.printed_text import known_briefly
from machmeter.text.labels import parameter_phrase, parameter_text
from machmeter.text.plain import plain
from machmeter.text.results import interval_text

_WORDS_OF_LAYOUT = {
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
    """Figures of one quantity that are printed in one place."""

    benchmark: str
    title: str
    source: str
    figures: tuple[Estimate, ...]

    def common(self) -> tuple[str, ...]:
        """The circumstances that all of them have, where they are several."""
        if len(self.figures) < 2:
            return ()
        of_each = [circumstances(one) for one in self.figures]
        shared = set.intersection(*map(set, of_each))
        return tuple(word for word in of_each[0] if word in shared)

    def told(self, word: str) -> dict[str, tuple[Estimate, ...]]:
        """What figures say under `word` (`note`, `flag`), each once, with those that say it."""
        said: dict[str, list[Estimate]] = {}
        for one in self.figures:
            text = getattr(one.printed, word, "")
            if text:
                said.setdefault(text, []).append(one)
        return {text: tuple(figures) for text, figures in said.items()}


def figure_groups(estimates: Iterable[Estimate]) -> tuple[ResultGroup, ...]:
    """Figures by what they are of and where they are printed, in their order."""
    found: dict[tuple[str, str, str], list[Estimate]] = {}
    for one in estimates:
        found.setdefault((one.point.benchmark, one.title, one.source), []).append(one)
    return tuple(
        ResultGroup(benchmark, title, source, tuple(figures))
        for (benchmark, title, source), figures in found.items()
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


def circumstances(one: Estimate) -> tuple[str, ...]:
    """Parameters and stated layout of a figure, in words; a workload's own by their names."""
    return tuple(named_circumstances(one).values())


def named_circumstances(one: Estimate) -> dict[str, str]:
    """The circumstances of a figure by the names of parameters and fields of the layout."""
    phrase = _named if one.point.benchmark.startswith(_WORKLOAD) else parameter_phrase
    words = {name: phrase(name, value) for name, value in one.point.parameters}
    if "pair" in words and one.pair_relation:
        words["pair"] += f" ({plain(one.pair_relation, 80)})"
    for name in stated_layout(one):
        value = getattr(one.point.layout, name, "")
        single, several = _WORDS_OF_LAYOUT.get(name, (f"{name.replace('_', ' ')} {{}}",) * 2)
        if value != "" and name not in words:
            words[name] = (single if value == 1 else several).format(value)
    return words


def stated_layout(one: Estimate) -> Sequence[str]:
    """The fields of the layout that are known of a figure: those printed, or measured."""
    return one.printed.stated_layout if one.printed else _STATED


def known_by(one: Estimate) -> str:
    """How well a figure is known: its interval, or that it is printed, derived, or read off."""
    if one.printed and one.as_printed:
        return known_briefly(one.printed)
    return interval_text(one)


def _named(name: str, value: int | str) -> str:
    """As a file of one's own has to name it to be compared with it: `cells=10500`."""
    return plain(f"{name}={parameter_text(name, value)}", 120)
