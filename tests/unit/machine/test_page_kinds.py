"""In which kinds of pages memory can be had, and the remedy for the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.benchmarks.memory.allocation import ALLOCATION
from machmeter.machine.memory import read_memory
from machmeter.machine.page_kinds import BASE, HUGETLB, TRANSPARENT, page_kinds
from machmeter.model.machine import Memory
from tests.support.sysfs_tree import write

GIB = 2**30
POOLS = {str(2 * 2**20): 64, str(GIB): 2}
MEMORY = Memory(16 * GIB, 8 * GIB, 0, 4096, 2 * 2**20, "madvise", 0, hugetlb_free=POOLS)


def test_kinds_are_those_that_the_benchmark_knows() -> None:
    (pages,) = (p for p in ALLOCATION.parameters if p.name == "pages")
    assert pages.choices == (BASE, TRANSPARENT, *HUGETLB)


def test_everything_that_is_there_is_available() -> None:
    assert page_kinds(MEMORY) == ((BASE, TRANSPARENT, *HUGETLB), {})


@pytest.mark.parametrize(
    ("setting", "words"),
    [("never", "echo madvise >"), ("absent", "no transparent huge pages")],
)
def test_without_transparent_pages_the_remedy_is_told(setting: str, words: str) -> None:
    kinds, lacking = page_kinds(replace(MEMORY, transparent_huge_pages=setting))
    assert TRANSPARENT not in kinds
    assert words in lacking[TRANSPARENT]


def test_huge_pages_no_larger_than_base_pages_are_none() -> None:
    kinds, lacking = page_kinds(replace(MEMORY, huge_page_bytes=0))
    assert TRANSPARENT not in kinds
    assert TRANSPARENT in lacking


@pytest.mark.parametrize(
    ("size", "threads", "lacks"),
    [
        (128 * 2**20, 1, {}),
        (128 * 2**20 + 1, 1, {"hugetlb-2m": 65}),
        (0, 3, {"hugetlb-1g": 3}),
        (3 * GIB, 1, {"hugetlb-2m": 1536, "hugetlb-1g": 3}),
    ],
)
def test_a_pool_must_hold_the_size_and_a_page_for_each_thread(
    size: int, threads: int, lacks: dict[str, int]
) -> None:
    kinds, lacking = page_kinds(MEMORY, size, threads)
    assert lacking.keys() == lacks.keys()
    for kind, pages in lacks.items():
        folder = f"hugepages-{HUGETLB[kind] // 1024}kB"
        assert f"echo {pages} > /sys/kernel/mm/hugepages/{folder}/nr_hugepages" in lacking[kind]
        assert kind not in kinds


def test_pools_that_memory_could_not_fill_have_no_remedy() -> None:
    _, lacking = page_kinds(replace(MEMORY, available_bytes=GIB, hugetlb_free={str(GIB): 0}), 2**31)
    assert "more than the memory that may be used" in lacking["hugetlb-1g"]
    assert lacking["hugetlb-2m"] == "this kernel has no pool of pages of 2 MiB"


def test_pools_are_read_without_what_is_promised(tmp_path: Path) -> None:
    pools = "sys/kernel/mm/hugepages"
    write(tmp_path, f"{pools}/hugepages-2048kB/free_hugepages", 10)
    write(tmp_path, f"{pools}/hugepages-2048kB/resv_hugepages", 4)
    write(tmp_path, f"{pools}/hugepages-1048576kB/free_hugepages", "?")
    write(tmp_path, f"{pools}/other", 7)
    assert read_memory(tmp_path).hugetlb_free == {str(2 * 2**20): 6, str(GIB): 0}
    assert read_memory(tmp_path / "elsewhere").hugetlb_free == {}
