"""What the hardware of the nodes of a run can at most, and what others reach of that. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.normal.position import FEWEST_FOR_POSITION, positions
from machmeter.analysis.rules.system.node_classes import node_classes
from machmeter.analysis.scaling.common_limit import NodeLimit, NodeLimits, NormalShares
from machmeter.analysis.scaling.hardware import MemoryLimit, memory_limit, nominal_peak
from machmeter.benchmarks.compute import GEMM
from machmeter.benchmarks.memory.access import STREAM
from machmeter.benchmarks.nodes import NODE_FMA, NODE_GEMM, NODE_STREAM
from machmeter.machine.hardware.processors import generations_with_memory_on_package
from machmeter.machine.system_files import format_cpu_list
from machmeter.model.machine import Machine
from machmeter.model.origin import Origin
from machmeter.model.plan.observed_host import ObservedHost
from machmeter.model.point import make_point
from machmeter.model.results.estimate import Estimate, MemoryLevel
from machmeter.model.results.machine import MachineResults, Parts
from machmeter.published.load import names_of_today
from machmeter.published.machine import published_results


class NominalCore(Struct, frozen=True):
    """A core of a published machine."""

    clock: float
    """Hz."""
    operations: int
    """In a cycle, double precision."""


NOMINAL = {
    "eiger": NominalCore(2.25e9, 16),  # EPYC 7742
    "peta4-skylake": NominalCore(2.6e9, 32),  # Xeon Gold 6142
    "isambard-xc50": NominalCore(2.1e9, 8),  # ThunderX2 CN9980
    "rocinante": NominalCore(1.9e9, 32),  # Xeon Max 9480
}
"""Of published machines whose matrix products are of a whole node, by the model of their CPUs."""
_HERE, _TRIAD = "here", "stream_bandwidth"


def node_limits(
    machine: Machine, estimates: Sequence[Estimate], hosts: Sequence[ObservedHost]
) -> NodeLimits:
    """Of the nodes whose hosts say that they are such as `machine`, where limits are known.

    Memory is that of all channels, where all cores used it, as `memory.stream` of others reaches it
    on whole nodes, its triad with usual stores. Arithmetic is the peak at the nominal clock, as
    matrix products of others reach it on whole nodes at least: multiply-adds without memory are no
    slower.
    """
    nodes = {one.point.benchmark for one in estimates}
    if not nodes & {NODE_STREAM.name, NODE_FMA.name, NODE_GEMM.name}:
        return NodeLimits()
    names = frozenset(one.name for one in hosts if _is_such(one, machine))
    return NodeLimits(names, dict(_limits(machine, estimates)) if names else {})


def _is_such(host: ObservedHost, machine: Machine) -> bool:
    online = [cpu.number for cpu in machine.topology.cpus if cpu.online]
    # No host has that name.
    name = f"{host.name} "
    here = ObservedHost(
        name,
        cpu_model=machine.cpu_model,
        online_cpus=format_cpu_list(online),
        memory_bytes=machine.memory.total_bytes,
    )
    known = host.cpu_model and host.online_cpus and host.memory_bytes
    # Of one class where nothing differs.
    return bool(known) and not node_classes((host.name, name), (host, here))


def _limits(
    machine: Machine, estimates: Sequence[Estimate]
) -> Iterator[tuple[tuple[str, str], NodeLimit]]:
    first: Mapping[tuple[str, str], Estimate] = {
        (one.point.benchmark, one.metric): one for one in reversed(estimates)
    }
    stream = first.get((NODE_STREAM.name, NODE_STREAM.metrics[0].name))
    memory = memory_limit(machine)
    if (
        stream
        and stream.resolved
        and _is_of_whole_node(stream, machine)
        and stream.value > 0
        and memory
        and (normal := _normal_of_memory(stream, memory))
    ):
        yield (NODE_STREAM.name, stream.metric), NodeLimit(memory, normal)
    for one in (NODE_FMA, NODE_GEMM):
        rate = first.get((one.name, one.metrics[0].name))
        if rate and (peak := nominal_peak(machine, _of_one_node(rate))):
            yield (one.name, rate.metric), NodeLimit(peak, normal_of_arithmetic())


def _is_of_whole_node(estimate: Estimate, machine: Machine) -> bool:
    """Few cores cannot fill all channels: those of a job that shares nodes, or that were chosen."""
    layout = estimate.point.layout
    cores = {cpu.core for cpu in machine.topology.cpus if cpu.online}
    return layout.ranks_per_node * layout.cpus_per_rank + layout.reserved_cores >= len(cores)


def _of_one_node(estimate: Estimate) -> Estimate:
    layout = replace(estimate.point.layout, nodes=1)
    return replace(estimate, point=replace(estimate.point, layout=layout))


def _normal_of_memory(stream: Estimate, limit: MemoryLimit) -> NormalShares | None:
    """Of machines whose memory is of that kind, those with such processors where they are enough;
    None where too few are known."""
    layout = replace(stream.point.layout, nodes=1)
    parameters = {"kernel": "triad", "stores": "temporal", "size": stream.point.get("size") or 0}
    own = replace(
        stream,
        point=make_point(STREAM.name, parameters, layout),
        metric=_TRIAD,
        memory_level=MemoryLevel.MEMORY,
    )
    here = MachineResults(
        _HERE,
        _HERE,
        Origin.MEASURED,
        "",
        Parts(nodes=1, cores=layout.threads),
        generation=limit.generation,
        limits={"memory": limit.value},
        estimates=(own,),
    )
    (found,) = positions(here, [own], map(published_results, names_of_today()))
    apart = generations_with_memory_on_package()
    is_apart = limit.value == limit.on_package
    others = [one for one in found.counted if one.share and (one.generation in apart) is is_apart]
    kin = [one for one in others if one.generation == limit.generation]
    chosen = kin if len(kin) >= FEWEST_FOR_POSITION else others
    if len(chosen) < FEWEST_FOR_POSITION:
        return None
    shares = [one.share or 0.0 for one in chosen]
    return NormalShares(min(shares), max(shares), f"triad of {len(shares)} published machines")


def normal_of_arithmetic() -> NormalShares:
    """Which share of its nominal peak any published matrix product on a whole node reaches."""
    shares = [_share_of_peak(published_results(name), core) for name, core in NOMINAL.items()]
    of = f"matrix products of {len(shares)} published machines"
    return NormalShares(min(shares), None, of)


def _share_of_peak(machine: MachineResults, core: NominalCore) -> float:
    """Of the product on most cores."""
    found = max(
        (
            one
            for one in machine.estimates
            if one.point.benchmark == GEMM.name and one.point.get("precision") == "double"
        ),
        key=lambda one: one.point.layout.threads * one.point.layout.ranks_per_node,
    )
    layout = found.point.layout
    return found.value / (layout.threads * core.clock * core.operations)
