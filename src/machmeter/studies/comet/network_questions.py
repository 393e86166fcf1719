"""Questions of study `comet-network`. Bounds of bands are machmeter's own, unless said."""

from __future__ import annotations

from machmeter.model.benchmark import Value
from machmeter.model.plan.study import LARGEST, Band, PublishedSide, Question, Rule, Selector

_PAPER = "Tatineni et al. 2015"
_NETWORK: dict[str, Value] = {"nodes": LARGEST}
_ALL_RANKS: dict[str, Value] = {"nodes": LARGEST, "ranks_per_node": LARGEST}
_ONE_MPI = "it takes two MPI libraries and two ranks with a core each"
_TWO_MPIS: dict[str, int] = {"mpis": 2, "ranks": 2}
_TWO_RANKS = "it takes two ranks with a core each"
_TWO: dict[str, int] = {"ranks": 2}
_NO_SHMEM = "it has no OpenSHMEM compiler (oshc++)"
_SHMEM: dict[str, int] = {"shmem": 1, "ranks": 2}
_LIBRARIES = f"{_PAPER}: whole programs on Gordon with MVAPICH2 1.9 and with Open MPI 1.6.5"
_ON_GORDON = tuple(
    PublishedSide(
        "gordon",
        benchmark=f"workload.{program}",
        metric="wall_time",
        each="cores",
        candidate=Selector(),
    )
    for program in ("neuron", "openfoam", "quantum-espresso")
)
_ONE_UNDER_WAY = PublishedSide(
    "comet", product=("comet/atomics-add-rate", "comet/atomics-add-time")
)
_PUT_OVER_GET = PublishedSide(
    "comet",
    over={"comet/shmem-get": 1},
    under={"comet/shmem-put": 1},
    words="yes by OpenSHMEM, {}",
)


def _which_library(
    text: str,
    benchmark: str,
    metric: str,
    each: str,
    layout: dict[str, Value],
    published: tuple[PublishedSide, ...] = (),
) -> Question:
    return Question(
        text=text,
        benchmark=benchmark,
        metric=metric,
        rule=Rule.BEST,
        candidate=Selector(layout=layout),
        axes=("mpi",),
        each=each,
        yes="take it where such messages dominate",
        same="take either",
        undecided=_ONE_MPI,
        needs=_TWO_MPIS,
        source=_LIBRARIES,
        published=published,
    )


_WHICH = (
    _which_library(
        "Which MPI library has the lower latency?",
        "network.latency",
        "latency",
        "size",
        _NETWORK,
        _ON_GORDON,
    ),
    _which_library(
        "Which MPI library has more bandwidth?",
        "network.bandwidth",
        "bandwidth_one_way",
        "size",
        _NETWORK,
    ),
    _which_library(
        "Which MPI library has the quicker collectives?",
        "network.collective",
        "time",
        "operation,size",
        _ALL_RANKS,
    ),
)

_ONE_OF_EACH: dict[str, Value] = {"outstanding": 1, "target": "waiting"}
_USUAL: dict[str, Value] = {"synchronization": "lock-all", "window": "allocate"}
_SMALL: dict[str, Value] = {"size": 8, "target": "waiting", **_USUAL}

# The rate with many begun over that with one: so many are under way at once, in effect.
_UNDER_WAY = (
    Band(0.0, "one", "beginning more at once gains nothing: join them into larger ones"),
    Band(1.5, "a few", "begin several before waiting for their completion"),
    Band(8.0, "many", "begin tens before waiting for their completion"),
)


def _outstanding(
    text: str, benchmark: str, each: str, parameters: dict[str, Value], shmem: bool = False
) -> Question:
    return Question(
        text=text,
        benchmark=benchmark,
        metric="rate",
        rule=Rule.BANDS,
        candidate=Selector({**parameters, "outstanding": 1}, _NETWORK),
        baseline=Selector({**parameters, "outstanding": LARGEST}, _NETWORK),
        each=each,
        bands=_UNDER_WAY,
        undecided=_NO_SHMEM if shmem else _TWO_RANKS,
        needs=_SHMEM if shmem else _TWO,
        source=f"{_PAPER}: rate and latency of OpenSHMEM atomics, whose product is how many were "
        "under way",
        published=(_ONE_UNDER_WAY,) if benchmark == "shmem.atomics" else (),
    )


_PIPELINES = (
    _outstanding(
        "How many one-sided transfers are under way at once?",
        "network.onesided",
        "mpi,operation",
        _SMALL,
    ),
    _outstanding(
        "How many atomic operations are under way at once?",
        "network.atomics",
        "mpi,operation",
        {"target": "waiting", **_USUAL},
    ),
    _outstanding(
        "How many OpenSHMEM transfers are under way at once?",
        "shmem.transfer",
        "operation",
        {"size": 8},
        shmem=True,
    ),
    _outstanding(
        "How many OpenSHMEM atomic operations are under way at once?",
        "shmem.atomics",
        "operation",
        {},
        shmem=True,
    ),
)

_TRANSFERS = (
    Question(
        text="Is putting a word quicker than getting one?",
        benchmark="network.onesided",
        metric="time",
        candidate=Selector({"operation": "put", "outstanding": 1, **_SMALL}, _NETWORK),
        baseline=Selector({"operation": "get", "outstanding": 1, **_SMALL}, _NETWORK),
        each="mpi",
        yes="let the side that has the data write them",
        no="let the side that needs the data read them",
        same="let either side act",
        undecided=_TWO_RANKS,
        needs=_TWO,
        source=f"{_PAPER}: put and get of OpenSHMEM",
        published=(_PUT_OVER_GET,),
    ),
    Question(
        text="Is putting a word quicker than getting one, by OpenSHMEM?",
        benchmark="shmem.transfer",
        metric="time",
        candidate=Selector({"operation": "put", "size": 8, "outstanding": 1}, _NETWORK),
        baseline=Selector({"operation": "get", "size": 8, "outstanding": 1}, _NETWORK),
        yes="let the side that has the data write them",
        no="let the side that needs the data read them",
        same="let either side act",
        undecided=_NO_SHMEM,
        needs=_SHMEM,
        source=f"{_PAPER}: put and get of small messages",
        published=(PublishedSide("comet"),),
    ),
    Question(
        text="Which OpenSHMEM atomic operation is quickest?",
        benchmark="shmem.atomics",
        metric="time",
        rule=Rule.BEST,
        candidate=Selector({"outstanding": 1}, _NETWORK),
        axes=("operation",),
        yes="take it where the program can choose",
        same="take the one that says what is meant",
        undecided=_NO_SHMEM,
        needs=_SHMEM,
        source=f"{_PAPER}: six operations on an integer of 4 bytes",
        published=(PublishedSide("comet"),),
    ),
    Question(
        text="Which kind of window is quickest?",
        benchmark="network.onesided",
        metric="time",
        rule=Rule.BEST,
        candidate=Selector({"size": 8, "synchronization": "lock-all", **_ONE_OF_EACH}, _NETWORK),
        baseline=Selector({"window": "allocate"}),
        axes=("window",),
        each="mpi,operation",
        yes="make windows so",
        same="make windows as the program likes",
        undecided=_TWO_RANKS,
        needs=_TWO,
        source="OSU's and IMB's put of 8 B differ several times over on one host by the kind of "
        "window alone",
    ),
    Question(
        text="Which synchronization completes a small put soonest?",
        benchmark="network.onesided",
        metric="time",
        rule=Rule.BEST,
        candidate=Selector(
            {"operation": "put", "size": 8, "window": "allocate", **_ONE_OF_EACH}, _NETWORK
        ),
        baseline=Selector({"synchronization": "lock-all"}),
        axes=("synchronization",),
        each="mpi",
        yes="complete small puts so",
        same="synchronize as the program likes",
        undecided=_TWO_RANKS,
        needs=_TWO,
    ),
)


def _passive(benchmark: str, parameters: dict[str, Value]) -> Question:
    """How much longer an operation takes while its target computes."""
    small: dict[str, Value] = {**parameters, **_USUAL, "outstanding": 1}
    what = "transfers" if benchmark == "network.onesided" else "atomic operations"
    return Question(
        text=f"Do one-sided {what} proceed while their target computes?",
        benchmark=benchmark,
        metric="time",
        rule=Rule.BANDS,
        candidate=Selector({**small, "target": "working"}, _NETWORK),
        baseline=Selector({**small, "target": "waiting"}, _NETWORK),
        each="mpi,operation",
        bands=(
            Band(0.0, "yes", "the target need not call MPI"),
            Band(1.5, "slowly", "call MPI at the target now and then, or let a thread do so"),
            Band(10.0, "no", "call MPI at the target often, or let a thread make progress there"),
        ),
        undecided=_TWO_RANKS,
        needs=_TWO,
    )


_PASSIVE = (
    _passive("network.onesided", {"size": 8}),
    _passive("network.atomics", {}),
)

COMET_NETWORK_QUESTIONS = (*_WHICH, *_PIPELINES, *_TRANSFERS, *_PASSIVE)
