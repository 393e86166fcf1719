"""Names of compared figures: the circumstances that tell each from the others of its kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from machmeter.analysis.alike import value_text
from machmeter.analysis.alike_layouts import is_work, shape_text
from machmeter.model.benchmark import Value
from machmeter.model.estimate import Estimate
from machmeter.model.layout import Binding, Layout, Progress, WaitPolicy
from machmeter.model.units import format_bytes


def figure_names(estimates: Sequence[Estimate]) -> tuple[str, ...]:
    """A name for each: its title, then what differs among those of its benchmark and metric."""
    groups: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    every = [_circumstances(estimate) for estimate in estimates]
    for estimate, known in zip(estimates, every, strict=True):
        groups[estimate.point.benchmark, estimate.metric].append(known)
    varying = {key: _varying(group) for key, group in groups.items()}
    return tuple(
        _name(estimate, known, varying[estimate.point.benchmark, estimate.metric])
        for estimate, known in zip(estimates, every, strict=True)
    )


def circumstances_text(estimate: Estimate) -> str:
    """Every parameter, and how many ranks and threads on how many nodes.

    Empty for an application of which a source states neither.
    """
    told = [_phrase(name, value) for name, value in estimate.point.parameters]
    silent = estimate.source and not estimate.words.get("layout_stated")
    if not (silent and is_work(estimate)):
        told.append(shape_text(estimate.point.layout))
    return ", ".join(told)


def _name(estimate: Estimate, known: dict[str, str], varying: Sequence[str]) -> str:
    told = [known[name] for name in varying if known.get(name)]
    return f"{estimate.title}: {', '.join(told)}" if told else estimate.title


def _varying(group: Sequence[dict[str, str]]) -> list[str]:
    names = dict.fromkeys(name for known in group for name in known)
    return [name for name in names if len({known.get(name) for known in group}) > 1]


def _circumstances(estimate: Estimate) -> dict[str, str]:
    parameters = {f"parameter {n}": _phrase(n, v) for n, v in estimate.point.parameters}
    return {**parameters, **_of_layout(estimate.point.layout)}


def _phrase(name: str, value: Value) -> str:
    text = value_text(name, value)
    return text if name == "size" or isinstance(value, str) else f"{name} {text}"


def _of_layout(layout: Layout) -> dict[str, str]:
    """Parts of a layout by name; what is usual has no words."""
    return {
        "shape": shape_text(layout),
        "smt": f"SMT {layout.smt}" * (layout.smt > 1),
        "binding": "" if layout.binding is Binding.CLOSE else f"bound {layout.binding.value}",
        "pages": f"{format_bytes(layout.page_bytes)} pages",
        "wait": "passive wait" * (layout.wait_policy is WaitPolicy.PASSIVE),
        "reserved": f"{layout.reserved_cores} reserved" * (layout.reserved_cores > 0),
        "oversubscribe": "oversubscribed" * layout.oversubscribe,
        "openmp": layout.openmp,
        "allocator": layout.allocator,
        "progress": "" if layout.progress is Progress.LIBRARY else layout.progress.value,
        "package": f"package {layout.package}" * (layout.package >= 0),
        "mpi": layout.mpi,
    }
