"""From experiments to launch specs: points x layouts, for one machine. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from machmeter.benchmarks.catalogue import find
from machmeter.benchmarks.network.messages import ON_DEVICE
from machmeter.benchmarks.network.traffic import SHARE_OF_MEMORY, traffic_of
from machmeter.benchmarks.programs import DEVICE_PROGRAM
from machmeter.layout.assign import assign
from machmeter.layout.errors import LayoutError
from machmeter.machine.opencl import INSTALL
from machmeter.model.benchmark import (
    AUTO,
    OF_MEMORY,
    SCALING,
    WEAK,
    Benchmark,
    Parameter,
    ParameterKind,
    Value,
)
from machmeter.model.errors import UsageError
from machmeter.model.layout import Layout
from machmeter.model.layout_fields import layout_label
from machmeter.model.machine import Machine, Topology
from machmeter.model.plan.launch import FEWEST_LAUNCHES, LaunchSpec
from machmeter.model.plan.study import Experiment, LayoutOptions
from machmeter.model.point import make_point
from machmeter.model.program import Starter
from machmeter.model.results.run import SkipCause, Skipped
from machmeter.model.units import format_bytes
from machmeter.run.planning.layouts import (
    Configuration,
    configurations_for,
    cpus_of,
    placement_key,
)
from machmeter.run.planning.needed_memory import filling_memory
from machmeter.run.planning.rank_pairs import MOST_PAIRS

# Samples of very many pairs of ranks in a launch, and of each pair at least: with 200 of each the
# record of 1,000 nodes has 20 MB. Where samples vary by 5 %, the median of 20 does by 1.4 %.
_SAMPLES_OF_PAIRS, _FEWEST_OF_A_PAIR = 80_000, 20
_MEANS_NOTHING = "the requested values mean nothing together"

# Values of `auto` by benchmark and parameter.
Automatic = Mapping[str, Mapping[str, tuple[Value, ...]]]


class _Where(Struct, frozen=True):
    """A layout, the CPUs it is bound to (none: it is not) and the topology it is for."""

    layout: Layout
    cpus: frozenset[int]
    topology: Topology


class Expansion(Struct, frozen=True):
    """What can be launched, and what cannot."""

    specs: tuple[LaunchSpec, ...]
    """Kinds of launches."""
    skipped: tuple[Skipped, ...]
    """What is left out, and why."""


def expand(
    experiments: tuple[Experiment, ...],
    machine: Machine,
    options: LayoutOptions,
    automatic: Automatic,
    own: Sequence[Benchmark] = (),
) -> Expansion:
    """Launch specs for `experiments`; `automatic` gives the values of `auto`, `own` are benchmarks
    that their study has of its own.

    One spec holds every point that shares benchmark and layout: one launch measures them all.
    Values that a benchmark cannot take are skipped there. Raises UsageError for parameters that a
    benchmark does not have, for ranks that it does not take, and where values that mean nothing
    together leave nothing to measure.
    """
    specs: dict[str, LaunchSpec] = {}
    skipped: list[Skipped] = []
    meaningless: list[Skipped] = []
    known: dict[tuple[str, tuple[object, ...]], Configuration] = {}
    for experiment in experiments:
        benchmark = find(experiment.benchmark, own)
        if experiment.lacks:
            skipped.append(Skipped(benchmark.name, experiment.lacks))
            continue
        found = configurations_for(benchmark, experiment, machine, options)
        skipped += found.skipped
        for wanted in found.every:
            # Another experiment may have come to the same CPUs under another name.
            one = known.setdefault((benchmark.name, placement_key(wanted, machine)), wanted)
            layout = one.layout
            name = f"{benchmark.name} ({layout_label(*one)})"
            reason = _lacks_program(benchmark, machine) or _cannot_run(layout, machine)
            if reason:
                skipped.append(Skipped(name, reason))
                continue
            axes, refused = _axes(benchmark, experiment, automatic, one, machine)
            skipped += refused
            combinations = _combinations(benchmark, axes)
            reasons = [
                _not_measured(benchmark, one, layout.threads, machine) for one in combinations
            ]
            skipped += [Skipped(name, reason) for reason in sorted({*reasons} - {""})]
            large = [_beyond_memory(benchmark, one, layout, machine) for one in combinations]
            skipped += [Skipped(f"{name} with {one.what}", one.reason) for one in large if one]
            why = [reason or one for reason, one in zip(reasons, large, strict=True)]
            combinations = [one for one, no in zip(combinations, why, strict=True) if not no]
            if combinations:
                spec = _spec(name, benchmark, experiment, one, combinations)
                spec = replace(spec, one_machine=options.one_machine)
                spec = _merged(specs[name], spec) if name in specs else spec
                specs[name] = replace(spec, samples=_samples(benchmark, spec))
            elif all(axes) and not any(why):
                meaningless.append(Skipped(benchmark.name, _MEANS_NOTHING))
    if meaningless and not specs:
        raise UsageError(
            f"nothing of {meaningless[0].what} is left to measure: {_MEANS_NOTHING}",
            "`machmeter list` shows what each parameter can be",
        )
    of_ranks = all(one.cause is SkipCause.RANK_COUNT for one in skipped)
    if skipped and not specs and options.rank_counts and of_ranks:
        raise UsageError(
            f"nothing requested takes --ranks {','.join(map(str, options.rank_counts))}: "
            f"{skipped[0].what}: {skipped[0].reason}",
            "leave --ranks out, or name others",
        )
    # What other values of the benchmark are measured was left out for no lack.
    measured = {spec.benchmark for spec in specs.values()}
    skipped += [one for one in meaningless if one.what not in measured]
    return Expansion(tuple(specs.values()), tuple(dict.fromkeys(skipped)))


def _spec(
    name: str,
    benchmark: Benchmark,
    experiment: Experiment,
    configuration: Configuration,
    combinations: list[dict[str, Value]],
) -> LaunchSpec:
    layout, variant = configuration
    return LaunchSpec(
        name=name,
        program=benchmark.program.name,
        benchmark=benchmark.name,
        layout=layout,
        points=tuple(make_point(benchmark.name, c, layout, variant) for c in combinations),
        variant=variant,
        seconds_per_point=experiment.seconds_per_point or benchmark.seconds_per_point,
        most_launches=experiment.most_launches,
        fewest_launches=1 if _fills_memory(benchmark, experiment) else FEWEST_LAUNCHES,
        command=experiment.command,
    )


def _merged(one: LaunchSpec, other: LaunchSpec) -> LaunchSpec:
    """Both specs of one benchmark under one layout, each point once."""
    capped = one.most_launches and other.most_launches
    return replace(
        one,
        points=tuple(dict.fromkeys((*one.points, *other.points))),
        seconds_per_point=max(one.seconds_per_point, other.seconds_per_point),
        most_launches=max(one.most_launches, other.most_launches) if capped else 0,
        fewest_launches=max(one.fewest_launches, other.fewest_launches),
    )


def _samples(benchmark: Benchmark, spec: LaunchSpec) -> int:
    """Most samples of a point: fewer where there are very many pairs of ranks."""
    pairs = {
        point.get(one.name)
        for one in benchmark.parameters
        if one.kind is ParameterKind.RANK_PAIR
        for point in spec.points
    }
    if len(pairs) <= MOST_PAIRS:
        return spec.samples
    return min(spec.samples, max(_FEWEST_OF_A_PAIR, _SAMPLES_OF_PAIRS // len(spec.points)))


def _fills_memory(benchmark: Benchmark, experiment: Experiment) -> bool:
    """Whether a number is requested whose data fill the memory: a launch of it may take longer
    than the whole budget, so one says more than none."""
    return any(
        one.fills_memory and OF_MEMORY in experiment.parameters.get(one.name, ())
        for one in benchmark.parameters
    )


def has_huge_pages(machine: Machine) -> bool:
    """Whether data get the machine's huge pages when they ask for them with madvise."""
    memory = machine.memory
    larger = memory.huge_page_bytes > memory.base_page_bytes
    return larger and memory.transparent_huge_pages in ("always", "madvise")


def _lacks_program(benchmark: Benchmark, machine: Machine) -> str:
    # A simulated machine compiles nothing: what models do not describe is left out later.
    compiles = not machine.topology.is_simulated
    if compiles and benchmark.program.starter is Starter.OSHRUN and not machine.software.shmem:
        return (
            "this machine has no OpenSHMEM compiler (oshc++): install one (Debian: apt install "
            "libopenmpi-dev openmpi-bin), or load the module of this site"
        )
    has_devices = machine.software.opencl or machine.software.nvidia_driver
    if compiles and benchmark.program == DEVICE_PROGRAM and not has_devices:
        return f"this machine has no OpenCL and no driver of NVIDIA's: {INSTALL}"
    if benchmark.program == DEVICE_PROGRAM and machine.devices == ():
        return "this machine has no device that can be measured (`machmeter list devices`)"
    return ""


def _cannot_run(layout: Layout, machine: Machine) -> str:
    try:
        assign(layout, machine.topology)
    except LayoutError as error:
        return str(error)
    return _cannot_have_pages(layout.page_bytes, machine)


def _cannot_have_pages(page_bytes: int, machine: Machine) -> str:
    memory = machine.memory
    pages = f"pages of {format_bytes(page_bytes)} cannot be had"
    if page_bytes == memory.base_page_bytes:
        return ""
    if page_bytes != memory.huge_page_bytes:
        sizes = dict.fromkeys((memory.base_page_bytes, memory.huge_page_bytes))
        offered = " and ".join(format_bytes(size) for size in sizes if size)
        return f"{pages}: this machine gives a program pages of {offered}"
    if has_huge_pages(machine):
        return ""
    if memory.transparent_huge_pages == "never":
        return (
            f"{pages}: transparent huge pages are set to never; as root: echo madvise > "
            "/sys/kernel/mm/transparent_hugepage/enabled"
        )
    return f"{pages}: this kernel has no transparent huge pages; take one that was built with them"


def _axes(
    benchmark: Benchmark,
    experiment: Experiment,
    automatic: Automatic,
    configuration: Configuration,
    machine: Machine,
) -> tuple[list[tuple[Value, ...]], list[Skipped]]:
    """The values of each parameter, and those that it cannot take under this layout."""
    unknown = set(experiment.parameters) - {parameter.name for parameter in benchmark.parameters}
    if unknown:
        raise UsageError(f"{benchmark.name} has no parameter {', '.join(sorted(unknown))}")
    axes: list[tuple[Value, ...]] = []
    skipped: list[Skipped] = []
    layout = configuration.layout
    name = f"{benchmark.name} ({layout_label(*configuration)})"
    where = _Where(layout, cpus_of(layout, machine), machine.topology)
    for parameter in benchmark.parameters:
        bounds = _under(where, parameter, machine.memory.base_page_bytes)
        taken = []
        values_requested, reason = _wanted(benchmark, parameter, experiment, automatic, where)
        if reason:
            skipped.append(Skipped(name, reason))
        for wanted in values_requested:
            value = (
                filling_memory(
                    parameter, machine.memory, _factors(parameter, benchmark, experiment)
                )
                if wanted == OF_MEMORY and parameter.fills_memory
                else wanted
            )
            what = f"{parameter.name}={value}"
            if reason := parameter.refusal(value):
                skipped.append(Skipped(f"{benchmark.name} with {what}", reason))
            elif reason := (
                _elsewhere(value, parameter, where) or bounds.refusal(value, layout.cpus_per_rank)
            ):
                skipped.append(Skipped(f"{name} with {what}", reason))
            else:
                taken.append(value)
        axes.append(tuple(taken))
    return axes, skipped


def _factors(parameter: Parameter, benchmark: Benchmark, experiment: Experiment) -> list[int]:
    """The largest numbers of the parameters that multiply its bytes."""
    numbers = (
        experiment.parameters.get(one.name) or one.values
        for one in benchmark.parameters
        for name in parameter.times
        if one.name == name
    )
    return [max((n for n in some if isinstance(n, int)), default=1) for some in numbers]


def _wanted(
    benchmark: Benchmark,
    parameter: Parameter,
    experiment: Experiment,
    automatic: Automatic,
    where: _Where,
) -> tuple[tuple[Value, ...], str]:
    """The requested values; of automatic ones those that suit the layout, or why none does."""
    values_requested = experiment.parameters.get(parameter.name) or parameter.values
    # A schedule of that name is a value like any other.
    if values_requested != (AUTO,) or parameter.values != (AUTO,):
        return values_requested, ""
    values = _divided(automatic[benchmark.name][parameter.name], parameter, experiment)
    reasons = {value: _elsewhere(value, parameter, where) for value in values}
    found = tuple(
        value
        for value in values
        if not reasons[value] and parameter.fits_auto(value, where.layout.threads)
    )
    if found:
        return found, ""
    elsewhere = next(filter(None, reasons.values()), "")
    return (), elsewhere or f"this machine has no {parameter.name} that suits it"


def _divided(
    values: tuple[Value, ...], parameter: Parameter, experiment: Experiment
) -> tuple[Value, ...]:
    """The numbers over each divisor that the experiment has, where it has any."""
    divisors = experiment.divisors.get(parameter.name)
    if not divisors:
        return values
    parts = (value // by for by in divisors for value in values if isinstance(value, int))
    return tuple(dict.fromkeys(part - part % parameter.multiple for part in parts))


def _elsewhere(value: Value, parameter: Parameter, where: _Where) -> str:
    """Why a pair or node cannot be measured: no thread of the layout runs there; empty where it
    can."""
    if value == AUTO:
        return ""
    if parameter.kind is ParameterKind.NODE:
        there = int(value) < where.layout.nodes
        return "" if there else f"this layout has {where.layout.nodes} nodes, counted from 0"
    if parameter.kind is ParameterKind.RANK_PAIR:
        return _no_such_ranks(str(value), where.layout.ranks)
    if parameter.kind not in (ParameterKind.PAIR, ParameterKind.DOMAIN_PAIR):
        return ""
    return _on_no_thread(str(value), parameter, where)


def _on_no_thread(value: str, parameter: Parameter, where: _Where) -> str:
    cpus, topology = where.cpus, where.topology
    if not cpus:
        return "it needs threads that are bound to one CPU each"
    one, other = (int(number) for number in value.split("-"))
    if parameter.kind is ParameterKind.PAIR:
        missing = [number for number in (one, other) if number not in cpus]
        return f"no thread of this layout runs on CPU {missing[0]}" if missing else ""
    if one not in {cpu.numa for cpu in topology.usable if cpu.number in cpus}:
        return f"no thread of this layout runs in NUMA domain {one}"
    return _no_memory_of(other, topology)


def _no_memory_of(number: int, topology: Topology) -> str:
    """Why memory of a NUMA domain cannot be measured; empty where it can."""
    domain = next((one for one in topology.domains if one.number == number), None)
    if domain is None:
        return f"this machine has no NUMA domain {number}"
    if not domain.allowed:
        return f"this process may not allocate memory of NUMA domain {number} (Mems_allowed)"
    return "" if number in topology.memory_domains else f"NUMA domain {number} has no memory"


def _no_such_ranks(pair: str, ranks: int) -> str:
    one, other = (int(number) for number in pair.split("-"))
    if one == other:
        return "a rank makes no pair with itself"
    return f"this layout has no rank {max(one, other)}" if max(one, other) >= ranks else ""


def _under(where: _Where, parameter: Parameter, base_page_bytes: int) -> Parameter:
    """On several NUMA domains threads may not share a huge page: one domain alone would hold it."""
    huge = where.layout.page_bytes > base_page_bytes
    usable = (cpu for cpu in where.topology.usable if cpu.numa >= 0)
    domains = {cpu.numa for cpu in usable if not where.cpus or cpu.number in where.cpus}
    if not (parameter.least_per_thread and huge and len(domains) > 1):
        return parameter
    return replace(parameter, least_per_thread=where.layout.page_bytes)


def _combinations(benchmark: Benchmark, axes: list[tuple[Value, ...]]) -> list[dict[str, Value]]:
    names = [parameter.name for parameter in benchmark.parameters]
    every = [dict(zip(names, values, strict=True)) for values in product(*axes)]
    return [combination for combination in every if not _skips(benchmark, combination)]


def _not_measured(
    benchmark: Benchmark, combination: dict[str, Value], threads: int, machine: Machine
) -> str:
    """Why a combination cannot be measured: memory of devices where none is named, or a number
    that grows on so many threads beyond what its parameter takes; empty where it can."""
    buffers, on_device = ON_DEVICE
    if combination.get(buffers) == on_device and not machine.topology.is_simulated:
        what = f"{buffers}={on_device}"
        if not machine.devices:
            return f"{what}: no device is named: name those of the ranks with --device"
        for one in machine.devices:
            if one.device.api != "cuda" and one.device.kind != "cpu":
                return f"{what}: memory of {one.name} has no address that MPI could send from"
    return next(
        (
            f"on {threads} threads {one.name}={value} with {SCALING}={WEAK} grows beyond "
            f"{one.maximum}"
            for one in benchmark.parameters
            if isinstance(value := combination[one.name], int)
            and value * one.growth(combination, threads) > one.maximum
        ),
        "",
    )


def _beyond_memory(
    benchmark: Benchmark, combination: dict[str, Value], layout: Layout, machine: Machine
) -> Skipped | None:
    """The values of which the kernel would have no buffers for a collective operation, on nodes
    that are like this machine; None where it has, and where nothing is allocated."""
    traffic = traffic_of(benchmark.name, combination, layout)
    # Of several nodes the limits of this session say nothing.
    limit = machine.memory.limit_bytes if layout.nodes == 1 else 0
    memory = limit or machine.memory.total_bytes
    if traffic is None or machine.topology.is_simulated or not memory:
        return None
    if traffic.buffer_bytes <= SHARE_OF_MEMORY * memory:
        return None
    named = (f"{name}={combination[name]}" for name in ("operation", "size") if name in combination)
    return Skipped(
        ", ".join(named),
        f"the buffers of the {layout.ranks_per_node} ranks of a node need "
        f"{format_bytes(traffic.buffer_bytes)}, over a quarter of its memory, "
        f"{format_bytes(memory)}",
    )


def _skips(benchmark: Benchmark, combination: dict[str, Value]) -> bool:
    return any(all(combination[name] == value for name, value in skip) for skip in benchmark.skips)
