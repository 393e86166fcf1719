"""Values of parameters and layouts as findings name them: `8 threads`, `2 MiB`, `4 x 2`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from machmeter.analysis.rules.trial import Label
from machmeter.model.benchmark import Value
from machmeter.model.layout import Binding, ProgressMode
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import format_bytes, format_interval
from machmeter.text.results import value_text

MOST_LISTED = 6
NOTHING_SET = "nothing set"
_COUNTED = {
    "threads": "thread",
    "threads_per_rank": "thread",
    "inner_threads": "inner thread",
    "derivatives": "derivative",
    "ranks": "rank",
    "ranks_per_node": "rank on each node",
    "nodes": "node",
    "cores": "core",
    "outstanding": "operation",
    "reserved_cores": "reserved core",
}
_PLURALS = {"ranks_per_node": "ranks on each node"}
# Of launch modes: not said where something else is.
_UNSET = ("binding", Binding.DEFAULT.value)
_PLAIN: Label = (("smt", 1), ("reserved_cores", 0), ("is_placed", True))


def value_label(name: str, value: Value) -> str:
    """A value of parameter or layout field `name`: `8 threads`, `2 MiB`, `4 x 2`, `dynamic`."""
    if name in _COUNTED:
        many = _PLURALS.get(name, f"{_COUNTED[name]}s")
        return f"{value} {_COUNTED[name] if value == 1 else many}"
    if name in _WRITTEN:
        return _WRITTEN[name](value)
    # A number says nothing without its name.
    numbered = isinstance(value, int) and not isinstance(value, bool)
    return f"{name.replace('_', ' ')} {value}" if numbered else str(value)


def label_text(label: Label, joined: str = ", ") -> str:
    """Several values in a row; of launch modes what a plain one has too is left out, and where
    nothing is set a number of threads, which nobody sets."""
    said = [one for one in label if one not in _PLAIN] or label
    if _UNSET in said:
        said = [one for one in said if one[0] != "threads_per_rank"]
    return joined.join(value_label(name, value) for name, value in said)


def _bytes(value: Value) -> str:
    return format_bytes(value) if isinstance(value, int) else value


_WRITTEN: Mapping[str, Callable[[Value], str]] = {
    "size": _bytes,
    "page_bytes": _bytes,
    "pages": lambda value: {"base": "base pages", "transparent": "transparent huge pages"}.get(
        str(value), f"{value} pages"
    ),
    "chunk": lambda value: f"chunks of {value}" if value else "no chunk size",
    "openmp": lambda value: str(value) or "as linked",
    "allocator": lambda value: str(value) or "as linked",
    "wait_policy": lambda value: f"{value} wait",
    "mpi": lambda value: str(value) or "the MPI library",
    # Of one-sided communication a window is no number, but how it was made.
    "window": lambda value: f"window {value}" if isinstance(value, int) else value,
    "smt": lambda value: f"SMT {value}",
    "binding": lambda value: NOTHING_SET if value == Binding.DEFAULT else str(value),
    "is_placed": lambda value: "placed" if value else NOTHING_SET,
    # Of a program: a checksum.
    "input": lambda value: f"input {value}",
    "package": lambda value: "all packages" if value == -1 else f"package {value}",
    "progress": lambda value: "no progress thread" if value == ProgressMode.LIBRARY else str(value),
}


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
