"""Questions of study `comet-network`. Bounds of bands are machmeter's own, unless stated."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.benchmark import Value
from machmeter.model.plan.question import (
    LARGEST,
    Band,
    BestRule,
    BetterRule,
    CostRule,
    PublishedRatio,
    PublishedResults,
    PublishedSource,
    Question,
    Resource,
    Selector,
)

_PAPER = "Tatineni et al. 2015"
_NETWORK: dict[str, Value] = {"nodes": LARGEST}
_ALL_RANKS: dict[str, Value] = {"nodes": LARGEST, "ranks_per_node": LARGEST}
_TWO_MPIS = {Resource.MPI_LIBRARIES: 2, Resource.RANKS: 2}
_TWO = {Resource.RANKS: 2}
_WITH_DEVICES = ("network.latency", "network.bandwidth")
_OF_HOST: dict[str, Value] = {"buffers": "hot"}
_OF_DEVICE: dict[str, Value] = {"buffers": "device"}
_SHMEM = {Resource.SHMEM_COMPILERS: 1, Resource.RANKS: 2}
_LIBRARIES = f"{_PAPER}: whole programs on Gordon with MVAPICH2 1.9 and with Open MPI 1.6.5"
BY_LIBRARY = BestRule(
    Selector(layout=_NETWORK),
    ("mpi",),
    otherwise="use it where such messages dominate",
    same="use either",
)
_ON_GORDON = tuple(
    PublishedResults(
        "gordon",
        benchmark=f"workload.{program}",
        metric="wall_time",
        each=("cores",),
        rule=replace(BY_LIBRARY, candidate=Selector()),
    )
    for program in ("neuron", "openfoam", "quantum-espresso")
)
_ONE_UNDER_WAY = PublishedRatio(
    "comet", product=("comet/atomics-add-rate", "comet/atomics-add-time")
)
_PUT_OVER_GET = PublishedRatio(
    "comet",
    over={"comet/shmem-get": 1},
    under={"comet/shmem-put": 1},
    text="yes by OpenSHMEM, {}",
)


def _which_library(
    text: str,
    benchmark: str,
    metric: str,
    each: tuple[str, ...],
    layout: dict[str, Value],
    published: tuple[PublishedSource, ...] = (),
) -> Question:
    # Of messages in memory of the host, where a benchmark has others.
    parameters = _OF_HOST if benchmark in _WITH_DEVICES else {}
    return Question(
        text=text,
        benchmark=benchmark,
        metric=metric,
        rule=replace(BY_LIBRARY, candidate=Selector(parameters, layout)),
        each=each,
        requires=_TWO_MPIS,
        source=_LIBRARIES,
        published=published,
    )


LIBRARY_QUESTIONS = (
    _which_library(
        "Which MPI library has lower latency?",
        "network.latency",
        "latency",
        ("size",),
        _NETWORK,
        _ON_GORDON,
    ),
    _which_library(
        "Which MPI library has higher bandwidth?",
        "network.bandwidth",
        "bandwidth_one_way",
        ("size",),
        _NETWORK,
    ),
    _which_library(
        "Which MPI library has faster collectives?",
        "network.collective",
        "time",
        ("operation", "size"),
        _ALL_RANKS,
    ),
)

_ONE_OF_EACH: dict[str, Value] = {"outstanding": 1, "target": "waiting"}
_USUAL: dict[str, Value] = {"synchronization": "lock-all", "window": "allocate"}
_SMALL: dict[str, Value] = {"size": 8, "target": "waiting", **_USUAL}

# The rate with many outstanding over that with one: so many proceed at once, in effect.
_UNDER_WAY = (
    Band(0.0, "one", "more outstanding operations gain nothing: aggregate them"),
    Band(1.5, "a few", "issue several before waiting for completion"),
    Band(8.0, "many", "issue tens before waiting for completion"),
)


def _outstanding(
    text: str,
    benchmark: str,
    each: tuple[str, ...],
    parameters: dict[str, Value],
    requires: dict[Resource, int],
) -> Question:
    return Question(
        text=text,
        benchmark=benchmark,
        metric="rate",
        rule=CostRule(
            Selector({**parameters, "outstanding": 1}, _NETWORK),
            Selector({**parameters, "outstanding": LARGEST}, _NETWORK),
            _UNDER_WAY,
        ),
        each=each,
        requires=requires,
        source=f"{_PAPER}: rate and latency of OpenSHMEM atomics, whose product is how many were "
        "under way",
        published=(_ONE_UNDER_WAY,) if benchmark == "shmem.atomics" else (),
    )


_PIPELINES = (
    _outstanding(
        "How many one-sided transfers proceed concurrently?",
        "network.onesided",
        ("mpi", "operation"),
        _SMALL,
        _TWO,
    ),
    _outstanding(
        "How many atomic operations proceed concurrently?",
        "network.atomics",
        ("mpi", "operation"),
        {"target": "waiting", **_USUAL},
        _TWO,
    ),
    _outstanding(
        "How many OpenSHMEM transfers proceed concurrently?",
        "shmem.transfer",
        ("operation",),
        {"size": 8},
        _SHMEM,
    ),
    _outstanding(
        "How many OpenSHMEM atomic operations proceed concurrently?",
        "shmem.atomics",
        ("operation",),
        {},
        _SHMEM,
    ),
)


def _put_or_get(parameters: dict[str, Value]) -> BetterRule:
    return BetterRule(
        Selector({"operation": "put", **parameters}, _NETWORK),
        Selector({"operation": "get", **parameters}, _NETWORK),
        yes="let the side that has the data write them",
        no="let the side that needs the data read them",
        same="use either",
    )


_TRANSFERS = (
    Question(
        text="Is a small put faster than a small get?",
        benchmark="network.onesided",
        metric="time",
        rule=_put_or_get({"outstanding": 1, **_SMALL}),
        each=("mpi",),
        requires=_TWO,
        source=f"{_PAPER}: put and get of OpenSHMEM",
        published=(_PUT_OVER_GET,),
    ),
    Question(
        text="Is a small OpenSHMEM put faster than a small get?",
        benchmark="shmem.transfer",
        metric="time",
        rule=_put_or_get({"size": 8, "outstanding": 1}),
        requires=_SHMEM,
        source=f"{_PAPER}: put and get of small messages",
        published=(PublishedResults("comet"),),
    ),
    Question(
        text="Which OpenSHMEM atomic operation is fastest?",
        benchmark="shmem.atomics",
        metric="time",
        rule=BestRule(
            Selector({"outstanding": 1}, _NETWORK),
            ("operation",),
            otherwise="use it if your code allows",
            same="use the operation that fits",
        ),
        requires=_SHMEM,
        source=f"{_PAPER}: six operations on an integer of 4 bytes",
        published=(PublishedResults("comet"),),
    ),
    Question(
        text="Which kind of window is fastest?",
        benchmark="network.onesided",
        metric="time",
        rule=BestRule(
            Selector({"size": 8, "synchronization": "lock-all", **_ONE_OF_EACH}, _NETWORK),
            ("window",),
            Selector({"window": "allocate"}),
            otherwise="create windows this way",
            same="create windows in any way",
        ),
        each=("mpi", "operation"),
        requires=_TWO,
        source="OSU's and IMB's put of 8 B differ several times over on one host by the kind of "
        "window alone",
    ),
    Question(
        text="Which synchronization completes a small put fastest?",
        benchmark="network.onesided",
        metric="time",
        rule=BestRule(
            Selector(
                {"operation": "put", "size": 8, "window": "allocate", **_ONE_OF_EACH}, _NETWORK
            ),
            ("synchronization",),
            Selector({"synchronization": "lock-all"}),
            otherwise="complete small puts this way",
            same="use any synchronization",
        ),
        each=("mpi",),
        requires=_TWO,
    ),
)


def _passive(benchmark: str, parameters: dict[str, Value]) -> Question:
    """How much longer an operation takes while its target computes."""
    small: dict[str, Value] = {**parameters, **_USUAL, "outstanding": 1}
    what = "transfers" if benchmark == "network.onesided" else "atomic operations"
    return Question(
        text=f"Do one-sided {what} progress while their target computes?",
        benchmark=benchmark,
        metric="time",
        rule=CostRule(
            Selector({**small, "target": "working"}, _NETWORK),
            Selector({**small, "target": "waiting"}, _NETWORK),
            (
                Band(0.0, "yes", "the target need not call MPI"),
                Band(1.5, "slowly", "call MPI at the target now and then, or use a thread for it"),
                Band(10.0, "no", "call MPI at the target often, or enable a progress thread"),
            ),
        ),
        each=("mpi", "operation"),
        requires=_TWO,
    )


_PASSIVE = (
    _passive("network.onesided", {"size": 8}),
    _passive("network.atomics", {}),
)


def _between_devices(
    benchmark: str, metric: str, what: str, published: tuple[PublishedSource, ...] = ()
) -> Question:
    return Question(
        text=f"What do messages between devices cost in {what}, over those of the host?",
        benchmark=benchmark,
        metric=metric,
        rule=CostRule(
            Selector(_OF_DEVICE, _NETWORK),
            Selector(_OF_HOST, _NETWORK),
            (
                Band(0.0, "nothing", "send from memory of the device"),
                Band(1.1, "some", "send from memory of the device, in few and large messages"),
                Band(3.0, "much", "compare with a copy to the host and a message from there"),
            ),
        ),
        each=("mpi", "size"),
        requires={Resource.RANKS: 2, Resource.DEVICES: 1},
        source=f"{_PAPER}: osu_latency from device to device",
        published=published,
    )


_DEVICES = (
    _between_devices(
        "network.latency",
        "latency",
        "latency",
        (
            PublishedRatio(
                "comet",
                over={"comet/device-latency-8": 1},
                under={"comet/device-latency-0": 1},
                text="8 B take {} as long as an empty message, which touches no device",
            ),
        ),
    ),
    _between_devices("network.bandwidth", "bandwidth_one_way", "bandwidth"),
)

COMET_NETWORK_QUESTIONS = (*LIBRARY_QUESTIONS, *_DEVICES, *_PIPELINES, *_TRANSFERS, *_PASSIVE)
