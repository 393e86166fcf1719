"""Questions of study `scalemp` about memory. Bounds of bands are machmeter's own, unless stated."""

from __future__ import annotations

from machmeter.model.benchmark import Value
from machmeter.model.plan.question import (
    FARTHEST,
    LARGEST,
    NEAREST,
    OTHER,
    OWN,
    SMALLEST,
    Band,
    BestRule,
    BetterRule,
    CostRule,
    EfficiencyRule,
    PublishedRatio,
    PublishedResults,
    PublishedStatement,
    Question,
    Resource,
    Selector,
)

_PAPER = "Schmidl et al. 2010"
_SCALEMP = (PublishedResults("scalemp"),)
_BOTH = (*_SCALEMP, PublishedResults("tigerton"))
_ALL_BOUND: dict[str, Value] = {"threads_per_rank": 0, "binding": "close"}
_TRIAD: dict[str, Value] = {"kernel": "triad", "stores": "nontemporal"}
_SPREAD: dict[str, Value] = {"binding": "spread"}
_FREE: dict[str, Value] = {"binding": "none"}
_CORES = {Resource.CORES: 2}
_DOMAINS = {Resource.DOMAINS_WITH_MEMORY: 2}
_BIND = "bind threads: OMP_PROC_BIND=close, OMP_PLACES=cores"
_BOUND_SETTINGS = ("OMP_PROC_BIND=close", "OMP_PLACES=cores")

# 3 and 10 after the paper's two machines, which are at 1.3 and 17; 1.3 is machmeter's own.
_MEMORY_BANDS = (
    Band(0.0, "uniform", "place threads anywhere"),
    Band(1.3, "mildly NUMA", "initialize data where they are used (first touch)"),
    Band(3.0, "strongly NUMA", "initialize data where they are used, and bind threads"),
    Band(10.0, "software-shared memory", "keep every page with one thread, and bind threads"),
)

# On one domain pages are equally far: what is left is where a line was last written.
_ONE_DOMAIN_BANDS = (
    Band(0.0, "uniform", "place threads anywhere"),
    Band(
        1.3,
        "uniform memory, but lines in another core's cache cost more",
        "reuse data on the thread that wrote them",
    ),
    Band(
        3.0,
        "large differences within one NUMA domain",
        "bind threads: the machine may hide its domains",
    ),
    Band(10.0, "software-shared memory", "keep every page with one thread, and bind threads"),
)


def _pages(pair: str, extent: str, order: str, size: str) -> Selector:
    parameters: dict[str, Value] = {"pair": pair, "extent": extent, "order": order, "size": size}
    return Selector(parameters, {"page_bytes": SMALLEST})


_MEMORY = (
    Question(
        text="Is memory uniform, NUMA or software-shared (pages last written by another core)?",
        benchmark="memory.pages",
        metric="visit_time",
        rule=CostRule(
            _pages(FARTHEST, "page", "independent", LARGEST),
            _pages(OWN, "page", "independent", LARGEST),
            _MEMORY_BANDS,
            _ONE_DOMAIN_BANDS,
        ),
        each=("visit",),
        requires=_CORES,
        source=f"{_PAPER}: pages of another core on ScaleMP and on a plain machine",
        published=_BOTH,
    ),
    Question(
        text="How much more does a word in another core's cache cost than one's own?",
        benchmark="memory.pages",
        metric="visit_time",
        rule=CostRule(
            _pages(NEAREST, "word", "dependent", SMALLEST),
            _pages(OWN, "word", "dependent", SMALLEST),
            (
                Band(0.0, "no more", "share small data freely"),
                Band(1.3, "somewhat more", "reuse small data on the thread that wrote them"),
                Band(3.0, "much more", "give each thread its own copy of small data"),
            ),
        ),
        each=("visit",),
        requires=_CORES,
    ),
    Question(
        text="What is the latency penalty of remote NUMA memory?",
        benchmark="memory.matrix",
        metric="latency",
        rule=CostRule(Selector({"pair": OTHER}), Selector({"pair": OWN}), _MEMORY_BANDS),
        requires=_DOMAINS,
    ),
    Question(
        text="What is the bandwidth penalty of remote NUMA memory?",
        benchmark="memory.matrix",
        metric="bandwidth",
        rule=CostRule(Selector({"pair": OTHER}), Selector({"pair": OWN}), _MEMORY_BANDS),
        requires=_DOMAINS,
    ),
)

_PLACEMENT = (
    Question(
        text="Does binding threads improve bandwidth over time?",
        benchmark="memory.timeline",
        metric="stream_bandwidth",
        rule=BetterRule(
            Selector(layout=_ALL_BOUND),
            Selector(layout={"threads_per_rank": 0, **_FREE}),
            yes=_BIND,
            settings=_BOUND_SETTINGS,
            no="leave threads unbound here",
            same="binding costs nothing: bind where runs must be repeatable",
        ),
        tested_alone=True,
        source=f"{_PAPER}: bound from the start, and unbound at most",
        published=_SCALEMP,
    ),
    Question(
        text="Does binding threads improve STREAM bandwidth?",
        benchmark="memory.stream",
        metric="stream_bandwidth",
        rule=BetterRule(
            Selector(_TRIAD, _ALL_BOUND),
            Selector(_TRIAD, {"threads_per_rank": 0, **_FREE}),
            yes=_BIND,
            settings=_BOUND_SETTINGS,
            no="leave threads unbound here",
            same="binding costs nothing: bind where runs must be repeatable",
        ),
        source=f"{_PAPER}: STREAM, bound and unbound",
        published=(
            PublishedRatio(
                "scalemp", over={"scalemp/stream-bound": 1}, under={"scalemp/stream-default": 1}
            ),
        ),
    ),
    Question(
        text="Does spreading threads improve bandwidth when some cores are idle?",
        benchmark="memory.stream",
        metric="stream_bandwidth",
        rule=BetterRule(
            Selector(_TRIAD, _SPREAD),
            Selector(_TRIAD, {"binding": "close"}),
            yes="OMP_PROC_BIND=spread",
            no="OMP_PROC_BIND=close",
            same="use cores in any order",
        ),
        each=("threads_per_rank",),
        requires={Resource.PLACEMENTS: 2},
    ),
)


def _allocation(pages: str) -> Selector:
    return Selector({"way": "map", "pages": pages})


def _by_all(way: str) -> Selector:
    return Selector({"way": way}, {"threads_per_rank": 0})


_MAPPED_BY_ONE = Selector({"way": "map"}, {"threads_per_rank": 1})

_ALLOCATION = (
    Question(
        text="Does allocation from the pool of 2 MiB pages (hugetlb) save time?",
        benchmark="memory.allocation",
        metric="total",
        rule=BetterRule(
            _allocation("hugetlb-2m"),
            _allocation("base"),
            yes="request huge pages with MAP_HUGETLB",
            no="keep base pages",
        ),
        each=("threads_per_rank",),
        requires={Resource.HUGE_PAGES_2M: 1},
        source=f"{_PAPER}: they save time on ScaleMP, and not always on a plain machine",
        published=_BOTH,
    ),
    Question(
        text="Do transparent huge pages make allocation faster?",
        benchmark="memory.allocation",
        metric="total",
        rule=BetterRule(
            _allocation("transparent"),
            _allocation("base"),
            yes="request transparent huge pages with madvise",
            by_default=Resource.HUGE_PAGES_BY_DEFAULT,
            yes_by_default="keep transparent huge pages at `always`",
            no="keep base pages",
        ),
        each=("threads_per_rank",),
        requires={Resource.TRANSPARENT_HUGE_PAGES: 1},
    ),
    Question(
        text="Does memory allocation scale with threads?",
        benchmark="memory.allocation",
        metric="total",
        rule=EfficiencyRule(
            _by_all("map"),
            _MAPPED_BY_ONE,
            (
                Band(0.0, "hardly", "allocate once, outside parallel regions, and use slices"),
                Band(0.4, "partly", "allocate seldom inside parallel regions"),
                Band(0.8, "yes", "allocate where it suits the program"),
            ),
        ),
        each=("pages",),
        requires=_CORES,
        source=f"{_PAPER}: one array, allocated and written by one thread or by all",
        published=_BOTH,
    ),
    Question(
        text="Does first-touch initialization scale with threads?",
        benchmark="memory.allocation",
        metric="first_touch",
        rule=EfficiencyRule(
            _by_all("map"),
            _MAPPED_BY_ONE,
            (
                Band(0.0, "hardly", "page faults limit it: initialize once, use larger pages"),
                Band(0.4, "partly", "use larger pages"),
                Band(0.8, "yes", "let every thread initialize its own data"),
            ),
        ),
        each=("pages",),
        requires=_CORES,
    ),
    Question(
        text="Is allocating inside the parallel region faster?",
        benchmark="memory.allocation",
        metric="total",
        rule=BetterRule(
            Selector({"way": "malloc-inside"}),
            Selector({"way": "malloc-outside"}),
            yes="allocate inside the parallel region, each thread its own",
            no="allocate outside, and use slices",
            same="allocate where it suits the program",
        ),
        each=("threads_per_rank",),
        source=f"{_PAPER}: do not allocate and release in parallel regions",
    ),
    Question(
        text="Which allocator is fastest for short-lived memory in parallel regions?",
        benchmark="memory.allocation",
        metric="total",
        rule=BestRule(
            _by_all("malloc-loop"),
            ("allocator",),
            Selector(layout={"allocator": "glibc"}),
            otherwise="preload it with LD_PRELOAD",
            settings={
                "jemalloc": "LD_PRELOAD=libjemalloc.so.2",
                "tcmalloc": "LD_PRELOAD=libtcmalloc_minimal.so.4",
                "mimalloc": "LD_PRELOAD=libmimalloc.so.2",
            },
        ),
        requires={Resource.ALLOCATORS: 2},
    ),
)

_LIMITS = (
    Question(
        text="Does memory bandwidth scale to all cores?",
        benchmark="memory.stream",
        metric="stream_bandwidth",
        rule=EfficiencyRule(
            Selector(_TRIAD, _ALL_BOUND),
            Selector(_TRIAD, {"threads_per_rank": 1, "binding": "close"}),
            (
                Band(0.0, "hardly", "memory is the limit: fewer threads reach the same bandwidth"),
                Band(0.3, "partly", "memory saturates before the cores do: reuse caches"),
                Band(0.8, "yes", "cores are the limit: use them all"),
            ),
        ),
        requires=_CORES,
        source=f"{_PAPER}: all boards together",
        published=(
            PublishedStatement(
                "scalemp", "{scalemp/stream-bound} on {scalemp/boards} boards, bound"
            ),
        ),
    ),
    Question(
        text="How much does memory latency increase under load from all other cores?",
        benchmark="memory.loaded",
        metric="latency",
        rule=CostRule(
            Selector({"pause": SMALLEST}),
            Selector({"pause": LARGEST}),
            (
                Band(0.0, "hardly", "the memory system is not saturated"),
                Band(1.3, "moderately", "latency-bound programs slow down next to streaming ones"),
                Band(3.0, "strongly", "keep latency-bound programs away from streaming ones"),
            ),
        ),
        each=("mix",),
        requires=_CORES,
    ),
)

MEMORY_QUESTIONS = (*_MEMORY, *_PLACEMENT, *_ALLOCATION, *_LIMITS)
