"""In which kinds of pages memory can be had, and what to do for the others. Pure."""

from __future__ import annotations

from machmeter.model.machine import Memory
from machmeter.model.units import format_bytes

BASE, TRANSPARENT = "base", "transparent"
HUGETLB = {"hugetlb-2m": 2 * 2**20, "hugetlb-1g": 2**30}


def page_kinds(
    memory: Memory, size_bytes: int = 0, threads: int = 1
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The kinds of pages that `size_bytes` can be had in, and why not in each of the others.

    Pages of the pools (`hugetlb-...`) must be free in the pool: as many as hold the size, and one
    for each of `threads`. Each reason ends in its remedy.
    """
    reasons = {TRANSPARENT: _no_transparent(memory)} | {
        kind: _no_pool(memory, page_bytes, size_bytes, threads)
        for kind, page_bytes in HUGETLB.items()
    }
    available = (BASE, *(kind for kind, reason in reasons.items() if not reason))
    return available, {kind: reason for kind, reason in reasons.items() if reason}


def _no_transparent(memory: Memory) -> str:
    if memory.transparent_huge_pages in ("always", "madvise"):
        if memory.huge_page_bytes > memory.base_page_bytes:
            return ""
        return "this kernel knows no huge page"
    if memory.transparent_huge_pages == "absent":
        return "this kernel has no transparent huge pages"
    return (
        "transparent huge pages are off: as root, "
        "`echo madvise > /sys/kernel/mm/transparent_hugepage/enabled`"
    )


def _no_pool(memory: Memory, page_bytes: int, size_bytes: int, threads: int) -> str:
    free = memory.hugetlb_free.get(str(page_bytes))
    pages = f"pages of {format_bytes(page_bytes)}"
    if free is None:
        return f"this kernel has no pool of {pages}"
    needed = max(-(-size_bytes // page_bytes), threads)
    if free >= needed:
        return ""
    if needed * page_bytes > memory.usable_bytes:
        return f"{needed} {pages} are more than the memory that may be used"
    return (
        f"the kernel's pool has {free} free {pages} of the {needed} needed: as root, "
        f"`echo {needed} > /sys/kernel/mm/hugepages/hugepages-{page_bytes // 1024}kB/nr_hugepages`"
    )
