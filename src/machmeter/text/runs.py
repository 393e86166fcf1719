"""A run as text: its verdict, its machine, what it was built with, and how to reproduce it."""

from __future__ import annotations

import math

from machmeter.benchmarks.catalogue import known
from machmeter.benchmarks.programs import MPI_PROGRAM, USER_COPIES, USER_RANKS
from machmeter.model.machine import Machine
from machmeter.model.origin import Origin
from machmeter.model.plan.launch import Toolchain, Verdict, library_name
from machmeter.model.plan.submission import Allocation
from machmeter.model.point import Point
from machmeter.model.results.caveat import Caveat
from machmeter.model.results.finding import AnswerStatus
from machmeter.model.results.run import ResolvedProgram, RunResult
from machmeter.model.twin import Twin, TwinProgress
from machmeter.model.units import format_bytes
from machmeter.model.variant import Role
from machmeter.model.written.text import shell_text
from machmeter.text.hardware.adapters import adapter_text
from machmeter.text.hardware.devices import device_text
from machmeter.text.hardware.memory import channels_text
from machmeter.text.numbers import count_text, duration_text, half_width_text
from machmeter.text.plain import capitalized, plain
from machmeter.text.twins.structure import network_text

# `MPICH Version: 5.0.2`.


def run_verdict_text(result: RunResult) -> str:
    """`9 of 12 questions decided. 401 results from 1,203 launches, 380 at target precision.`"""
    return " ".join(text for text in (_questions(result), _results(result)) if text)


def questions_text(result: RunResult) -> str:
    """`4 of 5 questions decided, 222 launches in 1 min 49 s, all accepted`."""
    every = len(result.findings)
    decided = sum(f.status is AnswerStatus.DECIDED for f in result.findings)
    questions = f"{decided} of {count_text(every, 'question', 'questions')} decided, "
    if not result.outcomes:
        return f"{questions * (every > 0)}no launch"
    launches = count_text(len(result.outcomes), "launch", "launches")
    of_reference = {spec.name for spec in result.plan.specs if spec.of_reference}
    reference = sum(o.spec in of_reference for o in result.outcomes)
    launches += f" ({reference} of the reference kernel)" if reference else ""
    accepted = sum(o.verdict is Verdict.ACCEPTED for o in result.outcomes)
    placed = "all" if accepted == len(result.outcomes) else f"{accepted:,}"
    wall = result.time_use.wall
    launches += " simulated" * result.header.request.origin.is_quoted
    spent = f"in {duration_text(wall)}" if wall else "so far"
    return f"{questions * (every > 0)}{launches} {spent}, {placed} accepted{_race_text(result)}"


def _race_text(result: RunResult) -> str:
    """`; 5 of 8 layouts dropped out, 3 after round 5`; empty where none did."""
    dropped = result.dropped_out
    if not dropped:
        return ""
    of_race = (one for one in result.plan.specs if one.of_points)
    racing = sum(not spec.is_ours for spec in of_race)
    first = min(one.round for one in dropped)
    early = sum(one.round == first for one in dropped)
    layouts = count_text(racing, "layout", "layouts")
    return f"; {len(dropped)} of {layouts} dropped out as slower, {early} after round {first}"


def _questions(result: RunResult) -> str:
    every = len(result.findings)
    if not every:
        return ""
    decided = sum(f.status is AnswerStatus.DECIDED for f in result.findings)
    return f"{decided} of {count_text(every, 'question', 'questions')} decided."


def _results(result: RunResult) -> str:
    if not result.estimates:
        return "No results."
    of_baseline = {spec.name for spec in result.plan.specs if spec.variant.is_baseline}
    accepted = sum(
        o.verdict is Verdict.ACCEPTED and o.spec not in of_baseline for o in result.outcomes
    )
    results = count_text(len(result.estimates), "result", "results")
    launches = count_text(accepted, "launch", "launches")
    precision = precision_summary_text(result)
    return f"{results} from {launches}{precision and ', '}{precision}."


def caveat_text(caveat: Caveat) -> str:
    """What was seen, and what to do about it."""
    text = f"{caveat.text}: {caveat.remedy}" if caveat.remedy else caveat.text
    return capitalized(text)


def precision_summary_text(result: RunResult) -> str:
    """`median ±7.3 % (target ±2 %); about ±3.6 % with --budget 8min`; empty where there is none.

    What more time gives is a model: launches with the variance of those made.
    """
    reached = result.precision
    if reached is None:
        return ""
    text = f"median ±{half_width_text(reached.median)} (target ±{half_width_text(reached.target)})"
    if reached.median <= reached.target:
        return text
    if reached.most_launches:
        held = count_text(reached.most_launches, "result needs", "results need")
        text = f"{text}; {held} more launches ({most_launches_option(result)})"
    later = [step for step in reached.curve if step.extrapolated]
    worthwhile = next((s for s in later if s.half_width <= reached.median / 2), None)
    if worthwhile is None:
        return text
    half_width = half_width_text(worthwhile.half_width)
    return f"{text}; about ±{half_width} with --budget {_budget_text(worthwhile.seconds)}"


def most_launches_option(result: RunResult) -> str:
    """The option that allows more launches."""
    return "--launches" if result.header.request.explores else "--max-launches"


def _budget_text(seconds: float) -> str:
    """A duration as `--budget` takes it: `45s`, `8min`."""
    return f"{math.ceil(seconds)}s" if seconds < 120 else f"{math.ceil(seconds / 60)}min"


def hardware_text(machine: Machine) -> str:
    """`AMD EPYC, 2 cores, 23.5 GiB, under KVM`."""
    hypervisor = machine.software.hypervisor
    parts = (
        machine.cpu_model,
        count_text(len(machine.topology.usable_cores), "core", "cores"),
        format_bytes(machine.memory.total_bytes),
        f"under {hypervisor}" if hypervisor else "",
    )
    return ", ".join(filter(None, parts))


def twin_properties(twin: Twin) -> tuple[tuple[str, str], ...]:
    """A model as name and text."""
    progress = "the NIC" if twin.progress is TwinProgress.NIC else "the host, inside calls of MPI"
    return (
        ("Model of", twin.title),
        ("Nodes of the model", f"{twin.nodes:,}"),
        ("Network", network_text(twin)),
        ("Large messages moved by", progress),
    )


def machine_properties(result: RunResult) -> tuple[tuple[str, str], ...]:
    """The machine as name and text; what is not known is left out."""
    machine = result.header.machine
    topology, memory, software = machine.topology, machine.memory, machine.software
    caches = dict.fromkeys(
        f"L{c.level} {c.kind} {format_bytes(c.size_bytes)}" for c in topology.caches
    )
    twin = result.header.request.twin
    if twin is not None:
        return (
            *twin_properties(twin),
            ("Processor", machine.cpu_model),
            ("Cores of a node", _cores_text(result)),
            ("Memory of a node", format_bytes(memory.total_bytes)),
        )
    properties = (
        ("Host", machine.host),
        ("Hosts of ranks", _hosts_text(result)),
        ("Processor", f"{machine.cpu_model} ({machine.architecture})"),
        ("Cores", _cores_text(result)),
        ("Caches (reported)", ", ".join(caches)),
        ("Memory", f"{format_bytes(memory.total_bytes)}, {_available_text(result)}"),
        ("2 MiB pages", f"transparent: {memory.transparent_huge_pages or 'unknown'}"),
        ("System", f"{software.distribution}, kernel {software.kernel}, {software.libc}"),
        ("Virtual machine", software.hypervisor),
        ("Container", software.container),
        ("Frequency governor", software.governor),
        ("Clock source", software.clock_source),
        ("Scheduler", software.scheduler),
        ("Microcode", software.microcode),
        ("Firmware", software.firmware),
        ("Drivers", ", ".join(f"{name} {text}" for name, text in software.drivers.items())),
        ("Boost", software.boost),
        ("Generation", machine.processor.generation if machine.processor else ""),
        ("Memory channels", channels_text(machine.channels)),
        ("Network adapters", "; ".join(map(adapter_text, machine.adapters))),
        ("Devices", "; ".join(map(device_text, machine.devices or ()))),
    )
    return tuple((name, plain(text, 300)) for name, text in properties if text.strip(" ,"))


def _hosts_text(result: RunResult) -> str:
    """The hosts that ranks were seen on, where there are several."""
    hosts = [host for host in dict.fromkeys(result.rank_hosts) if host]
    return f"{len(hosts)}: {', '.join(hosts)}" if len(hosts) > 1 else ""


def _cores_text(result: RunResult) -> str:
    machine = result.header.machine
    topology = machine.topology
    packages = len({cpu.package for cpu in topology.usable})
    text = (
        f"{count_text(len(topology.usable_cores), 'core', 'cores')}, "
        f"{count_text(len(topology.usable), 'hardware thread', 'hardware threads')}, "
        f"{count_text(packages, 'package', 'packages')}, "
        f"{count_text(len(topology.domains), 'NUMA domain', 'NUMA domains')}"
    )
    return f"{text}, limited to {machine.cpu_quota:g} CPUs" if machine.cpu_quota else text


def _available_text(result: RunResult) -> str:
    memory = result.header.machine.memory
    limit = f", limited to {format_bytes(memory.limit_bytes)}" if memory.limit_bytes else ""
    return f"{format_bytes(memory.available_bytes)} available{limit}"


# The date that each version of the OpenMP specification gives `_OPENMP`.
_OPENMP_VERSIONS = {
    "200505": "2.5",
    "200805": "3.0",
    "201107": "3.1",
    "201307": "4.0",
    "201511": "4.5",
    "201811": "5.0",
    "202011": "5.1",
    "202111": "5.2",
    "202411": "6.0",
}


def openmp_text(date: str) -> str:
    """The version of a value of `_OPENMP`: `OpenMP 4.5 (_OPENMP 201511)`; another as it is."""
    version = _OPENMP_VERSIONS.get(date)
    return f"OpenMP {version} (_OPENMP {date})" if version else date


def software_properties(result: RunResult) -> tuple[tuple[str, str], ...]:
    """How to reproduce the run, and what it was built with."""
    header = result.header
    chain = result.toolchain or Toolchain("", "", "")
    properties = (
        ("Command", shell_text(header.command)),
        ("Run", header.id),
        ("Seed", str(header.seed)),
        ("machmeter", header.version),
        ("Compiler", chain.compiler),
        ("Flags", chain.flags),
        ("OpenMP", openmp_text(chain.openmp)),
        ("MPI", mpi_used(result, 900)),
        ("MPI libraries compared", ", ".join(mpi_names(result))),
        *((one.benchmark, resolved_text(one)) for one in result.resolved),
        *((f"Transport, {plain(name, 60)}", text) for name, text in transports_text(result)),
        ("Native sources", chain.source_hash),
        ("Kernel sources", ", ".join(f"{n} {h}" for n, h in result.kernel_hashes.items() if h)),
        *baseline_build(result),
        ("Chosen sizes", "; ".join(result.plan.notes)),
    )
    return tuple((name, plain(text, 1000)) for name, text in properties if text)


def resolved_text(one: ResolvedProgram) -> str:
    """`version 2022.5, SIMD SSE4.1, MPI /usr/lib/libmpi.so.40`: what was resolved of a program."""
    libraries = (f"{kind} {' and '.join(files)}" for kind, files in one.libraries.items())
    known = (f"version {one.version}" * bool(one.version), f"SIMD {one.simd}" * bool(one.simd))
    return ", ".join(filter(None, (*known, *libraries)))


def baseline_build(result: RunResult) -> tuple[tuple[str, str], ...]:
    """What the baseline repeats and with which binaries, as name and text; empty without one."""
    against, old = result.header.baseline, result.baseline
    if against is None or old is None:
        return ()
    how = "with its own binaries" if against.programs else "recompiled"
    chain = old.toolchain
    properties = [(f"The {Role.BASELINE}", f"run {against.run} repeated, {how}")]
    if chain:
        properties += [
            (f"Compiler, {Role.BASELINE}", chain.compiler),
            (f"Flags, {Role.BASELINE}", chain.flags),
            (f"MPI, {Role.BASELINE}", " ".join(chain.mpi_library.split())),
            (f"Native sources, {Role.BASELINE}", chain.source_hash),
        ]
    return tuple((name, text) for name, text in properties if text)


def mpi_used(result: RunResult, limit: int = 60) -> str:
    """The MPI library as it names itself in the records, cut at `limit`, and the one requested."""
    library = result.toolchain.mpi_library if result.toolchain else ""
    if not library:
        return _mpi_of_program(result)
    return f"{plain(library, limit)} (requested: {plain(result.header.request.mpi, 60)})"


def library_of(result: RunResult, point: Point) -> str:
    """The MPI library that measured a point, `MPICH 5.0.2`, by the name requested where it does not
    say its own; empty where none did.

    Of a program that is not ours only what started it is known, not what it is linked with.
    """
    declared, requested = known(point.benchmark), point.variant.mpi
    if declared is None or declared.program != MPI_PROGRAM:
        return library_in_short(requested)
    return library_in_short(result.mpi_libraries.get(requested, "") or requested)


def _mpi_of_program(result: RunResult) -> str:
    """What started the ranks of a program that is not ours."""
    of_mpiexec = {USER_RANKS.name, USER_COPIES.name}
    commands = (spec.command for spec in result.plan.specs if spec.program in of_mpiexec)
    requested = result.header.request.mpi
    used = dict.fromkeys(one.mpi or requested for one in commands if one is not None)
    return f"started by {plain(', '.join(used), 60)}" if used else "none used"


def mpi_in_short(result: RunResult) -> str:
    """`MPICH 5.0.2`, `Open MPI v5.0.11`; with the one requested where the name does not say it."""
    if len(result.mpi_libraries) > 1:
        return ", ".join(map(library_in_short, result.mpi_libraries.values()))
    if result.header.request.origin is Origin.SIMULATED:
        return f"algorithms of {plain(result.header.request.mpi, 60)}, simulated"
    library = result.toolchain.mpi_library if result.toolchain else ""
    if not library:
        return _mpi_of_program(result)
    name, requested = library_in_short(library), plain(result.header.request.mpi, 60)
    named = requested.lower().replace(" ", "") in name.lower().replace(" ", "")
    return name if named else f"{name} (requested: {requested})"


def library_in_short(said: str) -> str:
    """A library as it names itself, without the word before its number: `MPICH 5.0.2`."""
    return plain(library_name(said), 60)


def mpi_names(result: RunResult) -> tuple[str, ...]:
    """The MPI libraries of results, by the names requested; empty where there is only one."""
    names = dict.fromkeys(e.point.variant.mpi for e in result.estimates)
    return tuple(plain(name, 40) for name in names if name)


def transports_text(result: RunResult) -> tuple[tuple[str, str], ...]:
    """The transports of each library, by its own names; nothing where it reports none."""
    said = (
        (plain(library, 60), ", ".join(f"{name} {text}" for name, text in transport.items()))
        for library, transport in result.transports.items()
    )
    return tuple((library, plain(text, 400)) for library, text in said if text)


def allocation_text(allocation: Allocation) -> str:
    """`4 nodes for at most 14 min: 0.93 node-hours`."""
    nodes = count_text(allocation.nodes, "node", "nodes")
    return (
        f"{nodes} for at most {duration_text(allocation.seconds)}: "
        f"{allocation.node_hours:.3g} node-hours"
    )
