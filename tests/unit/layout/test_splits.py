from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.layout.splits import domain_cores, splits
from machmeter.machine.topology.hwloc_read import read_hwloc
from tests.support.paths import DATA
from tests.support.sysfs_tree import Shape

HWLOC = DATA / "hwloc"


def test_splits_of_few_cores() -> None:
    assert splits(1) == ((1, 1),)
    assert splits(2) == ((1, 2), (2, 1))
    assert splits(12) == ((1, 12), (2, 6), (3, 4), (4, 3), (6, 2), (12, 1))


@given(st.integers(1, 3000))
def test_splits_are_all_factorizations(cores: int) -> None:
    found = splits(cores)
    assert all(outer * inner == cores for outer, inner in found)
    outers = [outer for outer, _ in found]
    assert outers == sorted(set(outers))
    # Mirrored: with (outer, inner) there is (inner, outer).
    assert {(inner, outer) for outer, inner in found} == set(found)
    assert all(divisor in outers for divisor in range(1, cores + 1) if cores % divisor == 0)


def test_no_cores_cannot_be_split() -> None:
    with pytest.raises(ValueError, match="0 cores"):
        splits(0)


def test_a_domain_has_its_usable_cores() -> None:
    assert domain_cores(Shape().topology()) == 8, "hardware threads are no cores"
    assert domain_cores(read_hwloc(HWLOC / "thirteen_boards.xml")) == 8
    big = Shape().topology()
    uneven = replace(
        big, cpus=tuple(replace(c, allowed=not (c.numa == 3 and c.core % 8 > 4)) for c in big.cpus)
    )
    assert domain_cores(uneven) == 5
    without = replace(big, cpus=tuple(replace(c, online=c.numa != 3) for c in big.cpus))
    assert domain_cores(without) == 8, "a domain without usable cores does not count"


def test_no_usable_cpu_is_an_error() -> None:
    big = Shape().topology()
    none = replace(big, cpus=tuple(replace(c, allowed=False) for c in big.cpus))
    with pytest.raises(ValueError, match="cpuset"):
        domain_cores(none)
