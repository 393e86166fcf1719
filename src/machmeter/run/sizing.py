"""Sizes that depend on the machine: from a measured latency curve, never from CPUID alone."""

from __future__ import annotations

from msgspec import Struct

from machmeter.benchmarks.memory import LATENCY, STREAM
from machmeter.model.estimate import Knee
from machmeter.model.launch import LaunchSpec
from machmeter.model.layout import Layout
from machmeter.model.machine import Machine
from machmeter.model.point import make_point
from machmeter.model.units import format_bytes

MIB = 2**20
SMALLEST_WORKING_SET = 4096
SIZING_LAUNCHES = 3
# Arrays of STREAM: at least four times the last cache (McCalpin, STREAM run rules).
CACHE_MULTIPLE = 4
SMALLEST_ARRAY = 64 * MIB
MEMORY_SHARE = 4
# A level this near to memory is no cache: address translation and noise make such steps.
CACHE_TO_MEMORY = 0.7


class Sizes(Struct, frozen=True):
    """Values of `auto` by benchmark name, bytes, and in words where they come from."""

    values: dict[str, tuple[int, ...]]
    last_cache_bytes: int
    note: str


def working_sets(largest: int, per_octave: int) -> tuple[int, ...]:
    """Working sets from 4 KiB to `largest` bytes, in equal steps on a log scale, whole lines."""
    sizes = []
    step = 0
    while (size := int(SMALLEST_WORKING_SET * 2 ** (step / per_octave)) // 256 * 256) <= largest:
        sizes.append(size)
        step += 1
    return tuple(sizes)


def sizing_spec(machine: Machine) -> LaunchSpec:
    """The launches that find the last cache level: a coarse latency curve on huge pages.

    It goes to twice the cache that the system describes, within 128 MiB, 1 GiB and a quarter of
    the memory.
    """
    memory = machine.memory
    described = 2 * machine.topology.last_cache_bytes()
    largest = min(max(described, 128 * MIB), 1024 * MIB, memory.usable_bytes // MEMORY_SHARE)
    huge = memory.transparent_huge_pages != "never" and memory.huge_page_bytes
    layout = Layout(page_bytes=memory.huge_page_bytes if huge else memory.base_page_bytes)
    sizes = tuple(size for size in working_sets(largest, 2) if size >= 16 * 1024)
    return LaunchSpec(
        name="sizing",
        executable=LATENCY.executable,
        benchmark=LATENCY.name,
        layout=layout,
        points=tuple(make_point(LATENCY.name, {"size": size}, layout) for size in sizes),
        seconds_per_point=0.01,
        samples=100,
        role="sizing",
    )


def choose_sizes(machine: Machine, knees: tuple[Knee, ...]) -> Sizes:
    """The values of `auto` for this machine, from the knees of the sizing launches."""
    measured = last_cache_level(knees)
    described = machine.topology.last_cache_bytes()
    last = measured or described or 32 * MIB
    source = "measured" if measured else "described by the system; no knee was found"
    usable = machine.memory.usable_bytes
    array = min(max(CACHE_MULTIPLE * last, SMALLEST_ARRAY), usable // (3 * MEMORY_SHARE))
    array -= array % (2 * MIB)
    curve_end = min(max(CACHE_MULTIPLE * last, 64 * MIB), usable // MEMORY_SHARE)
    note = (
        f"last cache level {format_bytes(last)} ({source}; the system describes "
        f"{format_bytes(described)}): arrays of {format_bytes(array)}"
    )
    if array < CACHE_MULTIPLE * last:
        note += ", less than four times the cache because memory is short"
    return Sizes(
        {STREAM.name: (max(array, 2 * MIB),), LATENCY.name: working_sets(curve_end, 2)}, last, note
    )


def last_cache_level(knees: tuple[Knee, ...]) -> int:
    """Size in bytes of the last level that is clearly faster than memory; 0 where none is."""
    memory = max((knee.latency_seconds for knee in knees), default=0.0)
    caches = [k.size_bytes for k in knees if k.latency_seconds < CACHE_TO_MEMORY * memory]
    return max(caches, default=0)
