"""Values of parameters and layouts as findings name them: `8 threads`, `2 MiB`, `4 x 2`."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.analysis.rules.trial import Label
from machmeter.model.benchmark import Value
from machmeter.model.layout import Binding
from machmeter.model.layout_fields import FIELDS, field_text
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import format_interval
from machmeter.text.labels import parameter_phrase
from machmeter.text.numbers import count_text
from machmeter.text.results import value_text

MOST_LISTED = 6
# What is counted over all of a layout, and what its phrase says of a plain one only.
_COUNTED = {
    "threads": ("thread", "threads"),
    "ranks": ("rank", "ranks"),
    "ranks_per_node": ("rank on each node", "ranks on each node"),
    "cores": ("core", "cores"),
}
_PLACED = ("nothing set", "placed")
_PAGES = {"base": "base pages", "transparent": "transparent huge pages"}
# Of launch modes: not said where something else is.
_UNSET, _UNPLACED = ("binding", Binding.DEFAULT.value), ("is_placed", False)
_PLAIN: Label = (("smt", 1), ("reserved_cores", 0), ("is_placed", True))


def value_label(name: str, value: Value) -> str:
    """A value of parameter or layout field `name`: `8 threads`, `2 MiB`, `4 x 2`, `dynamic`."""
    if name in _COUNTED:
        return count_text(int(value), *_COUNTED[name])
    if name in FIELDS:
        return field_text(name, value)
    if name == "is_placed":
        return _PLACED[bool(value)]
    if name == "chunk":
        return f"chunks of {value}" if value else "no chunk size"
    if name == "pages":
        return _PAGES.get(str(value), f"{value} pages")
    return parameter_phrase(name, value)


def label_text(label: Label, joined: str = ", ") -> str:
    """Several values in a row; of launch modes what a plain one has too is left out, and where
    nothing is set a number of threads, which nobody sets."""
    return joined.join(value_label(name, value) for name, value in _said(label))


def is_nothing_set(label: Label) -> bool:
    """Whether its text says that nothing is set, and no more."""
    return set(_said(label)) <= {_UNSET, _UNPLACED}


def _said(label: Label) -> Label:
    said = tuple(one for one in label if one not in _PLAIN) or label
    if _UNSET in said:
        return tuple(one for one in said if one[0] != "threads_per_rank" and one != _UNPLACED)
    return said


def interval_value(estimate: Estimate) -> str:
    """The value and its interval, where it has one: `87 % [85.1, 88.9]`."""
    if not estimate.resolved or not estimate.is_bounded:
        return value_text(estimate)
    interval = format_interval(estimate.low, estimate.high, estimate.value, estimate.unit)
    return f"{value_text(estimate)} {interval}"


def cases_text(labels: Sequence[str], cases: int, names: int) -> str:
    """Labels of some cases as text; `all 12 cases` where they are combinations of several names,
    and too many to read."""
    if len(labels) == cases > MOST_LISTED and names > 1:
        return f"all {cases} cases"
    return listed(labels)


def listed(names: Sequence[str]) -> str:
    """`a, b and c`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
