"""Questions of study `edison-network`. Bounds of bands are machmeter's own, unless stated."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.benchmark import Value
from machmeter.model.layout import Binding
from machmeter.model.plan.question import (
    LARGEST,
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
from machmeter.studies.edison.overlap_questions import OVERLAP_QUESTIONS

_PAPER = "Austin et al. 2013"
_TWO = {Resource.RANKS: 2}
_FOUR = {Resource.RANKS: 4}
_SMALL: dict[str, Value] = {"size": 8, "definition": "barrier"}
_NETWORK: dict[str, Value] = {"nodes": LARGEST}
_CLOSE: dict[str, Value] = {**_NETWORK, "binding": Binding.CLOSE, "package": -1}
_SPREAD: dict[str, Value] = {**_NETWORK, "binding": Binding.SPREAD, "package": -1}
# Of several nodes all ranks of all of them, not one on each.
_ALL_RANKS: dict[str, Value] = {"nodes": LARGEST, "ranks_per_node": LARGEST}
# Of ranks first: next to the pair on two nodes there are ranks on all of them.
_ONE_PAIR: dict[str, Value] = {"ranks": 2, "nodes": LARGEST}
_SOCKETS = "pairs of one socket, of the other, and of both"
# What osu_multi_lat gave then: the mean over pairs that do not synchronize.
_THEN: dict[str, Value] = {"size": 8, "definition": "classic"}

_BY_SOCKET = BestRule(
    Selector(_SMALL, {**_NETWORK, "binding": Binding.CLOSE}),
    ("package",),
    otherwise="place the ranks that communicate most there",
    same="use any socket",
)
_ALL_AT_ONCE = CostRule(
    Selector(_SMALL, {"ranks": LARGEST, **_CLOSE}),
    Selector(_SMALL, {"ranks": SMALLEST, **_CLOSE}),
    (
        Band(0.0, "little", "let all ranks communicate at once"),
        Band(1.2, "some", "let fewer ranks communicate where latency matters"),
        Band(2.0, "much", "let one rank of each socket communicate for the others"),
    ),
)

_PLACES = (
    Question(
        text="Which socket has lower MPI latency?",
        benchmark="network.pairs",
        metric="mean_latency",
        rule=_BY_SOCKET,
        each=("mpi", "ranks"),
        requires={Resource.PACKAGES: 2},
        source=f"{_PAPER}: {_SOCKETS}",
        published=(
            PublishedResults(
                "edison",
                metric="mean_latency",
                rule=replace(_BY_SOCKET, candidate=Selector(_THEN, {"nodes": LARGEST})),
            ),
        ),
    ),
    Question(
        text="Does placing communicating ranks on neighboring cores reduce latency?",
        benchmark="network.pairs",
        metric="mean_latency",
        rule=BetterRule(
            Selector(_SMALL, _CLOSE),
            Selector(_SMALL, _SPREAD),
            yes="place communicating ranks next to each other",
            no="spread communicating ranks",
            same="place ranks by memory demand",
        ),
        each=("mpi", "ranks"),
        requires={Resource.PLACEMENTS: 2},
        source=f"{_PAPER}: {_SOCKETS}",
    ),
    Question(
        text="How much does latency increase when all pairs communicate at once?",
        benchmark="network.pairs",
        metric="mean_latency",
        rule=_ALL_AT_ONCE,
        each=("mpi",),
        requires=_FOUR,
        source=f"{_PAPER}: {_SOCKETS}",
        published=(
            PublishedResults(
                "edison",
                metric="mean_latency",
                rule=replace(
                    _ALL_AT_ONCE,
                    candidate=Selector(_THEN, {"ranks": LARGEST, "package": -1}),
                    baseline=Selector(_THEN, {"ranks": SMALLEST, "package": 0}),
                ),
            ),
        ),
    ),
    Question(
        text="Does latency differ when pairs do not synchronize (classic definition)?",
        benchmark="network.pairs",
        metric="mean_latency",
        rule=CostRule(
            Selector({"definition": "classic"}, {"ranks": LARGEST, **_CLOSE}),
            Selector({"definition": "barrier"}, {"ranks": LARGEST, **_CLOSE}),
            (
                Band(0.0, "lower than with a barrier", "compare with OSU up to 5.8 only"),
                Band(0.95, "no difference", "compare with any version of OSU"),
                Band(1.05, "higher than with a barrier", "compare with OSU up to 5.8 only"),
            ),
        ),
        each=("mpi", "size"),
        requires=_TWO,
        source="OSU Micro-Benchmarks changed the definition of osu_multi_lat with version 5.9",
    ),
)

_RATES = (
    Question(
        text="How much more do both directions at once carry than one?",
        benchmark="network.bandwidth",
        metric="message_rate",
        rule=CostRule(
            # The cost of one way alone: the messages of both ways over those of one.
            Selector({"direction": "one-way"}, _ONE_PAIR),
            Selector({"direction": "both-ways"}, _ONE_PAIR),
            (
                Band(0.0, "no more", "one direction at a time is as good"),
                Band(1.2, "somewhat more", "exchange in both directions at once"),
                Band(1.8, "twice as much", "exchange in both directions at once"),
            ),
        ),
        each=("mpi", "size"),
        requires=_TWO,
        source=f"{_PAPER}: the most of both ways over the most of one",
        published=tuple(
            PublishedRatio(
                name,
                over={f"{name}/bandwidth-both-ways": 1},
                under={f"{name}/bandwidth-one-way": 1},
            )
            for name in ("edison", "hopper")
        ),
    ),
    Question(
        text="Does the message rate scale with the number of pairs?",
        benchmark="network.bandwidth",
        metric="message_rate",
        rule=EfficiencyRule(
            Selector({"size": 8, "direction": "one-way"}, _ALL_RANKS),
            Selector(
                {"size": 8, "direction": "one-way"},
                {"nodes": LARGEST, "ranks_per_node": SMALLEST},
            ),
            (
                Band(0.0, "hardly", "let few ranks send for the others, and aggregate messages"),
                Band(0.4, "partly", "aggregate small messages"),
                Band(0.8, "yes", "let every rank send"),
            ),
        ),
        each=("mpi",),
        requires=_FOUR,
        source=f"{_PAPER}: up to 16 pairs of a node at once",
    ),
    Question(
        text="Does the message rate scale with the threads of a rank?",
        benchmark="network.threads",
        metric="message_rate",
        rule=EfficiencyRule(
            Selector({"size": 8}, {**_NETWORK, "threads_per_rank": LARGEST}),
            Selector({"size": 8}, {**_NETWORK, "threads_per_rank": SMALLEST}),
            (
                Band(0.0, "hardly", "let one thread of a rank send, or use ranks, not threads"),
                Band(0.4, "partly", "let few threads of a rank send"),
                Band(0.8, "yes", "let every thread send"),
            ),
        ),
        each=("mpi", "window"),
        requires=_FOUR,
    ),
)

_INJECTION = (
    Band(0.0, "yes", "all-to-all scales with the machine"),
    Band(1.1, "it drops", "keep all-to-all within the smaller part where possible"),
    Band(2.0, "it collapses", "keep all-to-all within the smaller part"),
)
_ALLTOALL: dict[str, Value] = {"operation": "alltoall", "start": "time", "form": "blocking"}
_ALL_TO_ALL = (
    Question(
        text="Does all-to-all bandwidth per node hold as nodes are added?",
        benchmark="network.collective",
        metric="injection",
        rule=CostRule(
            Selector(_ALLTOALL, _ALL_RANKS),
            Selector(_ALLTOALL, {"ranks_per_node": LARGEST, "nodes": SMALLEST}),
            _INJECTION,
        ),
        each=("mpi", "size"),
        requires={Resource.NODES: 3},
        source=f"{_PAPER}: injection of a node stays high as ranks grow, and drops where a second "
        "group begins; that it falls no further beyond was expected, not measured",
        published=(
            PublishedStatement(
                "edison",
                "it drops by {edison/injection-drop} beyond {edison/group-nodes} nodes",
            ),
        ),
    ),
    Question(
        text="Does all-to-all bandwidth per node hold as more of its cores take part?",
        benchmark="network.collective",
        metric="injection",
        rule=CostRule(
            Selector({**_ALLTOALL, "size": LARGEST}, _ALL_RANKS),
            Selector(
                {**_ALLTOALL, "size": LARGEST}, {"nodes": LARGEST, "ranks_per_node": SMALLEST}
            ),
            _INJECTION,
        ),
        each=("mpi",),
        requires=_FOUR,
        source=f"{_PAPER}: one rank on each node, compared with Hopper",
        published=(
            PublishedStatement(
                "edison",
                "with one rank on each node up to {edison/injection-over-hopper} Hopper's",
            ),
        ),
    ),
)


def _starts(benchmark: str, each: tuple[str, ...], parameters: dict[str, Value]) -> Question:
    """What it changes that ranks start after a barrier, not at a time."""
    what = "barrier" if benchmark == "network.barrier" else "collective"
    same_start = "compare with times of the same start only"
    return Question(
        text=f"Does the {what} time differ when ranks start after a barrier?",
        benchmark=benchmark,
        metric="time",
        rule=CostRule(
            Selector({"start": "barrier", **parameters}, _ALL_RANKS),
            Selector({"start": "time", **parameters}, _ALL_RANKS),
            (
                Band(0.0, "shorter than with a synchronized start", same_start),
                Band(0.95, "no difference", "compare with times of either start"),
                Band(1.05, "longer than with a synchronized start", same_start),
            ),
        ),
        each=each,
        requires=_TWO,
        source="Hunold and Carpen-Amarie 2016: ranks leave a barrier at different times",
    )


_FORMS = (
    Question(
        text="Which form of a collective is fastest?",
        benchmark="network.collective",
        metric="time",
        rule=BestRule(
            Selector({"size": 8, "start": "time"}, _ALL_RANKS),
            ("form",),
            Selector({"form": "blocking"}),
            otherwise="use it for small collectives if your code allows",
            same="use the form that suits the program",
        ),
        each=("mpi", "operation"),
        requires=_TWO,
    ),
)

_STARTS = (
    _starts("network.collective", ("mpi", "operation"), {"size": 8, "form": "blocking"}),
    _starts("network.barrier", ("mpi",), {}),
)

EDISON_NETWORK_QUESTIONS = (*_PLACES, *_RATES, *_ALL_TO_ALL, *_FORMS, *_STARTS, *OVERLAP_QUESTIONS)
