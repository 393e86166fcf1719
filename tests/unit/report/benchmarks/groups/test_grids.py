import math

import pytest
from msgspec.structs import replace

from machmeter.analysis.stats.fields import where
from machmeter.model.machine import Topology
from machmeter.model.results.estimate import Estimate
from machmeter.report.benchmarks.groups.grids import (
    MOST_CELLS_A_SIDE,
    cpu_levels,
    domain_levels,
    grid_of,
    grid_rows,
    three_digits,
)
from tests.support.synthetic.machine import make_machine, make_packages
from tests.support.synthetic.maker import Maker, unresolved
from tests.support.synthetic.places import SETS, pages, pairs

TOPOLOGY = make_packages().topology


def boards(packages: int = 8, of_board: int = 2) -> Topology:
    """One domain a package; packages of one board are near to each other, others far."""
    topology = make_packages(packages, 1, 4).topology
    domains = tuple(
        replace(
            domain,
            distances=tuple(
                10 if other == number else 16 if other // of_board == number // of_board else 160
                for other in range(packages)
            ),
        )
        for number, domain in enumerate(topology.domains)
    )
    return replace(topology, domains=domains)


def one_kind(topology: Topology, most: int) -> list[Estimate]:
    return pages(Maker(1), topology, most, [(SETS[0], "read", "word", "dependent")])


def test_levels_go_from_cpus_to_what_holds_more() -> None:
    assert [level.name for level in cpu_levels(make_machine(cores=4).topology)] == ["CPU"]
    names = [level.name for level in cpu_levels(TOPOLOGY)]
    assert names == ["CPU", "L3 of CPU", "NUMA domain", "package"]
    assert [level.name for level in cpu_levels(boards())][-1] == "board of CPU"


def test_matrix_of_all_pairs_is_of_cpus() -> None:
    found = one_kind(TOPOLOGY, 1000)
    grid = grid_of(cpu_levels(TOPOLOGY), found, symmetric=False)
    assert grid.level.name == "CPU"
    assert len(grid.cells) == len(found) == 256
    assert all(cell.pairs == 1 for cell in grid.cells)


def test_sampled_pairs_are_put_together_until_the_matrix_is_filled() -> None:
    found = one_kind(TOPOLOGY, 64)
    grid = grid_of(cpu_levels(TOPOLOGY), found, symmetric=False)
    assert grid.level.name == "L3 of CPU"
    assert len(grid.cells) == 16
    same = sum(pair[0] == pair[-1] for pair in (str(dict(e.point.parameters)["pair"]).split("-")
                                                for e in found))  # fmt: skip
    assert sum(cell.pairs for cell in grid.cells) == len(found) - same


def test_large_matrix_stays_small() -> None:
    topology = make_packages(2, 4, 16).topology
    found = one_kind(topology, 20_000)
    grid = grid_of(cpu_levels(topology), found, symmetric=False)
    assert len(found) == 128**2
    assert len(grid.places) <= MOST_CELLS_A_SIDE


def test_symmetric_pairs_stand_on_both_sides() -> None:
    found = where(pairs(Maker(1), TOPOLOGY, 1000), "protocol", "one-line")
    grid = grid_of(cpu_levels(TOPOLOGY), found, symmetric=True)
    values = {(cell.row, cell.column): cell.value for cell in grid.cells}
    assert len(values) == 2 * len(found) == 240
    assert all(values[a, b] == values[b, a] for a, b in values)


def test_unresolved_pairs_are_left_out() -> None:
    found = where(pairs(Maker(1), TOPOLOGY, 1000), "protocol", "one-line")
    rest = [unresolved(found[0]), *found[1:]]
    assert len(grid_of(cpu_levels(TOPOLOGY), rest, symmetric=True).cells) == 238
    nothing = grid_of(cpu_levels(TOPOLOGY), [unresolved(e) for e in found], symmetric=True)
    assert nothing.cells == ()


def test_domains_are_not_put_together() -> None:
    assert [level.name for level in domain_levels(TOPOLOGY)] == ["NUMA domain"]


def test_rows_carry_value_and_words() -> None:
    grid = grid_of(cpu_levels(TOPOLOGY), one_kind(TOPOLOGY, 64), symmetric=False)
    for row, cell in zip(grid_rows(grid, 1e-9, lambda a, b: f"{a} {b}"), grid.cells, strict=True):
        assert math.isclose(row["value"], cell.value * 1e9, rel_tol=1e-3)
        assert row["where"] == f"{row['y']} {row['x']}"
        assert f"median of {cell.pairs} pairs" in row["label"] or cell.pairs == 1


@pytest.mark.parametrize(
    ("value", "text"), [(0.12, "0.120"), (1.8, "1.80"), (99.96, "100"), (1234.5, "1234")]
)
def test_cells_say_three_digits(value: float, text: str) -> None:
    assert three_digits(value) == text
