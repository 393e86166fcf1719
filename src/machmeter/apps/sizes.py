"""The sizes of an application: its description at one of them."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.apps.placeholders import with_values
from machmeter.model.errors import UsageError
from machmeter.model.plan.description import Description
from machmeter.model.written.choices import choice_remedy


def at_size(description: Description, name: str = "") -> Description:
    """The description at the size of that name (empty: its usual one), the only one that it then
    has; as it is where it has no sizes.

    Raises UsageError where there is no such size.
    """
    names = tuple(one.name for one in description.sizes)
    if name and name not in names:
        remedy = (
            choice_remedy(name, names, f"`machmeter apps show {description.name}` has all")
            if names
            else "leave --size out, or add sizes to its description (docs/apps.md)"
        )
        raise UsageError(f"{description.name} has no size {name!r}", remedy)
    if not names:
        return description
    size = description.sizes[names.index(name) if name else 0]
    checks = (
        replace(one, reference=size.references.get(one.name, one.reference))
        for one in description.checks
    )
    inputs = (
        replace(one, sha256=size.sha256.get(one.path, one.sha256)) for one in description.inputs
    )
    preparations = (
        one if one.each_launch else replace(one, command=with_values(one.command, size.values))
        for one in description.preparations
    )
    usual = size == description.sizes[0]
    return replace(
        description,
        title=description.title if usual else f"{description.title}, size {size.name}",
        sizes=(size,),
        seconds=size.seconds,
        checks=tuple(checks),
        inputs=tuple(inputs),
        preparations=tuple(preparations),
    )
