"""Questions of study `louhi`. Bounds of bands are machmeter's own, unless stated."""

from __future__ import annotations

from machmeter.model.benchmark import Value
from machmeter.model.layout import ProgressMode
from machmeter.model.plan.question import (
    LARGEST,
    SMALLEST,
    Band,
    BestRule,
    BetterRule,
    ConsistentRule,
    CostRule,
    FlatRule,
    GrowthRule,
    PublishedStatement,
    Question,
    Resource,
    Selector,
    SwitchRule,
    ThresholdRule,
)

_PAPER = "Lehto 2008"
# The network where there is one, the node's own memory where there is not.
_NETWORK: dict[str, Value] = {"nodes": LARGEST}
_BASE_PAGES: dict[str, Value] = {**_NETWORK, "page_bytes": SMALLEST}
_PLAIN: dict[str, Value] = {
    "pattern": "ping-pong",
    "way": "blocking",
    "data": "contiguous",
    "buffers": "hot",
}
_BY_LIBRARY: dict[str, Value] = {**_NETWORK, "progress": ProgressMode.LIBRARY}
_BY_THREAD: dict[str, Value] = {**_NETWORK, "progress": ProgressMode.THREAD}
_BY_RESERVED: dict[str, Value] = {**_NETWORK, "progress": ProgressMode.RESERVED}
_TWO = {Resource.RANKS: 2}
_LOUHI_AVAILABILITY = (
    "the receiver's availability, and the sender's, which rose dramatically for large messages on "
    "Louhi"
)
_BOTH_AVAILABILITIES = (
    PublishedStatement(
        "louhi",
        "the receiver's availability rises from {louhi/availability-rises-from} to "
        "{louhi/availability-rises-to}",
    ),
    PublishedStatement(
        "murska",
        "the receiver's availability drops between {murska/availability-drops-from} and "
        "{murska/availability-drops-to}",
    ),
)

_MESSAGES = (
    Question(
        text="At which message sizes does the protocol switch, and what does the switch cost?",
        benchmark="network.latency",
        metric="latency",
        rule=SwitchRule(
            Selector(_PLAIN, _BASE_PAGES),
            "size",
            slower="keep latency-critical messages below the switch, or raise the library's limit",
            faster="no jump up: keep the library's limits",
            none="one line describes all sizes",
        ),
        each=("mpi",),
        requires=_TWO,
        source=f"{_PAPER}: short messages were slightly quicker on Murska (HP-MPI, RDMA), larger "
        "ones on Louhi; Austin et al. 2013: Edison switches from FMA to BTE",
        published=(PublishedStatement("edison", "it switches at {edison/protocol-switch}"),),
    ),
    Question(
        text="From which message size is bandwidth flat?",
        benchmark="network.bandwidth",
        metric="bandwidth_one_way",
        rule=FlatRule(
            Selector({"direction": "one-way"}, _NETWORK),
            "size",
            flat="aggregate messages up to that size",
            rising="use the largest messages that the program can hold",
            falling="larger messages exceed a cache: split them",
        ),
        each=("mpi",),
        requires=_TWO,
        source=f"{_PAPER}: ping-pong between nearest neighbors",
        published=(PublishedStatement("louhi", "still rising at {louhi/bandwidth-still-rising}"),),
    ),
)


def _but(*names: str) -> dict[str, Value]:
    """What a plain message is, but for these."""
    return {name: value for name, value in _PLAIN.items() if name not in names}


_WAYS = (
    Question(
        text="Which MPI calls have the lowest latency?",
        benchmark="network.latency",
        metric="latency",
        rule=BestRule(
            Selector(_but("way"), _BASE_PAGES),
            ("way",),
            Selector({"way": "blocking"}),
            otherwise="use these calls for that size if your code allows",
            same="use the calls that suit the program",
        ),
        each=("mpi", "size"),
        requires=_TWO,
    ),
    Question(
        text="How much more do messages cost from memory than from cache?",
        benchmark="network.latency",
        metric="latency",
        rule=CostRule(
            Selector({**_PLAIN, "buffers": "cold"}, _BASE_PAGES),
            Selector(_PLAIN, _BASE_PAGES),
            (
                Band(0.0, "little", "use any buffers"),
                Band(1.1, "some", "reuse few buffers where latency matters"),
                Band(2.0, "much", "reuse few buffers, and send data right after writing them"),
            ),
        ),
        each=("mpi", "size"),
        requires=_TWO,
    ),
    Question(
        text="What do non-contiguous datatypes cost?",
        benchmark="network.latency",
        metric="latency",
        rule=BestRule(
            Selector({**_but("data"), "size": 64 * 2**10}, _BASE_PAGES),
            ("data",),
            Selector({"data": "contiguous"}),
            advice={"contiguous": "store data that are sent together contiguously, or try packing"},
            otherwise="send data in place",
            same="send data in place",
        ),
        each=("mpi",),
        requires=_TWO,
    ),
    Question(
        text="Do huge pages reduce message latency?",
        benchmark="network.latency",
        metric="latency",
        rule=BetterRule(
            Selector(_PLAIN, {**_NETWORK, "page_bytes": LARGEST}),
            Selector(_PLAIN, _BASE_PAGES),
            yes="request huge pages for message buffers with madvise",
            no="keep message buffers on base pages",
            same="keep the pages of message buffers as they are",
        ),
        each=("mpi", "size"),
        requires={Resource.TRANSPARENT_HUGE_PAGES: 1, **_TWO},
    ),
)


def _availability(
    candidate: dict[str, Value], text: str, yes: str, no: str, requires: dict[Resource, int]
) -> Question:
    """Whether something other than the library's own progress leaves more of a core for work."""
    return Question(
        text=text,
        benchmark="network.availability",
        metric="availability",
        rule=BetterRule(
            Selector(layout=candidate),
            Selector(layout=_BY_LIBRARY),
            yes=yes,
            no=no,
            same="leave progress to the library",
        ),
        each=("mpi", "side", "size"),
        requires=requires,
        source=f"{_PAPER}: {_LOUHI_AVAILABILITY} (an offload engine)",
    )


_BACKGROUND = (
    Question(
        text="From which message size is the host at least 50 % available?",
        benchmark="network.availability",
        metric="availability",
        rule=ThresholdRule(
            Selector(layout=_BY_LIBRARY),
            "size",
            0.5,
            reached="start such messages early, and compute meanwhile",
            never="messages do not progress in the background: call MPI_Test during computation",
            partly="only messages of these sizes progress in the background",
        ),
        each=("mpi", "side"),
        requires=_TWO,
        source=f"{_PAPER}: {_LOUHI_AVAILABILITY}",
        published=_BOTH_AVAILABILITIES,
    ),
    Question(
        text="Is the host more available when sending than when receiving?",
        benchmark="network.availability",
        metric="availability",
        rule=BetterRule(
            Selector({"side": "send"}, _BY_LIBRARY),
            Selector({"side": "receive"}, _BY_LIBRARY),
            yes="post receives early and let the sender compute",
            no="let the receiver compute",
            same="compute on either side",
        ),
        each=("mpi", "size"),
        requires=_TWO,
        source=f"{_PAPER}: sender and receiver differ; {_LOUHI_AVAILABILITY}",
    ),
    _availability(
        _BY_THREAD,
        "Does an asynchronous progress thread improve host availability?",
        "enable a progress thread for long messages",
        "leave progress to the library: a thread takes the rank's own core",
        _TWO,
    ),
    _availability(
        _BY_RESERVED,
        "Does progress on a reserved core improve host availability?",
        "reserve a core for progress of long messages",
        "use the core for computation",
        {Resource.SPARE_CORES: 1},
    ),
    Question(
        text="From which message size is half of the communication overlapped?",
        benchmark="network.overlap",
        metric="communication_hidden",
        rule=ThresholdRule(
            Selector(layout=_BY_LIBRARY),
            "size",
            0.5,
            reached="overlap such messages with computation",
            never="overlap gains little here, however the program is written",
            partly="overlap only messages of these sizes",
        ),
        each=("mpi", "side"),
        requires=_TWO,
        source=f"{_PAPER}: hiding long messages matters more than the latency of short ones",
    ),
)


def _consistent(metric: str, size: Value) -> Question:
    return Question(
        text=f"Is the {metric} uniform over all pairs, and which nodes or links deviate?",
        benchmark="network.consistency",
        metric=metric,
        rule=ConsistentRule(
            Selector({"size": size}, _NETWORK),
            consistent="place ranks anywhere",
            named="drain and service the listed nodes",
            levels="place ranks that communicate much on near nodes",
        ),
        each=("mpi",),
        requires={Resource.NODE_PLACES: 3},
        source=f"{_PAPER}: consistency across the system was tested; the slides show no result",
    )


def _peer(metric: str, when: str, much: str, little: str, source: str) -> Question:
    statement = PublishedStatement("murska", "{murska/rdma-memory} for each task by RDMA")
    return Question(
        text=f"How much memory does each additional peer take{when}?",
        benchmark="network.startup",
        metric=metric,
        rule=GrowthRule(
            Selector(layout=_NETWORK),
            "ranks",
            (
                Band(0.0, "next to none", little),
                Band(16e3, "some", "account for it from thousands of ranks on"),
                Band(128e3, "much", much),
            ),
        ),
        each=("mpi",),
        source=f"{_PAPER}: {source}",
        published=() if when else (statement,),
    )


_SYSTEM = (
    _consistent("latency", 8),
    _consistent("bandwidth", LARGEST),
    _peer(
        "memory",
        "",
        "for large jobs account for it, and enable on-demand connections",
        "no settings needed for large jobs",
        "HP-MPI by RDMA, and with less by shared receive queues (SRQ) at notable latency; whether "
        "that is for each connection is not said",
    ),
    _peer(
        "memory_before_contact",
        " before the first message",
        "for large jobs enable on-demand connections",
        "connections are made on demand",
        "memory for latency, or latency for memory, is the trade of large jobs",
    ),
)

LOUHI_QUESTIONS = (*_MESSAGES, *_WAYS, *_BACKGROUND, *_SYSTEM)
