"""Questions of study `scalemp` about memory. Bounds of bands are machmeter's own, unless said."""

from __future__ import annotations

from machmeter.model.benchmark import Value
from machmeter.model.plan.study import (
    FARTHEST,
    LARGEST,
    NEAREST,
    OTHER,
    OWN,
    SMALLEST,
    Band,
    PublishedSide,
    Question,
    Rule,
    Selector,
)

_PAPER = "Schmidl et al. 2010"
_SCALEMP = (PublishedSide("scalemp"),)
_BOTH = (*_SCALEMP, PublishedSide("tigerton"))
_ALL_BOUND: dict[str, Value] = {"threads_per_rank": 0, "binding": "close"}
_TRIAD: dict[str, Value] = {"kernel": "triad", "stores": "nontemporal"}
_SPREAD: dict[str, Value] = {"binding": "spread"}
_FREE: dict[str, Value] = {"binding": "none"}
_ONE_DOMAIN = "it takes two NUMA domains"

# 3 and 10 after the paper's two machines, which lie at 1.3 and 17; 1.3 is machmeter's own.
_MEMORY_BANDS = (
    Band(0.0, "uniform", "place threads as you like"),
    Band(1.3, "mildly NUMA", "touch data first where they are used"),
    Band(3.0, "distinct NUMA", "touch data first where they are used, and bind threads"),
    Band(10.0, "software-shared memory", "keep every page with one thread, and bind threads"),
)

# On one domain pages are equally far: what is left is where a line was last written.
_ONE_DOMAIN_BANDS = (
    Band(0.0, "uniform", "place threads as you like"),
    Band(
        1.3,
        "uniform memory, though another core's cache costs more",
        "let the thread that wrote data use them next",
    ),
    Band(3.0, "far apart within one NUMA domain", "bind threads: the machine may hide its domains"),
    Band(10.0, "software-shared memory", "keep every page with one thread, and bind threads"),
)
_CORES = {"cores": 2}


def _pages(pair: str, extent: str, order: str, size: str) -> Selector:
    parameters: dict[str, Value] = {"pair": pair, "extent": extent, "order": order, "size": size}
    return Selector(parameters, {"page_bytes": SMALLEST})


_MEMORY = (
    Question(
        text="Is memory uniform, NUMA or software-shared (pages that another core last wrote)?",
        benchmark="memory.pages",
        metric="visit_time",
        rule=Rule.BANDS,
        candidate=_pages(FARTHEST, "page", "independent", LARGEST),
        baseline=_pages(OWN, "page", "independent", LARGEST),
        each="visit",
        bands=_MEMORY_BANDS,
        bands_of_one_domain=_ONE_DOMAIN_BANDS,
        undecided="it takes two cores",
        needs=_CORES,
        source=f"{_PAPER}: pages of another core on ScaleMP and on a plain machine",
        published=_BOTH,
    ),
    Question(
        text="What does a word from another core's cache cost over one's own?",
        benchmark="memory.pages",
        metric="visit_time",
        rule=Rule.BANDS,
        candidate=_pages(NEAREST, "word", "dependent", SMALLEST),
        baseline=_pages(OWN, "word", "dependent", SMALLEST),
        each="visit",
        bands=(
            Band(0.0, "as little", "share small data freely"),
            Band(1.3, "somewhat more", "let the thread that wrote small data use them next"),
            Band(3.0, "much more", "give each thread small data of its own"),
        ),
        undecided="it takes two cores",
        needs=_CORES,
    ),
    Question(
        text="How far is the memory of another NUMA domain?",
        benchmark="memory.matrix",
        metric="latency",
        rule=Rule.BANDS,
        candidate=Selector({"pair": OTHER}),
        baseline=Selector({"pair": OWN}),
        bands=_MEMORY_BANDS,
        undecided=_ONE_DOMAIN,
        needs={"memories": 2},
    ),
    Question(
        text="How much bandwidth does the memory of another NUMA domain cost?",
        benchmark="memory.matrix",
        metric="bandwidth",
        rule=Rule.BANDS,
        candidate=Selector({"pair": OTHER}),
        baseline=Selector({"pair": OWN}),
        bands=_MEMORY_BANDS,
        undecided=_ONE_DOMAIN,
        needs={"memories": 2},
    ),
)

_PLACEMENT = (
    Question(
        text="Should threads be bound, over time?",
        benchmark="memory.timeline",
        metric="stream_bandwidth",
        candidate=Selector(layout=_ALL_BOUND),
        baseline=Selector(layout={"threads_per_rank": 0, **_FREE}),
        yes="bind threads: OMP_PROC_BIND=close, OMP_PLACES=cores",
        no="leave them to the system here",
        same="binding costs nothing here: bind where runs must repeat",
        alone=True,
        source=f"{_PAPER}: bound from the start, and unbound at most",
        published=_SCALEMP,
    ),
    Question(
        text="Does binding all threads pay in bandwidth?",
        benchmark="memory.stream",
        metric="stream_bandwidth",
        candidate=Selector(_TRIAD, _ALL_BOUND),
        baseline=Selector(_TRIAD, {"threads_per_rank": 0, **_FREE}),
        yes="bind threads: OMP_PROC_BIND=close, OMP_PLACES=cores",
        no="leave them to the system here",
        same="binding costs nothing here: bind where runs must repeat",
        source=f"{_PAPER}: STREAM, bound and unbound",
        published=(
            PublishedSide(
                "scalemp", over={"scalemp/stream-bound": 1}, under={"scalemp/stream-default": 1}
            ),
        ),
    ),
    Question(
        text="With some cores idle, should threads be spread for bandwidth?",
        benchmark="memory.stream",
        metric="stream_bandwidth",
        candidate=Selector(_TRIAD, _SPREAD),
        baseline=Selector(_TRIAD, {"binding": "close"}),
        each="threads_per_rank",
        yes="OMP_PROC_BIND=spread",
        no="OMP_PROC_BIND=close",
        same="fill cores in any order",
        undecided="close and spread threads come to the same cores",
        needs={"some_placed": 2},
    ),
)


def _allocation(pages: str, threads: Value | None = None) -> Selector:
    layout: dict[str, Value] = {} if threads is None else {"threads_per_rank": threads}
    return Selector({"way": "map", "pages": pages}, layout)


_ALLOCATION = (
    Question(
        text="Do pages from the pool of huge pages (2 MiB) pay when memory is allocated?",
        benchmark="memory.allocation",
        metric="total",
        candidate=_allocation("hugetlb-2m"),
        baseline=_allocation("base"),
        each="threads_per_rank",
        yes="ask for huge pages (MAP_HUGETLB)",
        no="leave base pages",
        undecided="its pool of huge pages is empty",
        needs={"hugetlb-2m": 1},
        source=f"{_PAPER}: they pay on ScaleMP, and not always on a plain machine",
        published=_BOTH,
    ),
    Question(
        text="Do transparent huge pages pay when memory is allocated?",
        benchmark="memory.allocation",
        metric="total",
        candidate=_allocation("transparent"),
        baseline=_allocation("base"),
        each="threads_per_rank",
        yes="ask for them (madvise)",
        no="leave base pages",
        undecided="it has no transparent huge pages",
        needs={"transparent": 1},
    ),
    Question(
        text="Does allocating scale with threads?",
        benchmark="memory.allocation",
        metric="total",
        rule=Rule.EFFICIENCY,
        candidate=Selector({"way": "map"}, {"threads_per_rank": 0}),
        baseline=Selector({"way": "map"}, {"threads_per_rank": 1}),
        each="pages",
        bands=(
            Band(0.0, "hardly", "allocate once, outside parallel regions, and use slices"),
            Band(0.4, "partly", "allocate seldom inside parallel regions"),
            Band(0.8, "yes", "allocate where it suits the program"),
        ),
        undecided="it takes two cores",
        needs=_CORES,
        source=f"{_PAPER}: one array, allocated and written by one thread or by all",
        published=_BOTH,
    ),
    Question(
        text="Does the first touch of memory scale with threads?",
        benchmark="memory.allocation",
        metric="first_touch",
        rule=Rule.EFFICIENCY,
        candidate=Selector({"way": "map"}, {"threads_per_rank": 0}),
        baseline=Selector({"way": "map"}, {"threads_per_rank": 1}),
        each="pages",
        bands=(
            Band(0.0, "hardly", "the kernel's page faults limit: touch once, and use larger pages"),
            Band(0.4, "partly", "use larger pages"),
            Band(0.8, "yes", "let every thread touch its own first"),
        ),
        undecided="it takes two cores",
        needs=_CORES,
    ),
    Question(
        text="Does it pay to allocate inside the parallel region?",
        benchmark="memory.allocation",
        metric="total",
        candidate=Selector({"way": "malloc-inside"}),
        baseline=Selector({"way": "malloc-outside"}),
        each="threads_per_rank",
        yes="allocate inside, each thread its own",
        no="allocate outside, and use slices",
        same="allocate where it suits the program",
        source=f"{_PAPER}: do not allocate and release in parallel regions",
    ),
    Question(
        text="Which allocator for memory that comes and goes in parallel regions?",
        benchmark="memory.allocation",
        metric="total",
        rule=Rule.BEST,
        candidate=Selector({"way": "malloc-loop"}, {"threads_per_rank": 0}),
        baseline=Selector(layout={"allocator": "glibc"}),
        axes=("allocator",),
        yes="preload it (LD_PRELOAD)",
        undecided="it has no other allocator than the C library's",
        needs={"allocators": 2},
    ),
)

_LIMITS = (
    Question(
        text="Do all cores together move their share of memory?",
        benchmark="memory.stream",
        metric="stream_bandwidth",
        rule=Rule.EFFICIENCY,
        candidate=Selector(_TRIAD, _ALL_BOUND),
        baseline=Selector(_TRIAD, {"threads_per_rank": 1, "binding": "close"}),
        bands=(
            Band(0.0, "hardly", "memory limits: fewer threads move as much"),
            Band(0.3, "partly", "memory limits before the cores do: reuse caches"),
            Band(0.8, "yes", "cores limit: use them all"),
        ),
        undecided="it takes two cores",
        needs=_CORES,
        source=f"{_PAPER}: all boards together",
        published=(
            PublishedSide(
                "scalemp",
                words="{scalemp/stream-bound} on {scalemp/boards} boards, bound",
            ),
        ),
    ),
    Question(
        text="How much longer do loads take while all other cores use memory?",
        benchmark="memory.loaded",
        metric="latency",
        rule=Rule.BANDS,
        candidate=Selector({"pause": SMALLEST}),
        baseline=Selector({"pause": LARGEST}),
        each="mix",
        bands=(
            Band(0.0, "hardly longer", "the memory system is not full"),
            Band(1.3, "longer", "programs that wait for loads lose beside programs that stream"),
            Band(
                3.0, "much longer", "keep programs that wait for loads away from those that stream"
            ),
        ),
        undecided="it takes two cores",
        needs=_CORES,
    ),
)

MEMORY_QUESTIONS = (*_MEMORY, *_PLACEMENT, *_ALLOCATION, *_LIMITS)
