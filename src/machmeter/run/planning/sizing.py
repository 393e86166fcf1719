"""Sizes that depend on the machine: from a measured latency curve, never from CPUID alone."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.curves.last_cache import kept_size, last_cache
from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.benchmarks.memory.access import LATENCY
from machmeter.model.benchmark import AutoRule
from machmeter.model.layout import Layout
from machmeter.model.machine import Machine, Memory, Topology
from machmeter.model.plan.launch import LaunchRole, LaunchSpec
from machmeter.model.plan.study import Study
from machmeter.model.point import make_point
from machmeter.model.results.curves import EarlierCache, Knee, LastCache
from machmeter.model.units import format_bytes
from machmeter.run.planning.automatic_names import automatic_rules
from machmeter.run.planning.expand import has_huge_pages
from machmeter.text.results import earlier_runs_text, last_cache_text

MIB = 2**20
SMALLEST_WORKING_SET = 4096
SIZING_LAUNCHES = 5
# Arrays of STREAM: at least four times the sum of the last caches (McCalpin, STREAM run rules).
CACHE_MULTIPLE = 4
SMALLEST_ARRAY = 64 * MIB
# Caches of devices are larger than their programming interfaces say.
SMALLEST_DEVICE_ARRAY = 1024 * MIB
MEMORY_SHARE = 4
# Value and column index of one nonzero in compressed rows.
BYTES_A_NONZERO = 12
ALLOCATED_BYTES_A_CORE = 32 * MIB
MOST_ALLOCATED = 4096 * MIB


class Sizes(Struct, frozen=True):
    """Values of `auto` sizes."""

    values: dict[str, dict[str, tuple[int, ...]]]
    """By benchmark and parameter, bytes (`nonzeros` a number)."""
    last_cache: LastCache | None
    """The last cache, as described and measured; None where no size follows it."""
    note: str
    """Where the values come from, for people."""
    memory_short: bool = False
    """Whether memory was too short for arrays of the intended size."""


def working_sets(largest: int, per_octave: int) -> tuple[int, ...]:
    """Working sets from 4 KiB to `largest` bytes, in equal steps on a log scale, whole lines."""
    sizes = []
    step = 0
    while (size := int(SMALLEST_WORKING_SET * 2 ** (step / per_octave)) // 256 * 256) <= largest:
        sizes.append(size)
        step += 1
    return tuple(sizes)


NO_SIZES = Sizes({}, None, "")


def needs_sizes(study: Study) -> bool:
    """Whether any size of the study follows from the caches, so that they must be measured."""
    return any(rule.follows_caches for rule in automatic_rules(study))


def sizing_spec(machine: Machine, *, huge_pages: bool = True) -> LaunchSpec:
    """The launches that find the last cache level: a coarse latency curve, on huge pages where
    there are any.

    It goes from 4 KiB to four times the last cache that the system describes, within 128 MiB,
    1 GiB and a quarter of the memory.
    """
    memory = machine.memory
    described = 4 * machine.topology.last_cache_bytes()
    largest = min(max(described, 128 * MIB), 1024 * MIB, _usable_bytes(memory) // MEMORY_SHARE)
    huge = huge_pages and has_huge_pages(machine)
    layout = Layout(page_bytes=memory.huge_page_bytes if huge else memory.base_page_bytes)
    return LaunchSpec(
        name="sizing" if huge_pages else "sizing on base pages",
        program=LATENCY.program.name,
        benchmark=LATENCY.name,
        layout=layout,
        points=tuple(
            make_point(LATENCY.name, {"size": size}, layout) for size in working_sets(largest, 2)
        ),
        seconds_per_point=0.01,
        samples=100,
        role=LaunchRole.SIZING,
    )


def is_same_for_sizing(one: Machine, other: Machine) -> bool:
    """Whether sizes of a run on `one` are right for a run on `other`: the same processor, caches as
    described, usable CPUs, memory limit and pages. The host may be another container's."""
    return _sized_by(one) == _sized_by(other)


def _sized_by(machine: Machine) -> tuple[object, ...]:
    topology, memory = machine.topology, machine.memory
    return (
        machine.cpu_model,
        topology.caches,
        sorted(cpu.number for cpu in topology.usable),
        memory.limit_bytes,
        memory.base_page_bytes,
        sizing_spec(machine).layout.page_bytes,
    )


def choose_sizes(
    machine: Machine, knees: tuple[Knee, ...], earlier: Sequence[EarlierCache] = ()
) -> Sizes:
    """The values of `auto` for this machine, from the knees of the sizing launches and the last
    caches of earlier runs, the newest first."""
    cache = kept_size(last_cache(machine.topology.last_cache_bytes(), knees), earlier)
    last = cache.size
    usable = _usable_bytes(machine.memory)
    count = last_level_caches(machine.topology)
    wanted = CACHE_MULTIPLE * count * last
    array = min(max(wanted, SMALLEST_ARRAY), usable // (3 * MEMORY_SHARE))
    array = max(array - array % (2 * MIB), 2 * MIB)
    curve_end = min(max(CACHE_MULTIPLE * last, 64 * MIB), usable // MEMORY_SHARE)
    times = f", {count} of them" * (count > 1)
    note = f"last cache {last_cache_text(cache)}{times}: arrays of {format_bytes(array)}"
    if array < wanted:
        note += f", less than four times the cache{'s' * (count > 1)} because memory is short"
    note = "; ".join(filter(None, (note, earlier_runs_text(cache))))
    values: dict[AutoRule | None, tuple[int, ...]] = {
        AutoRule.CACHES_ARRAY: (array,),
        AutoRule.CACHES_DEVICE: (_array_of_devices(machine, array),),
        AutoRule.CACHES_CURVE: working_sets(curve_end, 2),
        **_sizes_between_places(machine, last, curve_end),
        AutoRule.CACHES_NONZEROS: (_nonzeros(count * last, usable),),
    }
    return Sizes(_by_benchmark(values), cache, note, memory_short=array < wanted)


def _array_of_devices(machine: Machine, of_caches: int) -> int:
    """One for all devices of the run, within the memory of each; of_caches: for the host's."""
    devices = [one.device for one in machine.devices or ()]
    own = [one.cache_bytes or 0 for one in devices if one.kind != "cpu"]
    wanted = max(SMALLEST_DEVICE_ARRAY, CACHE_MULTIPLE * max(own)) if own else of_caches
    # A buffer may have a quarter at most (CL_DEVICE_MAX_MEM_ALLOC_SIZE), and is rounded up.
    fitting = [one.memory_bytes // (MEMORY_SHARE + 1) for one in devices if one.memory_bytes]
    return max(min([wanted, *fitting]) // (2 * MIB), 1) * 2 * MIB


def _by_benchmark(
    values: dict[AutoRule | None, tuple[int, ...]],
) -> dict[str, dict[str, tuple[int, ...]]]:
    """Values by benchmark and parameter, from those of each rule."""
    found: dict[str, dict[str, tuple[int, ...]]] = {}
    for benchmark in BENCHMARKS:
        for parameter in benchmark.parameters:
            if parameter.auto in values:
                found.setdefault(benchmark.name, {})[parameter.name] = values[parameter.auto]
    return found


def _sizes_between_places(
    machine: Machine, last: int, curve_end: int
) -> dict[AutoRule | None, tuple[int, ...]]:
    """Sets of pages from inside a core's own cache to beyond the last; memory beyond the last.

    A set of pages is one thread's, so that one last cache bounds it, however many there are.
    """
    topology = machine.topology
    own = min((c.size_bytes for c in topology.caches if c.level == 2), default=256 * 1024) // 2
    # The floor is for caches that the fit of the curve has missed.
    least, most = min(own, last // 2), max(2 * last, SMALLEST_ARRAY)
    most = max(min(most, curve_end), 4 * SMALLEST_WORKING_SET)
    least = max(min(least, most // 4), 2 * SMALLEST_WORKING_SET)
    middle = int((least * most) ** 0.5)
    sets = tuple(size - size % SMALLEST_WORKING_SET for size in (least, middle, most))
    usable = _usable_bytes(machine.memory)
    of_thread = min(curve_end, usable // (MEMORY_SHARE * max(1, len(topology.usable_cores))))
    # One memory at a time, which all last caches of a domain may hold a part of.
    caches = caches_of_domain(topology)
    of_domain = min(
        max(CACHE_MULTIPLE * caches * last, SMALLEST_ARRAY),
        usable // (MEMORY_SHARE * max(1, len(topology.memory_domains))),
        _smallest_domain(topology, usable) // MEMORY_SHARE,
    )
    return {
        AutoRule.CACHES_PAGES: tuple(dict.fromkeys(sets)),
        AutoRule.CACHES_DOMAIN: (_whole_mib(of_domain),),
        AutoRule.CACHES_THREAD: (_whole_mib(of_thread),),
    }


def _whole_mib(size: int) -> int:
    return max(size - size % MIB, MIB)


def _nonzeros(caches: int, usable: int) -> int:
    """Nonzeros of a matrix of twice all last caches, 64 MiB at least, within memory."""
    size = min(max(2 * caches, SMALLEST_ARRAY), usable // (2 * MEMORY_SHARE))
    return max(1000, min(size // BYTES_A_NONZERO, 2**31 - 1))


def allocated_bytes(machine: Machine) -> int:
    """What `memory.allocation` allocates unless asked otherwise, bytes: 32 MiB for each core."""
    wanted = ALLOCATED_BYTES_A_CORE * len(machine.topology.usable_cores)
    size = min(wanted, MOST_ALLOCATED, _usable_bytes(machine.memory) // MEMORY_SHARE)
    return max(size - size % MIB, MIB)


def last_level_caches(topology: Topology) -> int:
    """How many caches of the last level the usable CPUs have, at least 1."""
    usable = {cpu.number for cpu in topology.usable}
    caches = [cache for cache in topology.caches if cache.kind != "instruction"]
    last = max((cache.level for cache in caches), default=0)
    return max(1, len({c.cpus for c in caches if c.level == last and usable & set(c.cpus)}))


def caches_of_domain(topology: Topology) -> int:
    """The most caches of the last level that the usable CPUs of one NUMA domain have, at least 1"""
    domains = topology.usable_domains
    return max((last_level_caches(_only(topology, domain)) for domain in domains), default=1)


def _smallest_domain(topology: Topology, otherwise: int) -> int:
    """Memory of the smallest NUMA domain that may be used, bytes, where it is known."""
    known = set(topology.memory_domains)
    sizes = (one.memory_bytes for one in topology.domains if one.number in known)
    return min((size for size in sizes if size), default=otherwise)


def _only(topology: Topology, domain: int) -> Topology:
    within = (replace(cpu, allowed=cpu.allowed and cpu.numa == domain) for cpu in topology.cpus)
    return replace(topology, cpus=tuple(within))


def _usable_bytes(memory: Memory) -> int:
    """What may be allocated, bytes; a cautious guess where the system does not say."""
    guess = memory.limit_bytes or memory.total_bytes or 1024 * MIB
    return max(memory.usable_bytes or guess // 2, MEMORY_SHARE * SMALLEST_WORKING_SET)
