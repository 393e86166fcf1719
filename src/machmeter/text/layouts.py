"""Layouts as text: in one phrase, in columns, and field by field."""

from __future__ import annotations

from functools import lru_cache

from msgspec import UNSET

from machmeter.model.layout import Binding, LaunchMode, Layout, ProgressMode
from machmeter.model.layout_fields import (
    FIELDS,
    LAYOUT_FIELDS,
    VARIANT_FIELDS,
    LayoutField,
    is_usual,
    threads_text,
)
from machmeter.model.variant import ONLY, Variant
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain

__all__ = ["threads_text"]

_MAX_NAME = 40


def layout_text(layout: Layout, variant: Variant = ONLY, *, of_ranks: bool = False) -> str:
    """The parts of a layout that differ from one thread on one core, `2 threads, 2 MiB pages`;
    of_ranks: of a program that has ranks, where it has one too: `1 rank`."""
    shown = {
        "nodes": layout.nodes > 1,
        "ranks_per_node": layout.ranks > 1 or of_ranks,
        "threads_per_rank": layout.cpus_per_rank > 1 or (layout.ranks == 1 and not of_ranks),
    }
    parts = [
        _phrase(field, layout)
        for field in LAYOUT_FIELDS
        if shown.get(field.name, field.brief and not is_usual(field, layout))
    ]
    return ", ".join([*parts, *([plain(variant.name, _MAX_NAME)] if variant.name else [])])


def layout_columns(layout: Layout, variant: Variant = ONLY) -> dict[str, str]:
    """Every field that layout and variant set, by the caption of its column."""
    return dict(_columns(layout, variant))


def layout_phrases(layout: Layout, variant: Variant = ONLY) -> dict[str, str]:
    """Layout and variant as text that stands alone, keyed as `layout_columns` does."""
    return dict(_phrases(layout, variant))


def split_text(layout: Layout) -> str:
    """Outer times inner threads of one rank, where every split is stated: `8 x 1 threads`."""
    return f"{layout.threads_per_rank} x {layout.inner_threads} threads"


def binding_text(binding: Binding) -> str:
    """How threads are bound, as text that stands alone."""
    return FIELDS["binding"].phrase(Layout(binding=binding))


def mode_text(mode: LaunchMode) -> str:
    """`MPI`, `hybrid + SMT + reserved`: a launch mode, named as by `--modes`."""
    return mode.value.replace("mpi", "MPI").replace("smt", "SMT").replace("+", " + ")


def ranks_text(layout: Layout) -> str:
    """`4 ranks`, `2 nodes, 4 ranks`."""
    ranks = count_text(layout.ranks, "rank", "ranks")
    return f"{layout.nodes} nodes, {ranks}" if layout.nodes > 1 else ranks


# A table of many results holds few layouts.
@lru_cache(maxsize=1024)
def _columns(layout: Layout, variant: Variant) -> tuple[tuple[str, str], ...]:
    return tuple(
        (field.title, plain(field.cell(getattr(one, field.name)), _MAX_NAME))
        for one, fields in ((layout, LAYOUT_FIELDS), (variant, VARIANT_FIELDS))
        for field in fields
        if getattr(one, field.name) is not UNSET
    )


@lru_cache(maxsize=1024)
def _phrases(layout: Layout, variant: Variant) -> tuple[tuple[str, str], ...]:
    found = {
        field.title: _phrase(field, one)
        for one, fields in ((layout, LAYOUT_FIELDS), (variant, VARIANT_FIELDS))
        for field in fields
        # Inner threads are said with the outer ones.
        if field is not FIELDS["inner_threads"] and getattr(one, field.name) is not UNSET
    }
    if not layout.reserved_cores or layout.progress is ProgressMode.RESERVED:
        # Who makes progress says which cores are kept free for it.
        found[FIELDS["reserved_cores"].title] = ""
    return tuple(found.items())


def _phrase(field: LayoutField, one: Layout | Variant) -> str:
    return plain(field.phrase(one), _MAX_NAME)
