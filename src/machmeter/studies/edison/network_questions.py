"""Questions of study `edison-network`. Bounds of bands are machmeter's own, unless said."""

from __future__ import annotations

from machmeter.model.benchmark import Value
from machmeter.model.layout import Binding
from machmeter.model.plan.study import (
    LARGEST,
    SMALLEST,
    Band,
    PublishedSide,
    Question,
    Rule,
    Selector,
)
from machmeter.studies.edison.overlap_questions import OVERLAP_QUESTIONS

_PAPER = "Austin et al. 2013"
_TWO_RANKS = "it takes two ranks with a core each"
_FOUR_RANKS = "it takes four ranks with a core each"
_TWO: dict[str, int] = {"ranks": 2}
_FOUR: dict[str, int] = {"ranks": 4}
_SMALL: dict[str, Value] = {"size": 8, "definition": "barrier"}
_NETWORK: dict[str, Value] = {"nodes": LARGEST}
_CLOSE: dict[str, Value] = {**_NETWORK, "binding": Binding.CLOSE, "package": -1}
_SPREAD: dict[str, Value] = {**_NETWORK, "binding": Binding.SPREAD, "package": -1}
# Of several nodes all ranks of all of them, not one on each.
_ALL_RANKS: dict[str, Value] = {"nodes": LARGEST, "ranks_per_node": LARGEST}
# Of ranks first: beside the pair on two nodes there are ranks on all of them.
_ONE_PAIR: dict[str, Value] = {"ranks": 2, "nodes": LARGEST}
_SOCKETS = "pairs of one socket, of the other, and of both"
# What osu_multi_lat gave then: the mean over pairs, which ran on without meeting.
_THEN: dict[str, Value] = {"size": 8, "definition": "classic"}

_PLACES = (
    Question(
        text="Which socket should talk?",
        benchmark="network.pairs",
        metric="latency",
        rule=Rule.BEST,
        candidate=Selector(_SMALL, {**_NETWORK, "binding": Binding.CLOSE}),
        axes=("package",),
        each="mpi,ranks",
        yes="put the ranks that talk most there",
        same="take any socket",
        undecided="it has one package only",
        needs={"packages": 2},
        source=f"{_PAPER}: {_SOCKETS}",
        published=(
            PublishedSide(
                "edison", metric="mean_latency", candidate=Selector(_THEN, {"nodes": LARGEST})
            ),
        ),
    ),
    Question(
        text="Should pairs that talk be close to each other?",
        benchmark="network.pairs",
        metric="latency",
        candidate=Selector(_SMALL, _CLOSE),
        baseline=Selector(_SMALL, _SPREAD),
        each="mpi,ranks",
        yes="put ranks that talk next to each other",
        no="spread ranks that talk",
        same="place ranks as memory asks",
        undecided="close and spread ranks come to the same cores",
        needs={"some_placed": 2},
        source=f"{_PAPER}: {_SOCKETS}",
    ),
    Question(
        text="What does it cost that all pairs talk at once?",
        benchmark="network.pairs",
        metric="latency",
        rule=Rule.BANDS,
        candidate=Selector(_SMALL, {"ranks": LARGEST, **_CLOSE}),
        baseline=Selector(_SMALL, {"ranks": SMALLEST, **_CLOSE}),
        each="mpi",
        bands=(
            Band(0.0, "little", "let all ranks talk at once"),
            Band(1.2, "some", "let fewer ranks talk where latency counts"),
            Band(2.0, "much", "let one rank of each socket talk for the others"),
        ),
        undecided=_FOUR_RANKS,
        needs=_FOUR,
        source=f"{_PAPER}: {_SOCKETS}",
        published=(
            PublishedSide(
                "edison",
                metric="mean_latency",
                candidate=Selector(_THEN, {"ranks": LARGEST, "package": -1}),
                baseline=Selector(_THEN, {"ranks": SMALLEST, "package": 0}),
            ),
        ),
    ),
    Question(
        text="What does latency read where pairs run on without meeting (classic)?",
        benchmark="network.pairs",
        metric="latency",
        rule=Rule.BANDS,
        candidate=Selector({"definition": "classic"}, {"ranks": LARGEST, **_CLOSE}),
        baseline=Selector({"definition": "barrier"}, {"ranks": LARGEST, **_CLOSE}),
        each="mpi,size",
        bands=(
            Band(0.0, "less than with a barrier", "compare with figures of OSU up to 5.8 only"),
            Band(0.95, "the same", "compare with figures of any version of OSU"),
            Band(1.05, "more than with a barrier", "compare with figures of OSU up to 5.8 only"),
        ),
        undecided=_TWO_RANKS,
        needs=_TWO,
        source="OSU Micro-Benchmarks changed the definition of osu_multi_lat with version 5.9",
    ),
)

_RATES = (
    Question(
        text="How much more do both ways at once carry than one way?",
        benchmark="network.bandwidth",
        metric="message_rate",
        rule=Rule.BANDS,
        # The cost of one way alone: the messages of both ways over those of one.
        candidate=Selector({"direction": "one-way"}, _ONE_PAIR),
        baseline=Selector({"direction": "both-ways"}, _ONE_PAIR),
        each="mpi,size",
        bands=(
            Band(0.0, "nothing", "one way at a time serves as well"),
            Band(1.2, "somewhat more", "exchange in both directions at once"),
            Band(1.8, "twice as much", "exchange in both directions at once"),
        ),
        undecided=_TWO_RANKS,
        needs=_TWO,
        source=f"{_PAPER}: the most of both ways over the most of one",
        published=tuple(
            PublishedSide(
                name,
                over={f"{name}/bandwidth-both-ways": 1},
                under={f"{name}/bandwidth-one-way": 1},
            )
            for name in ("edison", "hopper")
        ),
    ),
    Question(
        text="Does the message rate grow with the pairs?",
        benchmark="network.bandwidth",
        metric="message_rate",
        rule=Rule.EFFICIENCY,
        candidate=Selector({"size": 8, "direction": "one-way"}, _ALL_RANKS),
        baseline=Selector(
            {"size": 8, "direction": "one-way"}, {"nodes": LARGEST, "ranks_per_node": SMALLEST}
        ),
        each="mpi",
        bands=(
            Band(0.0, "hardly", "let few ranks send for the others, and join messages"),
            Band(0.4, "partly", "join small messages"),
            Band(0.8, "yes", "let every rank send"),
        ),
        undecided=_FOUR_RANKS,
        needs=_FOUR,
        source=f"{_PAPER}: up to 16 pairs of a node at once",
    ),
    Question(
        text="Does the message rate grow with the threads of a rank?",
        benchmark="network.threads",
        metric="message_rate",
        rule=Rule.EFFICIENCY,
        candidate=Selector({"size": 8}, {**_NETWORK, "threads_per_rank": LARGEST}),
        baseline=Selector({"size": 8}, {**_NETWORK, "threads_per_rank": SMALLEST}),
        each="mpi,window",
        bands=(
            Band(0.0, "hardly", "let one thread of a rank send, or take ranks instead of threads"),
            Band(0.4, "partly", "let few threads of a rank send"),
            Band(0.8, "yes", "let every thread send"),
        ),
        undecided="it takes two ranks with two cores each",
        needs=_FOUR,
    ),
)

_INJECTION = (
    Band(0.0, "it holds", "all-to-all scales with the machine"),
    Band(1.1, "it drops", "keep all-to-all within the smaller part where the program can"),
    Band(2.0, "it collapses", "keep all-to-all within the smaller part"),
)
_ALLTOALL: dict[str, Value] = {"operation": "alltoall", "start": "time", "form": "blocking"}
_ALL_TO_ALL = (
    Question(
        text="Does all-to-all hold its bytes for each node as nodes grow?",
        benchmark="network.collective",
        metric="injection",
        rule=Rule.BANDS,
        candidate=Selector(_ALLTOALL, _ALL_RANKS),
        baseline=Selector(
            _ALLTOALL,
            {"ranks_per_node": LARGEST, "nodes": SMALLEST},
        ),
        each="mpi,size",
        bands=_INJECTION,
        undecided="it takes three nodes",
        needs={"nodes": 3},
        source=f"{_PAPER}: injection of a node stays high as ranks grow, and drops where a second "
        "group begins; that it falls no further beyond was expected, not measured",
        published=(
            PublishedSide(
                "edison",
                words="it drops by {edison/injection-drop} beyond {edison/group-nodes} nodes",
            ),
        ),
    ),
    Question(
        text="Does all-to-all hold its bytes for each node as more of its cores take part?",
        benchmark="network.collective",
        metric="injection",
        rule=Rule.BANDS,
        candidate=Selector({**_ALLTOALL, "size": LARGEST}, _ALL_RANKS),
        baseline=Selector(
            {**_ALLTOALL, "size": LARGEST},
            {"nodes": LARGEST, "ranks_per_node": SMALLEST},
        ),
        each="mpi",
        bands=_INJECTION,
        undecided=_FOUR_RANKS,
        needs=_FOUR,
        source=f"{_PAPER}: one rank on each node, beside Hopper",
        published=(
            PublishedSide(
                "edison",
                words="with one rank on each node up to {edison/injection-over-hopper} Hopper's",
            ),
        ),
    ),
)


def _starts(benchmark: str, each: str, parameters: dict[str, Value]) -> Question:
    """What it changes that ranks begin after a barrier, not at a time."""
    what = "a barrier" if benchmark == "network.barrier" else "collectives"
    return Question(
        text=f"What does the time of {what} read where ranks begin after a barrier?",
        benchmark=benchmark,
        metric="time",
        rule=Rule.BANDS,
        candidate=Selector({"start": "barrier", **parameters}, _ALL_RANKS),
        baseline=Selector({"start": "time", **parameters}, _ALL_RANKS),
        each=each,
        bands=(
            Band(0.0, "less than begun at a time", "compare with times of the same start only"),
            Band(0.95, "the same", "compare with times of either start"),
            Band(1.05, "more than begun at a time", "compare with times of the same start only"),
        ),
        undecided=_TWO_RANKS,
        needs=_TWO,
        source="Hunold and Carpen-Amarie 2016: barriers let ranks go at different times",
    )


_FORMS = (
    Question(
        text="Which form of a collective is quickest?",
        benchmark="network.collective",
        metric="time",
        rule=Rule.BEST,
        candidate=Selector({"size": 8, "start": "time"}, _ALL_RANKS),
        baseline=Selector({"form": "blocking"}),
        axes=("form",),
        each="mpi,operation",
        yes="call small collectives so, where the program can",
        same="take the form that suits the program",
        undecided=_TWO_RANKS,
        needs=_TWO,
    ),
)

_STARTS = (
    _starts("network.collective", "mpi,operation", {"size": 8, "form": "blocking"}),
    _starts("network.barrier", "mpi", {}),
)

EDISON_NETWORK_QUESTIONS = (*_PLACES, *_RATES, *_ALL_TO_ALL, *_FORMS, *_STARTS, *OVERLAP_QUESTIONS)
