"""What a score compares: a quantity of one problem of one code, and the resources it used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

from machmeter.analysis.matching.operands import Operand
from machmeter.model.benchmark import Direction
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults

REFERENCE_TFLOP = "reference_tflop"
# What a problem is run on and with, which is no part of the problem.
_NOT_OF_PROBLEM = {
    *("mpi", "mpi_library", "library", "compiler", "runtime", "version", "software"),
    *("nodes", "cores", "ranks", "threads"),
}

# How many nodes or cores a result used; 0 where its source does not say.
Amount = Callable[[Operand], int]


class Quantity(NamedTuple):
    """What two results must have in common to be components of one score."""

    code: str
    """Name of the code."""
    stated: tuple[str, ...]
    """Everything that a source says of the problem."""
    metric: str
    """Name; a wall time is no setup time, and one in seconds no rate."""
    unit: str
    """Name; a wall time is no setup time, and one in seconds no rate."""
    direction: Direction
    """Which way is better."""


class Best(NamedTuple):
    """The best result of each quantity by a cost.

    Both are in the order of the machine's results.
    """

    sides: dict[Quantity, Operand]
    """The best result, by quantity."""
    open: tuple[Quantity, ...]
    """Quantities of which no result states what it used."""


def code_of(estimate: Estimate) -> str:
    """The name of the code that a result is of: its benchmark, without the group of workloads."""
    return estimate.point.benchmark.removeprefix("workload.")


def quantity_of(estimate: Estimate, *, counted: bool = False) -> Quantity:
    """The quantity that a result is of; counted: its reference operations are part of it."""
    left_out = _NOT_OF_PROBLEM if counted else {*_NOT_OF_PROBLEM, REFERENCE_TFLOP}
    stated = tuple(
        f"{name} {value}" for name, value in estimate.point.parameters if name not in left_out
    )
    return Quantity(
        code_of(estimate), stated, estimate.metric, estimate.unit.name, estimate.direction
    )


def names_of(quantities: Iterable[Quantity]) -> dict[Quantity, str]:
    """Each by its code alone where that has but one, else with its problem, else in full."""
    every = tuple(dict.fromkeys(quantities))
    codes = Counter(one.code for one in every)
    problems = Counter((one.code, one.stated) for one in every)
    metrics = Counter((one.code, one.stated, one.metric) for one in every)

    def name(one: Quantity) -> str:
        if codes[one.code] == 1:
            return one.code
        problem = ", ".join([one.code, *one.stated])
        if problems[one.code, one.stated] == 1:
            return problem
        named = f"{problem}, {one.metric.replace('_', ' ')}"
        alone = metrics[one.code, one.stated, one.metric] == 1
        return named if alone else f"{named} ({one.unit}, {one.direction.value})"

    return {one: name(one) for one in every}


def nodes_used(side: Operand) -> int:
    """Nodes that a result is of; 0 where its source does not say."""
    return side.nodes if side.states_nodes else 0


def cores_used(side: Operand) -> int:
    """Cores that a result is of; 0 where its source does not say."""
    return side.cores if side.states_cores else 0


def best_of(
    machine: MachineResults,
    cost: Callable[[Operand], float | None],
    amount: Amount,
    *,
    counted: bool = False,
) -> Best:
    """The result of least cost of each quantity; `cost` is None for a result of another kind.

    Results that do not say what they used are left out: none is taken for one node or core.
    counted: as of `quantity_of`.
    """
    best: dict[Quantity, tuple[float, Operand]] = {}
    silent: dict[Quantity, None] = {}
    for estimate in machine.estimates:
        side = Operand(machine, estimate)
        paid = cost(side)
        if paid is None:
            continue
        quantity = quantity_of(estimate, counted=counted)
        if not amount(side):
            silent[quantity] = None
        elif quantity not in best or paid < best[quantity][0]:
            best[quantity] = paid, side
    sides = {quantity: side for quantity, (_, side) in best.items()}
    return Best(sides, tuple(one for one in silent if one not in sides))
