"""Names of compared results, which distinguish each from the others of its kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence

from machmeter.analysis.matching.comparability import value_text
from machmeter.analysis.matching.layouts import partial_shape_text
from machmeter.analysis.matching.operands import Operand
from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout
from machmeter.model.layout_fields import LAYOUT_FIELDS, is_usual
from machmeter.model.results.machine_comparison import ComparedResult

_SHAPE = ("nodes", "ranks_per_node", "threads_per_rank", "inner_threads")
_ALWAYS_NAMED = ("page_bytes", "wait_policy")


def result_names(pairs: Sequence[tuple[Operand, Operand]]) -> tuple[str, ...]:
    """A name for each pair of results: its title, then what differs among those of its benchmark
    and metric: of the first result, and of the second where the first one has several matches.
    """
    known = [tuple(_point_labels(side) for side in sides) for sides in pairs]
    titles = [sides[0].estimate.title for sides in pairs]
    groups = [(s[0].estimate.point.benchmark, s[0].estimate.metric) for s in pairs]
    first = _distinguished(groups, [of_a for of_a, _ in known])
    second = _distinguished(list(zip(groups, first, strict=True)), [of_b for _, of_b in known])
    return tuple(
        _name(title, of_a, of_b) for title, of_a, of_b in zip(titles, first, second, strict=True)
    )


def _name(title: str, of_a: Sequence[str], of_b: Sequence[str]) -> str:
    label = ", ".join(of_a)
    if of_b:
        label = f"{label} against {', '.join(of_b)}".lstrip()
    return f"{title}: {label}" if label else title


def point_text(result: ComparedResult) -> str:
    """Every parameter of the first result, and how many ranks and threads on how many nodes as far
    as its source says.
    """
    labels = [_phrase(name, value) for name, value in result.a.point.parameters]
    shape = partial_shape_text(result.a.point.layout, frozenset(result.open_a))
    return ", ".join([*labels, shape] if shape else labels)


def _distinguished(
    groups: Sequence[Hashable], every: Sequence[dict[str, str]]
) -> list[tuple[str, ...]]:
    """The labels of each by which its group differs; nothing where none do."""
    of_group: dict[Hashable, list[dict[str, str]]] = defaultdict(list)
    for group, known in zip(groups, every, strict=True):
        of_group[group].append(known)
    varying = {group: _varying(known) for group, known in of_group.items()}
    return [
        tuple(known[name] for name in varying[group] if known.get(name))
        for group, known in zip(groups, every, strict=True)
    ]


def _varying(group: Sequence[dict[str, str]]) -> list[str]:
    names = dict.fromkeys(name for known in group for name in known)
    return [name for name in names if len({known.get(name) for known in group}) > 1]


def _point_labels(side: Operand) -> dict[str, str]:
    parameters = {f"parameter {n}": _phrase(n, v) for n, v in side.estimate.point.parameters}
    shape = partial_shape_text(side.layout, side.open_amounts)
    stated = {n: text for n, text in _of_layout(side.layout).items() if n not in side.open}
    return {**parameters, "shape": shape, **stated, "variant": side.estimate.point.variant.name}


def _phrase(name: str, value: Value) -> str:
    text = value_text(name, value)
    return text if name == "size" or isinstance(value, str) else f"{name} {text}"


def _of_layout(layout: Layout) -> dict[str, str]:
    """Settings of a layout by name; most that are usual are empty."""
    return {
        field.name: field.phrase(layout)
        if field.name in _ALWAYS_NAMED or not is_usual(field, layout)
        else ""
        for field in LAYOUT_FIELDS
        if field.name not in _SHAPE
    }
