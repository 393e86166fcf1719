"""Figures made up for tests: memory and cores by pairs of places, load, time, allocation."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import product

from machmeter.layout.places import (
    common_ancestors,
    domain_pairs,
    ordered_pairs,
    unordered_pairs,
)
from machmeter.model.benchmark import Value
from machmeter.model.layout import BASE_PAGE, HUGE_PAGE, Binding, Layout, WaitPolicy
from machmeter.model.machine import Topology
from machmeter.model.plan.launch import Check, PointRecord
from machmeter.model.point import make_point
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import ShownPoint
from tests.support.synthetic.maker import Maker

MOST_PAIRS = 64
SETS = (256 * 2**10, 4 * 2**20, 64 * 2**20)
_VISIT = {"read": 1.0, "write": 1.4}
_EXTENT = {"word": 0.0, "page": 0.6e-6}
_ORDER = {"dependent": 1.0, "independent": 0.3}
PageKind = tuple[int, str, str, str]
PAGE_KINDS: tuple[PageKind, ...] = tuple(product(SETS, _VISIT, _EXTENT, _ORDER))


def pages(
    make: Maker,
    topology: Topology,
    most: int = MOST_PAIRS,
    kinds: Sequence[PageKind] = PAGE_KINDS,
) -> list[Estimate]:
    """Page visits of ordered pairs of places; kinds: size, visit, extent and order of each."""
    cores = len(topology.usable_cores)
    layout = Layout(threads_per_rank=cores, wait_policy=WaitPolicy.PASSIVE)
    kin = common_ancestors(topology, ordered_pairs(topology, most))
    return [
        make.estimate(
            "memory.pages",
            {"pair": f"{a}-{b}", "visit": visit, "extent": extent, "order": order, "size": size},
            layout,
            "visit_time",
            (_visit_seconds(ancestor.rank, size) * _VISIT[visit] + _EXTENT[extent]) * _ORDER[order],
            0.02,
        )
        for (a, b), ancestor in kin.items()
        for size, visit, extent, order in kinds
    ]


def _visit_seconds(rank: int, size: int) -> float:
    near = 0.1e-6 + 0.05e-6 * math.log2(size / SETS[0])
    return near + 0.06e-6 * rank


def matrix(make: Maker, topology: Topology) -> list[Estimate]:
    """Latency and bandwidth from every NUMA domain to every other, on both kinds of page."""
    found = []
    for pages_bytes in (BASE_PAGE, HUGE_PAGE):
        layout = Layout(
            threads_per_rank=len(topology.usable_cores),
            page_bytes=pages_bytes,
            wait_policy=WaitPolicy.PASSIVE,
        )
        for a, b in domain_pairs(topology, MOST_PAIRS):
            far = topology.domains[a].distances[b] / 10 if topology.domains[a].distances else 1.0
            parameters: dict[str, Value] = {"pair": f"{a}-{b}", "size": 256 * 2**20}
            seconds = (118e-9 if pages_bytes == BASE_PAGE else 96e-9) * (1 + 0.35 * (far - 1))
            for metric, value in (
                ("latency", seconds),
                ("bandwidth", 38e9 / far**0.6),
            ):
                found.append(make.estimate("memory.matrix", parameters, layout, metric, value))
    return found


def pairs(make: Maker, topology: Topology, most: int = MOST_PAIRS) -> list[Estimate]:
    """Core to core, by protocol."""
    cores = len(topology.usable_cores)
    layout = Layout(threads_per_rank=cores, wait_policy=WaitPolicy.PASSIVE)
    kin = common_ancestors(topology, unordered_pairs(topology, most))
    return [
        make.estimate(
            "threads.pairs",
            {"pair": f"{a}-{b}", "protocol": protocol},
            layout,
            "one_way",
            factor * (20e-9 + 9e-9 * ancestor.rank),
            0.03,
        )
        for (a, b), ancestor in kin.items()
        for protocol, factor in (("compare-and-swap", 1.0), ("one-line", 1.5), ("two-lines", 2.4))
    ]


def loaded(make: Maker, cores: int) -> list[Estimate]:
    """Latency against bandwidth for three mixes, on both kinds of page."""
    found = []
    for pages_bytes in (BASE_PAGE, HUGE_PAGE):
        layout = Layout(threads_per_rank=cores, page_bytes=pages_bytes)
        for mix, most in (
            ("read", 8e9 * cores),
            ("two-to-one", 7e9 * cores),
            ("write", 5e9 * cores),
        ):
            for pause in (0, 30, 100, 300, 1000, 3000):
                rate = most / (1 + pause / 150)
                seconds = 110e-9 / (1 - 0.8 * rate / (9e9 * cores))
                parameters: dict[str, Value] = {"mix": mix, "pause": pause, "size": 256 * 2**20}
                for metric, value in (
                    ("latency", seconds),
                    ("bandwidth", rate),
                ):
                    found.append(
                        make.estimate("memory.loaded", parameters, layout, metric, value, 0.03)
                    )
    return found


def allocation(make: Maker, threads: tuple[int, ...]) -> list[Estimate]:
    """Phases by way, pages, threads and allocator."""
    found = []
    for count in threads:
        for allocator in ("", "jemalloc"):
            for way in ("map", "malloc-outside", "malloc-inside", "malloc-loop"):
                for pages_name in ("base", "transparent") if way == "map" else ("base",):
                    touch = 0.11 / count**0.7 * (0.4 if pages_name == "transparent" else 1.0)
                    reused = 0.08 if way == "malloc-loop" and allocator else 1.0
                    phases = {
                        "allocate": 9e-6,
                        "first_touch": touch * reused,
                        "second_pass": 0.02 / count**0.8,
                        "release": 4e-3 * reused,
                    }
                    phases["total"] = sum(phases.values()) - phases["second_pass"]
                    phases["fault"] = touch / 2**15
                    layout = Layout(threads_per_rank=count, allocator=allocator)
                    parameters: dict[str, Value] = {
                        "way": way,
                        "pages": pages_name,
                        "size": 128 * 2**20,
                    }
                    found += [
                        make.estimate("memory.allocation", parameters, layout, metric, value, 0.03)
                        for metric, value in phases.items()
                    ]
    return found


def placement(make: Maker, threads: tuple[int, ...]) -> list[Estimate]:
    """Triad over the number of cores, filled close and spread, but for all cores close."""
    widest = threads[-1]
    return [
        make.estimate(
            "memory.stream",
            {"kernel": "triad", "stores": "nontemporal", "size": 128 * 2**20},
            Layout(threads_per_rank=count, binding=binding, page_bytes=HUGE_PAGE),
            "stream_bandwidth",
            19.5e9
            * count**0.93
            * (0.8 + 0.2 * count / widest if binding is Binding.CLOSE else 1.0),
        )
        for count in threads
        for binding in (Binding.CLOSE, Binding.SPREAD)
        if (count, binding) != (widest, Binding.CLOSE)
    ]


def timeline(
    make: Maker, topology: Topology, slices: int = 3000
) -> tuple[list[Estimate], tuple[ShownPoint, ...]]:
    """A minute of slices, unbound with migrations and a change of level, close, and spread."""
    draw = random.Random(5)
    cores = len(topology.usable_cores)
    estimates, shown = [], []
    bytes_swept = 3 * 2**30
    for binding, level in ((Binding.NONE, 0.8), (Binding.CLOSE, 1.0), (Binding.SPREAD, 0.97)):
        layout = Layout(threads_per_rank=cores, binding=binding)
        point = make_point(
            "memory.timeline", {"seconds": 60, "slice_ms": 20, "size": 2**30}, layout
        )
        free = binding is Binding.NONE
        rates = [
            9e9 * cores**0.9 * level * draw.lognormvariate(0, 0.09 if free else 0.02)
            * (0.7 if free and n > 0.6 * slices else 1.0)
            for n in range(slices)
        ]  # fmt: skip
        moved = [float(free and draw.random() < 0.03) for _ in range(slices)]
        series = {
            "seconds": tuple(bytes_swept / rate for rate in rates),
            "at": tuple(0.02 * n for n in range(slices)),
            "sweeps": (1.0,) * slices,
            "migrations": tuple(moved),
            "involuntary_switches": (0.0,) * slices,
            **{f"cpu.{cpu}": (float(cpu),) * slices for cpu in range(cores)},
            "domain.0": (0.0,) * slices,
            "domain.1": (float(len(topology.domains) - 1),) * slices,
        }
        record = PointRecord(
            dict(point.parameters), series, 1, Check(True, "sums"), {"stream_bytes": bytes_swept}
        )
        shown.append(ShownPoint(point, 12, record))
        estimates.append(
            make.estimate(
                "memory.timeline",
                dict(point.parameters),
                layout,
                "stream_bandwidth",
                sorted(rates)[slices // 2],
            )
        )
    return estimates, tuple(shown)
