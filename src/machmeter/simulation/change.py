"""Twins with some parameters changed: what `--with NAME=VALUE` means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from machmeter.model.errors import UsageError
from machmeter.model.twin import Twin, TwinBasis, TwinParameter
from machmeter.simulation.parameters import DeclaredParameter, parameters_of
from machmeter.simulation.quantities import parse_quantity, quantity_text
from machmeter.simulation.read import unknown_parameter
from machmeter.simulation.shape import check_nodes

_SOME = 3
_TIMES = re.compile(r"\s*([0-9]{1,12}(?:\.[0-9]{1,12})?)\s*[x×]\s*")


def changed(twin: Twin, changes: Iterable[str]) -> Twin:
    """The twin with each change `NAME=VALUE` made.

    NAME is a parameter, or what several begin with: `network.link.bandwidth` is that of all links.
    VALUE is a quantity with its unit, or a factor such as `2x`.

    Raises UsageError where there is no such parameter, one is changed twice, a value is out of
    range, or the network no longer connects all nodes.
    """
    wanted = tuple(changes)
    made: dict[str, TwinParameter] = {}
    for change in wanted:
        with _naming(change):
            for one in _made(twin, change):
                if one.name in made:
                    raise UsageError(f"{one.name} is changed twice", "leave one of the two")
                made[one.name] = one
    result = replace(twin, parameters=tuple(made.get(one.name, one) for one in twin.parameters))
    with _naming(" ".join(wanted)):
        check_nodes(result)
    return result


def is_changed_by(twin: Twin, change: str) -> bool:
    """Whether the twin has a parameter that the change `NAME=VALUE` names."""
    return bool(_begun(twin, change.partition("=")[0].strip()))


@contextmanager
def _naming(change: str) -> Iterator[None]:
    try:
        yield
    except UsageError as error:
        raise UsageError(f"--with {change}: {error.message}", error.remedy) from error


def _made(twin: Twin, change: str) -> tuple[TwinParameter, ...]:
    name, equals, value = (part.strip() for part in change.partition("="))
    if not (name and equals and value):
        raise UsageError(
            "not of the form NAME=VALUE",
            "write for instance --with network.hop_latency=50ns or --with "
            "network.link.bandwidth=2x",
        )
    return tuple(
        TwinParameter(
            name=one.name,
            value=_value(value, one, twin.value(one.name)),
            basis=TwinBasis.ASSUMED,
            reason=f"--with {change}; without it {quantity_text(twin.value(one.name), one.unit)}",
            changed=True,
        )
        for one in _meant(twin, name)
    )


def _begun(twin: Twin, name: str) -> tuple[DeclaredParameter, ...]:
    """The parameters of that name, or else those that begin with it."""
    known = parameters_of(twin.topology, len(twin.shape))
    exact = tuple(one for one in known if one.name == name)
    return exact or tuple(one for one in known if one.name.startswith((f"{name}_", f"{name}.")))


def _meant(twin: Twin, name: str) -> tuple[DeclaredParameter, ...]:
    begun = _begun(twin, name)
    if not begun:
        known = parameters_of(twin.topology, len(twin.shape))
        raise unknown_parameter(name, tuple(one.name for one in known), f"the twin {twin.name}")
    if len({one.unit for one in begun}) > 1:
        raise UsageError(
            f"{name} stands for parameters of several units",
            f"name one, such as {', '.join(one.name for one in begun[:_SOME])}",
        )
    return begun


def _value(written: str, one: DeclaredParameter, before: float) -> float:
    factor = _TIMES.fullmatch(written)
    return one.checked(
        before * float(factor.group(1)) if factor else parse_quantity(written, one.unit)
    )
