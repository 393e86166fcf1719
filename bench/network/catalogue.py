"""All quantities, family by family."""

from __future__ import annotations

from collections.abc import Collection

from bench.network.collectives import blocking, nonblocking, persistent
from bench.network.one_sided import one_sided
from bench.network.point_to_point import point_to_point
from bench.network.quantity import Family, Quantity


def quantities(families: Collection[Family] = ()) -> tuple[Quantity, ...]:
    """The quantities of `families` (all if empty), in the order of the table."""
    found = (*point_to_point(), *blocking(), *nonblocking(), *persistent(), *one_sided())
    return tuple(q for q in found if not families or q.family in families)
