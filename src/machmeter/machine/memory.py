"""How much memory there is, how much may be used, and in which pages."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from machmeter.machine.system_files import (
    is_count,
    key_values,
    read_int,
    read_text,
    selected_word,
)
from machmeter.model.machine import Memory, NumaDomain

MEMS_ALLOWED = "Mems_allowed"
_THP = "sys/kernel/mm/transparent_hugepage"
_POOLS = "sys/kernel/mm/hugepages"
_POOL = re.compile(r"hugepages-(\d{1,12})kB")


def read_memory(
    root: Path = Path("/"),
    limit_bytes: int = 0,
    limit_left_bytes: int | None = None,
    limit_source: str = "",
) -> Memory:
    """Memory of the system under `root`; `limit_bytes` is the control group's limit (0 = none),
    `limit_left_bytes` what is left of it (None = not known), `limit_source` the file that sets it.

    Figures come from /proc/meminfo, for the sizes that firmware tells may be wrong.
    """
    meminfo = key_values(read_text(root / "proc/meminfo"))
    total = _kibibytes(meminfo, "MemTotal")
    is_limit = 0 < limit_bytes < total or not total
    huge = read_int(root / _THP / "hpage_pmd_size", 0) or _kibibytes(meminfo, "Hugepagesize")
    return Memory(
        total_bytes=total,
        available_bytes=_kibibytes(meminfo, "MemAvailable") or _kibibytes(meminfo, "MemFree"),
        limit_bytes=limit_bytes if is_limit else 0,
        base_page_bytes=os.sysconf("SC_PAGE_SIZE"),
        huge_page_bytes=huge,
        transparent_huge_pages=selected_word(read_text(root / _THP / "enabled")) or "absent",
        huge_pages_free=_number(meminfo.get("HugePages_Free", "")),
        limit_left_bytes=limit_left_bytes,
        hugetlb_free=_free_of_pools(root / _POOLS),
        limit_source=limit_source if is_limit else "",
    )


def within_domains(memory: Memory, domains: Sequence[NumaDomain], root: Path = Path("/")) -> Memory:
    """The memory, with what the NUMA domains that may be used hold as a limit where others may not
    be; a tighter limit stays."""
    usable = [one for one in domains if one.allowed]
    held = sum(domain.memory_bytes for domain in usable)
    if len(usable) == len(domains) or not held:
        return memory
    free = sum(_free_of_domain(root, one.number, one.memory_bytes) for one in usable)
    left = memory.limit_left_bytes
    return replace(
        memory,
        limit_bytes=min(memory.limit_bytes or held, held),
        limit_left_bytes=free if left is None else min(free, left),
        limit_source=memory.limit_source if 0 < memory.limit_bytes <= held else MEMS_ALLOWED,
    )


def _free_of_domain(root: Path, number: int, otherwise: int) -> int:
    """Bytes that are free or hold file pages, which the kernel drops first."""
    text = read_text(root / f"sys/devices/system/node/node{number}/meminfo")
    meminfo = {key.split()[-1]: value for key, value in key_values(text).items() if key}
    if "MemFree" not in meminfo:
        return otherwise
    parts = ("MemFree", "Active(file)", "Inactive(file)")
    return sum(_kibibytes(meminfo, part) for part in parts)


def _free_of_pools(folder: Path) -> dict[str, int]:
    """Free pages by page size (Linux' admin-guide/mm/hugetlbpage): what is free, less what was
    promised to mappings that have not touched it yet."""
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError:
        return {}
    sizes = {int(found.group(1)): found.group(0) for found in map(_POOL.fullmatch, names) if found}
    return {
        str(kibibytes * 1024): max(
            read_int(folder / sizes[kibibytes] / "free_hugepages", 0)
            - read_int(folder / sizes[kibibytes] / "resv_hugepages", 0),
            0,
        )
        for kibibytes in sorted(sizes)
    }


def swap_used_bytes(root: Path = Path("/")) -> int:
    """Bytes swapped out at present."""
    meminfo = key_values(read_text(root / "proc/meminfo"))
    return max(_kibibytes(meminfo, "SwapTotal") - _kibibytes(meminfo, "SwapFree"), 0)


def _kibibytes(meminfo: dict[str, str], key: str) -> int:
    return _number(meminfo.get(key, "").removesuffix("kB").strip()) * 1024


def _number(text: str) -> int:
    return int(text) if is_count(text) else 0
