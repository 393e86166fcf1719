"""Layouts in words: in one phrase, in columns, and part by part."""

from __future__ import annotations

from machmeter.model.layout import BASE_PAGE, Binding, Layout, ProgressMode
from machmeter.model.plan.variant import ONLY, Variant
from machmeter.model.units import format_bytes
from machmeter.text.numbers import count_text
from machmeter.text.plain import plain


def layout_text(layout: Layout, variant: Variant = ONLY) -> str:
    """The parts of a layout that differ from one thread on one core, `2 threads, 2 MiB pages`."""
    parts = []
    if layout.nodes > 1:
        parts.append(f"{layout.nodes} nodes")
    if layout.ranks > 1:
        parts.append(f"{layout.ranks} ranks")
    if layout.cpus_per_rank > 1 or layout.ranks == 1:
        parts.append(threads_text(layout))
    if layout.page_bytes != BASE_PAGE:
        parts.append(f"{format_bytes(layout.page_bytes)} pages")
    if layout.smt > 1:
        parts.append(f"SMT {layout.smt}")
    if layout.reserved_cores:
        parts.append(count_text(layout.reserved_cores, "reserved core", "reserved cores"))
    if layout.binding is not Binding.CLOSE:
        parts.append(binding_text(layout.binding))
    if layout.oversubscribe:
        parts.append("oversubscribed")
    if layout.package >= 0:
        parts.append(f"package {layout.package}")
    if layout.progress is not ProgressMode.LIBRARY:
        parts.append(layout.progress.value)
    names = (layout.openmp, layout.allocator, variant.name)
    parts += [plain(name, 40) for name in names if name]
    return ", ".join(parts)


def layout_columns(layout: Layout, variant: Variant = ONLY) -> dict[str, str]:
    """Layout and variant, one phrase a part, in the order in which a person asks."""
    return {
        "nodes": str(layout.nodes),
        "ranks per node": str(layout.ranks_per_node),
        "threads per rank": str(layout.threads_per_rank),
        "inner threads": str(layout.inner_threads),
        "pages": format_bytes(layout.page_bytes),
        "wait policy": layout.wait_policy.value,
        "binding": layout.binding.value,
        "SMT": str(layout.smt),
        "reserved cores": str(layout.reserved_cores),
        "oversubscribed": "yes" if layout.oversubscribe else "no",
        "OpenMP": plain(layout.openmp, 40) or "as linked",
        "allocator": plain(layout.allocator, 40) or "as linked",
        "progress": layout.progress.value,
        "package": "all" if layout.package < 0 else str(layout.package),
        "MPI": plain(variant.mpi, 40) or "the only one",
    }


def threads_text(layout: Layout) -> str:
    """The threads of one rank: `2 threads`; outer times inner where they nest, `2 x 4 threads`."""
    if layout.inner_threads > 1:
        return f"{layout.threads_per_rank} x {layout.inner_threads} threads"
    return count_text(layout.threads_per_rank, "thread", "threads")


def split_text(layout: Layout) -> str:
    """Outer times inner threads of one rank, where every split is told: `8 x 1 threads`."""
    return f"{layout.threads_per_rank} x {layout.inner_threads} threads"


def binding_text(binding: Binding) -> str:
    """How threads are bound, in words that stand alone."""
    return {
        Binding.CLOSE: "close",
        Binding.SPREAD: "spread",
        Binding.OUTER: "outer threads bound",
        Binding.NONE: "unbound",
    }[binding]


def layout_phrases(layout: Layout, variant: Variant = ONLY) -> dict[str, str]:
    """The parts of a layout in words that stand alone, keyed as `layout_columns` does."""
    library = layout.progress is ProgressMode.LIBRARY
    reserved = layout.reserved_cores
    return {
        "nodes": count_text(layout.nodes, "node", "nodes"),
        "ranks per node": count_text(layout.ranks, "rank", "ranks"),
        "threads per rank": threads_text(layout),
        "pages": f"{format_bytes(layout.page_bytes)} pages",
        "binding": binding_text(layout.binding),
        "reserved cores": count_text(reserved, "reserved core", "reserved cores")
        if reserved and layout.progress is not ProgressMode.RESERVED
        else "",
        "oversubscribed": "oversubscribed" if layout.oversubscribe else "one rank a core",
        "progress": "no progress thread" if library else layout.progress.value,
        "package": "all packages" if layout.package < 0 else f"package {layout.package}",
        "MPI": plain(variant.mpi, 40) or "only MPI",
    }


def ranks_text(layout: Layout) -> str:
    """`4 ranks`, `2 nodes, 4 ranks`."""
    ranks = count_text(layout.ranks, "rank", "ranks")
    return f"{layout.nodes} nodes, {ranks}" if layout.nodes > 1 else ranks
