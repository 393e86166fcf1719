"""Questions of study `edison-network` about work that goes on while messages do."""

from __future__ import annotations

from machmeter.model.benchmark import Value
from machmeter.model.layout import ProgressMode
from machmeter.model.plan.study import LARGEST, PublishedSide, Question, Rule, Selector

_PAPER = "Austin et al. 2013"
_TWO_RANKS = "it takes two ranks with a core each"
_TWO: dict[str, int] = {"ranks": 2}
_NETWORK: dict[str, Value] = {"nodes": LARGEST}
# Of several nodes all ranks of all of them, not one on each.
_ALL_RANKS: dict[str, Value] = {"nodes": LARGEST, "ranks_per_node": LARGEST}
_LIBRARY: dict[str, Value] = {"progress": ProgressMode.LIBRARY}
_THREAD: dict[str, Value] = {"progress": ProgressMode.THREAD}
_RESERVED: dict[str, Value] = {"progress": ProgressMode.RESERVED}
_OVERLAP_SOURCE = (
    f"{_PAPER}: from where on a reserved core helps the head and the body of the slide disagree"
)
_WORK_HIDDEN = PublishedSide(
    "edison",
    words="{edison/overlap-small-low} to {edison/overlap-small-high} of the work hidden below "
    "{edison/overlap-boundary}, {edison/overlap-16-pairs} above with 16 pairs",
)
_BY_RESERVED_CORE = PublishedSide(
    "edison",
    words="{edison/overlap-reserved-8k} of the work hidden at {edison/overlap-boundary}; more "
    "above {edison/reserving-helps-head} by the head of the slide, above "
    "{edison/reserving-helps-body} by its body",
)


def _hidden(metric: str, what: str, definition: str) -> Question:
    return Question(
        text=f"From which size on is half of the {what} hidden ({definition})?",
        benchmark="network.overlap",
        metric=metric,
        rule=Rule.THRESHOLD,
        bound=0.5,
        candidate=Selector(layout={**_NETWORK, **_LIBRARY}),
        axes=("size",),
        each="mpi,side",
        yes="overlap such messages with work",
        no="messages do not proceed by themselves: see whether a progress thread helps",
        same="overlap messages of these sizes only",
        undecided=_TWO_RANKS,
        needs=_TWO,
        source=_OVERLAP_SOURCE,
        published=(_WORK_HIDDEN,) if metric == "work_hidden" else (),
    )


def _progress(
    benchmark: str, each: str, layout: dict[str, Value], candidate: dict[str, Value]
) -> Question:
    """Whether a progress thread hides more of the communication than the library does."""
    reserved = candidate is _RESERVED
    who = "progress on a reserved core" if reserved else "a progress thread"
    what = "messages" if benchmark == "network.overlap" else "collectives"
    return Question(
        text=f"Does {who} hide more of the communication of {what}?",
        benchmark=benchmark,
        metric="communication_hidden",
        candidate=Selector(layout={**layout, **candidate}),
        baseline=Selector(layout={**layout, **_LIBRARY}),
        each=each,
        yes="reserve a core for progress" if reserved else "let a thread make progress",
        no="give the core to the program" if reserved else "leave progress to the library",
        same="leave progress to the library",
        undecided="it takes a core that no rank needs" if reserved else _TWO_RANKS,
        needs={"free_core": 1} if reserved else _TWO,
        source=_OVERLAP_SOURCE,
        published=(_BY_RESERVED_CORE,) if reserved else (),
    )


OVERLAP_QUESTIONS = (
    _hidden("work_hidden", "work", "as Austin et al. define it"),
    _hidden("communication_hidden", "communication", "as OSU and IMB define it"),
    _progress("network.overlap", "mpi,side,size", _NETWORK, _THREAD),
    _progress("network.overlap", "mpi,side,size", _NETWORK, _RESERVED),
    _progress("network.collective-overlap", "mpi,operation", _ALL_RANKS, _THREAD),
)
