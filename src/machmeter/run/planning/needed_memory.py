"""The memory that a launch allocates on a node, and the refusal of what there is too little for.
Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from math import prod

from msgspec import Struct

from machmeter.benchmarks.catalogue import known
from machmeter.model.benchmark import (
    SCALING,
    WEAK,
    AutoRule,
    Benchmark,
    Parameter,
    ParameterKind,
    ParameterRole,
    RankSweep,
)
from machmeter.model.device import Device, NamedDevice
from machmeter.model.errors import UsageError
from machmeter.model.layout import Layout
from machmeter.model.machine import Memory
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.point import Point
from machmeter.model.results.run import Plan
from machmeter.model.units import format_bytes

_MIB = 2**20
_SHARE_OF_MEMORY = 0.8


class NeededMemory(Struct, frozen=True):
    """What a launch allocates on one node for the largest of its values."""

    parameter: Parameter
    """What it is the value of."""
    value: int
    """The largest value: bytes of a size, else a number."""
    copies: int
    """How many there are of it."""
    factors: tuple[tuple[str, int], ...] = ()
    """Other parameters that multiply it, with their numbers."""
    growth: float = 1.0
    """How many times the value is taken on the threads of the launch."""

    @property
    def bytes(self) -> int:
        """All of it, bytes."""
        return int(self.parameter.data_bytes(self.value) * self.times)

    @property
    def times(self) -> float:
        """What multiplies the bytes of its value."""
        times = self.copies * prod(number for _, number in self.factors)
        # A whole number stays exact.
        return times * self.growth**self.parameter.power if self.growth > 1 else times


def needed_memory(spec: LaunchSpec) -> NeededMemory | None:
    """What a launch of `spec` allocates on one node at least; None where no parameter says.

    It is the largest `value x copies` of its points. A size counts its bytes, a number the
    `bytes_each` of its parameter. Copies are the arrays of the benchmark, and of what each thread
    or each rank has for itself as many as a node has of them, of messages twice: to send from, and
    to receive into. Memory in several NUMA domains is there in each. What MPI and collectives take
    beyond that is left to the kernel, which skips a point that does not fit.
    """
    benchmark = known(spec.benchmark)
    if benchmark is None:
        return None
    found = [
        NeededMemory(
            parameter,
            value,
            _copies(benchmark, parameter, spec),
            _factors(parameter, point),
            parameter.growth(dict(point.parameters), spec.layout.threads),
        )
        for parameter in benchmark.parameters
        if parameter.data_bytes(1)
        for point in spec.points
        if isinstance(value := dict(point.parameters).get(parameter.name), int)
        and not _in_a_pool(point)
    ]
    return max(found, key=lambda one: one.bytes, default=None)


def refuse_beyond_memory(plan: Plan, memory: Memory, devices: Sequence[NamedDevice] = ()) -> None:
    """Raise UsageError where a launch of `plan` allocates more than is available on this machine,
    control groups included: the system would end it, or programs of others; or more than the device
    has that its layout names, one of `devices`.
    """
    # Where the system does not say what is available, its total is the bound.
    available = memory.usable_bytes or memory.limit_bytes or memory.total_bytes
    # Of several nodes this one says nothing of the others' memory.
    here = [spec for spec in plan.specs if spec.layout.nodes == 1]
    _refuse_sizes(here, available)
    own = {one.name: one.device for one in devices}
    needs = [
        (needed, spec, _available_to(own.get(spec.layout.device or ""), available, needed.copies))
        for spec in here
        if (needed := needed_memory(spec))
    ]
    beyond = [one for one in needs if 0 < one[2] < one[0].bytes]
    if not beyond:
        return
    needed, spec, available = max(beyond, key=lambda one: one[0].bytes)
    others = {one.benchmark for one in plan.specs if one.of_points} - {spec.benchmark}
    is_size = needed.parameter.kind is ParameterKind.SIZE
    value = format_bytes(needed.value) if is_size else str(needed.value)
    factors = "".join(f", {name}={number}" for name, number in needed.factors)
    factors += f", {SCALING}={WEAK}" * (needed.growth > 1)
    raise UsageError(
        f"{spec.name} with {needed.parameter.name}={value}{factors} needs "
        f"{format_bytes(needed.bytes)} of memory, and {format_bytes(available)} are available",
        _remedy(needed, available) + f", or leave {spec.benchmark} out" * bool(others),
    )


def _available_to(device: Device | None, on_host: int, arrays: int) -> int:
    """Bytes for so many arrays on that device; 0 where it is not known. The host makes and compares
    one at a time, which it has twice meanwhile."""
    if device is None or not device.memory_bytes:
        return on_host
    if not on_host:
        return device.memory_bytes
    return min(device.memory_bytes, on_host if device.kind == "cpu" else on_host * arrays // 2)


def filling_memory(parameter: Parameter, memory: Memory, factors: Iterable[int]) -> int:
    """The largest number whose data take 80 % of what is available, as HPL's authors advise (HPL
    frequently asked questions: what problem size), where other parameters multiply it so."""
    available = memory.usable_bytes or memory.limit_bytes or memory.total_bytes
    # It has to fit whatever the other parameters are.
    spare = parameter.bytes_each / max(parameter.most_bytes_each, parameter.bytes_each)
    most = _largest_within(parameter, int(_SHARE_OF_MEMORY * spare * available), prod(factors))
    return min(max(most, parameter.minimum), parameter.maximum)


def _largest_within(parameter: Parameter, available: int, times: float) -> int:
    """The largest number of a parameter whose data, so many times, are within so many bytes."""
    most = int(available // (parameter.data_bytes(1) * times))
    if parameter.power > 1:
        # Rounding must not add one.
        most = next(
            n
            for n in count(int(most ** (1 / parameter.power)) + 1, -1)
            if n**parameter.power <= most
        )
    return most - most % parameter.multiple


def _refuse_sizes(specs: Iterable[LaunchSpec], available: int) -> None:
    for spec in specs:
        description = spec.description
        for size in description.sizes if description else ():
            memory = size.memory * (spec.layout.threads if size.grows else 1)
            if description and 0 < available < memory:
                raise UsageError(
                    f"{description.name} of size {size.name} needs about {format_bytes(memory)} "
                    f"of memory, and {format_bytes(available)} are available",
                    "choose a smaller one with --size, or free memory",
                )


def _copies(benchmark: Benchmark, parameter: Parameter, spec: LaunchSpec) -> int:
    layout: Layout = spec.layout
    if parameter.role is ParameterRole.WORK:
        return 1
    if benchmark.ranks is RankSweep.EACH_NODE:
        return benchmark.arrays * layout.ranks_per_node
    if benchmark.program.has_ranks:
        buffers = 2 if benchmark.of_pairs else 1
        return buffers * layout.ranks_per_node * layout.threads_per_rank
    if parameter.auto is AutoRule.CACHES_THREAD:
        return layout.threads
    if parameter.auto is AutoRule.CACHES_DOMAIN:
        return max(1, len({str(point.get("pair")).split("-")[-1] for point in spec.points}))
    return benchmark.arrays


def _factors(parameter: Parameter, point: Point) -> tuple[tuple[str, int], ...]:
    values = dict(point.parameters)
    found = ((name, values.get(name)) for name in parameter.times)
    return tuple((name, value) for name, value in found if isinstance(value, int))


def _in_a_pool(point: Point) -> bool:
    """Whether its memory comes from the kernel's pools of huge pages, which are set aside."""
    return str(dict(point.parameters).get("pages", "")).startswith("hugetlb")


def _remedy(needed: NeededMemory, available: int) -> str:
    parameter = needed.parameter
    most = _largest_within(parameter, available, needed.times)
    if most < max(parameter.minimum, 1):
        smaller = ", ".join(parameter.times)
        return f"request smaller {smaller}" if smaller else "free memory"
    in_mib = parameter.kind is ParameterKind.SIZE and most >= _MIB
    text = f"{most // _MIB}MiB" if in_mib else str(most)
    return f"request at most --set {parameter.name}={text}"
