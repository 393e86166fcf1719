from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from machmeter.machine.system_files import (
    format_cpu_list,
    parse_cpu_list,
    read_size,
    selected_word,
)
from machmeter.machine.topology.hwloc_bitmap import format_bitmap, parse_bitmap

CPU_SETS = st.sets(st.integers(0, 2000))


@settings(deadline=None)
@given(CPU_SETS)
def test_cpu_lists_come_back(cpus: set[int]) -> None:
    assert parse_cpu_list(format_cpu_list(cpus)) == tuple(sorted(cpus))


@settings(deadline=None)
@given(CPU_SETS)
def test_bitmaps_come_back(cpus: set[int]) -> None:
    assert parse_bitmap(format_bitmap(cpus), 65536) == tuple(sorted(cpus))


def test_lists_of_the_kernel() -> None:
    assert parse_cpu_list("0-3,8,16-23:2/4\n") == (0, 1, 2, 3, 8, 16, 17, 20, 21)
    assert parse_cpu_list("") == ()


@pytest.mark.parametrize("text", ["a", "3-1", "0-70000", "1-4:0/2", "-1", "0-3:4/2"])
def test_what_is_no_cpu_list_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a|does not use"):
        parse_cpu_list(text)


def test_bitmaps_of_hwloc() -> None:
    assert parse_bitmap("0x00000003,,0x80000001", 65536) == (0, 31, 64, 65)


@pytest.mark.parametrize("text", ["0xf...f", "12", "0x1," * 3000, "0xg"])
def test_what_is_no_bitmap_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a finite|beyond"):
        parse_bitmap(text, 65536)


def test_sizes_and_selections(tmp_path: Path) -> None:
    (tmp_path / "size").write_text("480M\n")
    assert read_size(tmp_path / "size") == 480 * 2**20
    assert read_size(tmp_path / "missing") == 0
    assert selected_word("always [madvise] never") == "madvise"
