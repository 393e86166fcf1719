"""Questions of study `louhi`. Bounds of bands are machmeter's own, unless said."""

from __future__ import annotations

from machmeter.model.benchmark import Value
from machmeter.model.layout import ProgressMode
from machmeter.model.plan.study import (
    LARGEST,
    SMALLEST,
    Band,
    PublishedSide,
    Question,
    Rule,
    Selector,
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
_TWO_CORES = "it takes two ranks with a core each"
_TWO: dict[str, int] = {"ranks": 2}
_LOUHI_AVAILABILITY = (
    "the receiver's availability, and the sender's, which rose dramatically for large messages on "
    "Louhi"
)
_BOTH_AVAILABILITIES = (
    PublishedSide(
        "louhi",
        words="the receiver's availability rises from {louhi/availability-rises-from} to "
        "{louhi/availability-rises-to}",
    ),
    PublishedSide(
        "murska",
        words="the receiver's availability drops between {murska/availability-drops-from} and "
        "{murska/availability-drops-to}",
    ),
)

_MESSAGES = (
    Question(
        text="Where does the protocol of messages switch, and what does it cost?",
        benchmark="network.latency",
        metric="latency",
        rule=Rule.SWITCH,
        candidate=Selector(_PLAIN, _BASE_PAGES),
        axes=("size",),
        each="mpi",
        yes="keep messages that must be quick at the switch or below, or raise the library's limit",
        same="no jump up: leave the library's limits as they are",
        no="one line describes all sizes",
        undecided=_TWO_CORES,
        needs=_TWO,
        source=f"{_PAPER}: short messages were slightly quicker on Murska (HP-MPI, RDMA), larger "
        "ones on Louhi; Austin et al. 2013: Edison switches from FMA to BTE",
        published=(PublishedSide("edison", words="it switches at {edison/protocol-switch}"),),
    ),
    Question(
        text="From which message size on is bandwidth flat?",
        benchmark="network.bandwidth",
        metric="bandwidth_one_way",
        rule=Rule.FLAT,
        candidate=Selector({"direction": "one-way"}, _NETWORK),
        axes=("size",),
        each="mpi",
        yes="join messages up to that size",
        no="join messages to the largest that the program can hold",
        same="larger messages leave a cache: cut them into pieces",
        undecided=_TWO_CORES,
        needs=_TWO,
        source=f"{_PAPER}: ping-pong between nearest neighbors",
        published=(PublishedSide("louhi", words="still rising at {louhi/bandwidth-still-rising}"),),
    ),
)


def _but(*names: str) -> dict[str, Value]:
    """What a plain message is, but for these."""
    return {name: value for name, value in _PLAIN.items() if name not in names}


_WAYS = (
    Question(
        text="Which calls move a message soonest?",
        benchmark="network.latency",
        metric="latency",
        rule=Rule.BEST,
        candidate=Selector(_but("way"), _BASE_PAGES),
        baseline=Selector({"way": "blocking"}),
        axes=("way",),
        each="mpi,size",
        yes="move such messages so, where the program can",
        same="take the calls that suit the program",
        undecided=_TWO_CORES,
        needs=_TWO,
    ),
    Question(
        text="What does it cost that messages come from memory, not from a cache?",
        benchmark="network.latency",
        metric="latency",
        rule=Rule.BANDS,
        candidate=Selector({**_PLAIN, "buffers": "cold"}, _BASE_PAGES),
        baseline=Selector(_PLAIN, _BASE_PAGES),
        each="mpi,size",
        bands=(
            Band(0.0, "little", "use buffers as the program likes"),
            Band(1.1, "some", "use few buffers again and again where latency counts"),
            Band(2.0, "much", "use few buffers again and again, and send what was just made"),
        ),
        undecided=_TWO_CORES,
        needs=_TWO,
    ),
    Question(
        text="What does it cost that the bytes of a message do not lie together?",
        benchmark="network.latency",
        metric="latency",
        rule=Rule.BEST,
        candidate=Selector({**_but("data"), "size": 64 * 2**10}, _BASE_PAGES),
        baseline=Selector({"data": "contiguous"}),
        axes=("data",),
        each="mpi",
        advice={"contiguous": "lay data that are sent together, or see whether packing is quicker"},
        yes="send data as they lie",
        same="send data as they lie",
        undecided=_TWO_CORES,
        needs=_TWO,
    ),
    Question(
        text="Are messages quicker from huge pages?",
        benchmark="network.latency",
        metric="latency",
        candidate=Selector(_PLAIN, {**_NETWORK, "page_bytes": LARGEST}),
        baseline=Selector(_PLAIN, _BASE_PAGES),
        each="mpi,size",
        yes="ask for huge pages for the buffers of messages (madvise)",
        no="leave the buffers of messages on base pages",
        same="leave the pages of buffers as they are",
        undecided="its kernel gives programs no huge pages",
        needs={"transparent": 1, **_TWO},
    ),
)


def _availability(candidate: dict[str, Value], text: str, yes: str, no: str) -> Question:
    """Whether something other than the library's own progress leaves more of a core for work."""
    needs = {"free_core": 1} if candidate is _BY_RESERVED else _TWO
    lacking = "it takes a core that no rank needs" if candidate is _BY_RESERVED else _TWO_CORES
    return Question(
        text=text,
        benchmark="network.availability",
        metric="availability",
        candidate=Selector(layout=candidate),
        baseline=Selector(layout=_BY_LIBRARY),
        each="mpi,side,size",
        yes=yes,
        no=no,
        same="leave progress to the library",
        undecided=lacking,
        needs=needs,
        source=f"{_PAPER}: {_LOUHI_AVAILABILITY} (an offload engine)",
    )


_BACKGROUND = (
    Question(
        text="From which size on is half of a message's time left for work (host availability)?",
        benchmark="network.availability",
        metric="availability",
        rule=Rule.THRESHOLD,
        bound=0.5,
        candidate=Selector(layout=_BY_LIBRARY),
        axes=("size",),
        each="mpi,side",
        yes="start such messages early, and compute",
        no="messages do not proceed by themselves: call MPI_Test between pieces of work",
        same="keep messages that are to proceed to these sizes",
        undecided=_TWO_CORES,
        needs=_TWO,
        source=f"{_PAPER}: {_LOUHI_AVAILABILITY}",
        published=_BOTH_AVAILABILITIES,
    ),
    Question(
        text="Is more left for work when sending than when receiving?",
        benchmark="network.availability",
        metric="availability",
        candidate=Selector({"side": "send"}, _BY_LIBRARY),
        baseline=Selector({"side": "receive"}, _BY_LIBRARY),
        each="mpi,size",
        yes="post receives early and let the sender compute",
        no="let the receiver compute",
        same="compute on either side",
        undecided=_TWO_CORES,
        needs=_TWO,
        source=f"{_PAPER}: sender and receiver differ; {_LOUHI_AVAILABILITY}",
    ),
    _availability(
        _BY_THREAD,
        "Does a progress thread leave more of a message's time for work?",
        "let a thread make progress where messages are long",
        "a thread takes the rank's own core: leave progress to the library",
    ),
    _availability(
        _BY_RESERVED,
        "Does progress on a reserved core leave more of a message's time for work?",
        "reserve a core for progress where messages are long",
        "give the core to the program",
    ),
    Question(
        text="From which size on is half of the communication hidden behind work?",
        benchmark="network.overlap",
        metric="communication_hidden",
        rule=Rule.THRESHOLD,
        bound=0.5,
        candidate=Selector(layout=_BY_LIBRARY),
        axes=("size",),
        each="mpi,side",
        yes="overlap such messages with work",
        no="overlap brings little here, however the program is written",
        same="overlap messages of these sizes only",
        undecided=_TWO_CORES,
        needs=_TWO,
        source=f"{_PAPER}: hiding long messages matters more than the latency of short ones",
    ),
)


def _consistent(text: str, metric: str, size: Value) -> Question:
    return Question(
        text=text,
        benchmark="network.consistency",
        metric=metric,
        rule=Rule.CONSISTENT,
        candidate=Selector({"size": size}, _NETWORK),
        axes=("pair",),
        each="mpi",
        yes="place ranks as you like",
        no="take the named out of service, or have it looked after",
        same="put ranks that talk much on near nodes",
        undecided="it takes three nodes, or three cores that stand for nodes",
        needs={"places": 3},
        source=f"{_PAPER}: consistency across the system was tested; the slides show no result",
    )


_SYSTEM = (
    _consistent("Is the latency of all pairs alike, and if not, who is behind it?", "latency", 8),
    _consistent(
        "Is the bandwidth of all pairs alike, and if not, who is behind it?", "bandwidth", LARGEST
    ),
    Question(
        text="What does one more peer take of a rank's memory?",
        benchmark="network.startup",
        metric="memory",
        rule=Rule.GROWTH,
        candidate=Selector(layout=_NETWORK),
        axes=("ranks",),
        each="mpi",
        bands=(
            Band(0.0, "next to nothing", "nothing to set for large jobs"),
            Band(16e3, "some", "mind it from thousands of ranks on"),
            Band(128e3, "much", "for large jobs have peers share buffers (SRQ), or connect late"),
        ),
        undecided="it takes launches of several sizes",
        source=f"{_PAPER}: HP-MPI by RDMA, and with less by shared receive queues (SRQ) at notable "
        "latency; whether that is for each connection is not said",
        published=(PublishedSide("murska", words="{murska/rdma-memory} for each task by RDMA"),),
    ),
    Question(
        text="What does one more peer take of a rank's memory before any message?",
        benchmark="network.startup",
        metric="memory_before_contact",
        rule=Rule.GROWTH,
        candidate=Selector(layout=_NETWORK),
        axes=("ranks",),
        each="mpi",
        bands=(
            Band(0.0, "next to nothing", "connections are made when they are needed"),
            Band(16e3, "some", "mind it from thousands of ranks on"),
            Band(128e3, "much", "for large jobs have the library connect late"),
        ),
        undecided="it takes launches of several sizes",
        source=f"{_PAPER}: memory for latency, or latency for memory, is the trade of large jobs",
    ),
)

LOUHI_QUESTIONS = (*_MESSAGES, *_WAYS, *_BACKGROUND, *_SYSTEM)
