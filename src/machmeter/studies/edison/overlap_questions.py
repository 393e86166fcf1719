"""Questions of study `edison-network` about overlap of communication and computation."""

from __future__ import annotations

from machmeter.model.benchmark import Value
from machmeter.model.layout import ProgressMode
from machmeter.model.plan.question import (
    LARGEST,
    BetterRule,
    PublishedStatement,
    Question,
    Resource,
    Selector,
    ThresholdRule,
)

_PAPER = "Austin et al. 2013"
_TWO = {Resource.RANKS: 2}
_NETWORK: dict[str, Value] = {"nodes": LARGEST}
# Of several nodes all ranks of all of them, not one on each.
_ALL_RANKS: dict[str, Value] = {"nodes": LARGEST, "ranks_per_node": LARGEST}
_LIBRARY: dict[str, Value] = {"progress": ProgressMode.LIBRARY}
_THREAD: dict[str, Value] = {"progress": ProgressMode.THREAD}
_RESERVED: dict[str, Value] = {"progress": ProgressMode.RESERVED}
_OVERLAP_SOURCE = (
    f"{_PAPER}: slide title and body disagree on the size from which a reserved core helps"
)
_WORK_HIDDEN = PublishedStatement(
    "edison",
    "{edison/overlap-small-low} to {edison/overlap-small-high} of the work hidden below "
    "{edison/overlap-boundary}, {edison/overlap-16-pairs} above with 16 pairs",
)
_BY_RESERVED_CORE = PublishedStatement(
    "edison",
    "{edison/overlap-reserved-8k} of the work hidden at {edison/overlap-boundary}; more "
    "above {edison/reserving-helps-head} by the slide title, above "
    "{edison/reserving-helps-body} by its body",
)


def _hidden(metric: str, what: str, definition: str) -> Question:
    return Question(
        text=f"From which message size is half of the {what} overlapped ({definition})?",
        benchmark="network.overlap",
        metric=metric,
        rule=ThresholdRule(
            Selector(layout={**_NETWORK, **_LIBRARY}),
            "size",
            0.5,
            reached="overlap such messages with computation",
            never="messages do not progress in the background: try a progress thread",
            partly="overlap only messages of these sizes",
        ),
        each=("mpi", "side"),
        requires=_TWO,
        source=_OVERLAP_SOURCE,
        published=(_WORK_HIDDEN,) if metric == "work_hidden" else (),
    )


def _progress(
    benchmark: str, each: tuple[str, ...], layout: dict[str, Value], *, reserved: bool = False
) -> Question:
    """Whether a progress thread improves overlap over the library's own progress."""
    who = "progress on a reserved core" if reserved else "a progress thread"
    what = "messages" if benchmark == "network.overlap" else "collectives"
    return Question(
        text=f"Does {who} improve overlap of {what}?",
        benchmark=benchmark,
        metric="communication_hidden",
        rule=BetterRule(
            Selector(layout={**layout, **(_RESERVED if reserved else _THREAD)}),
            Selector(layout={**layout, **_LIBRARY}),
            yes="reserve a core for progress" if reserved else "enable a progress thread",
            no="use the core for computation" if reserved else "leave progress to the library",
            same="leave progress to the library",
        ),
        each=each,
        requires={Resource.SPARE_CORES: 1} if reserved else _TWO,
        source=_OVERLAP_SOURCE,
        published=(_BY_RESERVED_CORE,) if reserved else (),
    )


OVERLAP_QUESTIONS = (
    _hidden("work_hidden", "computation", "as Austin et al. define it"),
    _hidden("communication_hidden", "communication", "as OSU and IMB define it"),
    _progress("network.overlap", ("mpi", "side", "size"), _NETWORK),
    _progress("network.overlap", ("mpi", "side", "size"), _NETWORK, reserved=True),
    _progress("network.collective-overlap", ("mpi", "operation"), _ALL_RANKS),
)
