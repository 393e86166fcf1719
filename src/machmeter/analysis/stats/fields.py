"""Results by the values of their parameters and layout fields, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from machmeter.model.benchmark import Value
from machmeter.model.results.estimate import Estimate

SPLIT = "split"
"""Outer times inner threads of one rank: `4 x 2`."""


def value_of(estimate: Estimate, name: str) -> Value:
    """The value of a parameter, of a field of the layout, or of the variant; empty where the point
    has none."""
    parameters = dict(estimate.point.parameters)
    if name in parameters:
        return parameters[name]
    layout = estimate.point.layout
    if name == SPLIT:
        return f"{layout.threads_per_rank} x {layout.inner_threads}"
    of_variant = estimate.point.variant.fields()
    value: Value = of_variant[name] if name in of_variant else getattr(layout, name, "")
    return value


def has_values(estimate: Estimate, values: Mapping[str, str]) -> bool:
    """Whether the point has these values, written as text, of parameters or fields by name."""
    return all(str(value_of(estimate, name)) == value for name, value in values.items())


def where(estimates: Iterable[Estimate], name: str, *values: object) -> tuple[Estimate, ...]:
    """Those with one of these values of a parameter or field."""
    return tuple(one for one in estimates if value_of(one, name) in values)


def extreme(
    estimates: Iterable[Estimate], name: str, choose: Callable[..., Any] = max
) -> tuple[Estimate, ...]:
    """Those with the largest number of a parameter or field, or what else `choose` takes of all.

    Where none has a number of it, all.
    """
    every = tuple(estimates)
    numbers = [value for one in every if isinstance(value := value_of(one, name), int)]
    return where(every, name, choose(numbers)) if numbers else every


def values_of(name: str, estimates: Sequence[Estimate]) -> tuple[Value, ...]:
    """Every value of a parameter or layout field once: numbers by size, text as it comes."""
    values = tuple(dict.fromkeys(value_of(estimate, name) for estimate in estimates))
    numbers = sorted(value for value in values if isinstance(value, int))
    return tuple(numbers) if len(numbers) == len(values) else values
