"""Runs as machines that are compared: facts as text, results with where their data reside."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from msgspec.structs import replace

from machmeter.analysis.scaling.hardware import memory_limit, network_limit, operations
from machmeter.analysis.stats.pooling import pooled
from machmeter.benchmarks.catalogue import known
from machmeter.benchmarks.memory.access import STREAM
from machmeter.benchmarks.memory.load import TIMELINE
from machmeter.benchmarks.sparse import SPMV
from machmeter.layout.places import common_ancestors
from machmeter.model.benchmark import ParameterKind
from machmeter.model.errors import UsageError
from machmeter.model.machine import CpuRelation, Topology
from machmeter.model.origin import Origin
from machmeter.model.results.caveat import Caveat, CaveatKind, gravest_first
from machmeter.model.results.estimate import Estimate, MemoryLevel
from machmeter.model.results.machine import MachineResults, Parts
from machmeter.model.results.request_words import option_words
from machmeter.model.results.run import RunResult
from machmeter.model.units import format_bytes
from machmeter.model.written.text import shell_text
from machmeter.run.planning.sizing import BYTES_A_NONZERO, last_level_caches
from machmeter.studies.select import requested_text
from machmeter.text.results import last_cache_text

# Threads share what these work on, so that all last caches together may hold it.
_SHARED_OUT = (STREAM.name, TIMELINE.name, SPMV.name)
# A set this many times as large as the cache is out of it, but for a part that is under noise.
_BEYOND = 2
_PAIR = re.compile(r"^(\d{1,6})-(\d{1,6})$")


def run_as_machine(result: RunResult) -> MachineResults:
    """One run as a machine; its results have memory levels and places where they are known."""
    header = result.header
    return MachineResults(
        id=header.id,
        title=header.machine.name or header.machine.host,
        origin=header.request.origin,
        source=f"machmeter {header.version}, {_date(header.started)}",
        parts=_parts(result),
        properties=dict(_facts(result)),
        generation=processor.generation if (processor := header.machine.processor) else "",
        limits=dict(_limits(result)),
        domain_bytes=_domain_bytes(header.machine.topology),
        code_set=header.request.study.code_set,
        estimates=tuple(_with_words(result)),
        year=_year(header.started),
        runs=(header.id,),
        command=shell_text(header.command),
        caveats=result.caveats,
    )


def _domain_bytes(topology: Topology) -> float:
    sizes = [one.memory_bytes for one in topology.domains if one.memory_bytes > 0]
    return float(min(sizes, default=0))


def _limits(result: RunResult) -> Iterator[tuple[str, float]]:
    """What the hardware can at most, as `MachineResults` has it; none of a model."""
    machine = result.header.machine
    if result.header.request.origin.is_quoted:
        return
    memory, network = memory_limit(machine), network_limit(machine)
    if memory:
        yield "memory", memory.value
    if network:
        yield "link", network.link
        yield "links", network.value
    if of_core := operations(machine):
        yield "operations", of_core


def runs_as_machine(results: Sequence[RunResult]) -> MachineResults:
    """Several runs of one machine as one, their launches together.

    Raises UsageError when they are not of one machine, or not of the same programs.
    """
    first = results[0]
    if len(results) > 1 and any(result.header.request.origin.is_quoted for result in results):
        raise UsageError(
            "simulated runs are not taken together: a model states the same every time",
            "name one of them",
        )
    for other in results[1:]:
        for name, here, there in must_agree(first, other):
            if here != there:
                raise UsageError(
                    f"runs {first.header.id} and {other.header.id} are not of one machine: "
                    f"{name} {here!r} against {there!r}",
                    "compare them instead: `machmeter compare "
                    f"{first.header.id} {other.header.id}`",
                )
    if len(results) == 1:
        return run_as_machine(first)
    machines = [run_as_machine(result) for result in results]
    dates = ", ".join(_date(result.header.started) for result in results)
    return replace(
        machines[0],
        id="+".join(machine.id for machine in machines),
        source=f"machmeter {first.header.version}, {len(results)} runs: {dates}",
        parts=max((machine.parts for machine in machines), key=lambda parts: parts.cores),
        estimates=pooled([machine.estimates for machine in machines]),
        runs=tuple(run for machine in machines for run in machine.runs),
        caveats=_every_caveat(results),
        properties=machines[0].properties | {"request": _requests(machines)},
        command="; ".join(dict.fromkeys(machine.command for machine in machines)),
    )


def _every_caveat(results: Sequence[RunResult]) -> tuple[Caveat, ...]:
    """One of each kind, with how many of the runs have it."""
    found: dict[CaveatKind, list[Caveat]] = {}
    for result in results:
        for kind, one in {caveat.kind: caveat for caveat in result.caveats}.items():
            found.setdefault(kind, []).append(one)
    said = (
        replace(of_kind[0], text=f"{of_kind[0].text} ({len(of_kind)} of {len(results)} runs)")
        for of_kind in found.values()
    )
    return gravest_first(tuple(said))


def _requests(machines: Sequence[MachineResults]) -> str:
    return "; ".join(dict.fromkeys(machine.properties["request"] for machine in machines))


def of_library(machine: MachineResults, mpi: str) -> MachineResults:
    """The figures of one of several MPI libraries of a run, so that two can be compared.

    Raises UsageError when the run has no library of that name.
    """
    names = [one for one in dict.fromkeys(e.point.variant.mpi for e in machine.estimates) if one]
    if mpi not in names:
        raise UsageError(
            f"{machine.id} has no MPI library {mpi!r} of several",
            f"choose: {', '.join(names)}" if names else "it was measured with one only",
        )
    figures = (
        # Who names two libraries need not read beside each result that they are two.
        replace(e, point=replace(e.point, variant=replace(e.point.variant, mpi="")), mpi_library="")
        for e in machine.estimates
        if e.point.variant.mpi == mpi
    )
    return replace(
        machine,
        id=f"{machine.id}@{mpi}",
        title=f"{machine.title}, {mpi}",
        properties={**machine.properties, "MPI": mpi},
        estimates=tuple(figures),
    )


def must_agree(a: RunResult, b: RunResult) -> Iterator[tuple[str, object, object]]:
    """What two runs must have in common to be of one machine and the same programs, by name, as
    each has it."""
    here, there = a.header.machine, b.header.machine
    yield "processor", here.cpu_model, there.cpu_model
    yield "cores", len(here.topology.usable_cores), len(there.topology.usable_cores)
    yield "host", here.host, there.host
    if a.toolchain and b.toolchain:
        yield "compiler", a.toolchain.compiler, b.toolchain.compiler
        yield "flags", a.toolchain.flags, b.toolchain.flags
        yield "shared sources", a.toolchain.source_hash, b.toolchain.source_hash
    one, other = (sorted({e.mpi_library for e in run.estimates if e.mpi_library}) for run in (a, b))
    if one and other:
        yield "MPI library", ", ".join(one), ", ".join(other)
    for name in sorted(a.kernel_hashes.keys() & b.kernel_hashes.keys()):
        yield f"sources of {name}", a.kernel_hashes[name], b.kernel_hashes[name]


def _parts(result: RunResult) -> Parts:
    cores = len(result.header.machine.topology.usable_cores)
    nodes = max((e.point.layout.nodes for e in result.estimates), default=1)
    return Parts(nodes=nodes, cores=cores * nodes)


def _facts(result: RunResult) -> Iterator[tuple[str, str]]:
    machine, chain = result.header.machine, result.toolchain
    topology, software = machine.topology, machine.software
    yield "date", _date(result.header.started)
    yield "request", requested_text(result.header.request.names)
    if options := shell_text(option_words(result.header.request)):
        yield "options", options
    yield "host", machine.host
    yield "processor", f"{machine.cpu_model} ({machine.architecture})"
    yield "cores", str(len(topology.usable_cores))
    yield "NUMA domains", str(len(topology.domains))
    yield "memory", format_bytes(machine.memory.total_bytes)
    if result.header.request.origin is Origin.SIMULATED:
        if changes := result.header.request.changes:
            yield "changed model", ", ".join(changes)
        yield "MPI", f"algorithms of {result.header.request.mpi}, simulated"
        return
    yield "system", f"{software.distribution}, kernel {software.kernel}"
    if software.hypervisor:
        yield "virtual machine", software.hypervisor
    if chain:
        yield "compiler", chain.compiler
        yield "flags", chain.flags
        if chain.mpi_library:
            yield "MPI", chain.mpi_library
    yield "last cache", last_cache_text(result.last_cache)


def _with_words(result: RunResult) -> Iterator[Estimate]:
    shared = _shared_levels(result.estimates, result.header.machine.topology)
    unseen = set(result.not_observed)
    hidden = {p for spec in result.plan.specs if spec.name in unseen for p in spec.points}
    for one in (estimate for estimate in result.estimates if estimate.point not in hidden):
        level, relation = _memory_level(one, result), _relation_of(one, shared)
        yield replace(one, memory_level=level, pair_relation=relation)


def _memory_level(one: Estimate, result: RunResult) -> MemoryLevel | None:
    """Where the data of a memory benchmark reside; None where that is not known."""
    name = one.point.benchmark
    parameters = dict(one.point.parameters)
    size = parameters.get("size")
    if name == SPMV.name and isinstance(nonzeros := parameters.get("nonzeros"), int):
        size = nonzeros * BYTES_A_NONZERO
    if not isinstance(size, int) or not (name.startswith("memory.") or name == SPMV.name):
        return None
    cache = result.last_cache
    shared = name in _SHARED_OUT
    count = last_level_caches(result.header.machine.topology) if shared else 1
    if size >= _BEYOND * count * cache.size:
        return MemoryLevel.MEMORY
    return MemoryLevel.CACHES if size <= min(cache.size, cache.low or cache.size) else None


def _shared_levels(
    estimates: Sequence[Estimate], topology: Topology
) -> dict[tuple[int, int], CpuRelation]:
    """What the two CPUs of each pair of CPUs share."""
    known = {cpu.number for cpu in topology.cpus if cpu.online}
    pairs = {pair for one in estimates for pair in _pair_of(one) if set(pair) <= known}
    return {pair: found.kind for pair, found in common_ancestors(topology, pairs).items()}


def _relation_of(one: Estimate, shared: dict[tuple[int, int], CpuRelation]) -> CpuRelation | None:
    return next((shared[pair] for pair in _pair_of(one) if pair in shared), None)


def _pair_of(one: Estimate) -> Iterator[tuple[int, int]]:
    """The two CPUs of a point that is of a pair of CPUs."""
    declared = known(one.point.benchmark)
    kinds = {p.name: p.kind for p in declared.parameters} if declared else {}
    for name, value in one.point.parameters:
        found = _PAIR.match(str(value)) if kinds.get(name) is ParameterKind.PAIR else None
        if found:
            yield int(found.group(1)), int(found.group(2))


def _date(iso: str) -> str:
    """`2026-11-22 06:24 UTC`; anything that is no ISO 8601 time as it is."""
    try:
        moment = datetime.fromisoformat(iso)
    except ValueError:
        return iso
    return f"{moment:%Y-%m-%d %H:%M} {moment.tzname() or ''}".strip()


def _year(iso: str) -> int:
    return int(iso[:4]) if iso[:4].isdecimal() else 0
