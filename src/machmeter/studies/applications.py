"""What studies ask of an application over its ranks."""

from __future__ import annotations

from machmeter.model.benchmark import Value
from machmeter.model.plan.question import (
    LARGEST,
    SMALLEST,
    Band,
    BestRule,
    EfficiencyRule,
    PublishedSource,
    Question,
    Resource,
    Selector,
)

SCALING = (
    Band(0.0, "hardly", "use fewer ranks"),
    Band(0.5, "partly", "more ranks shorten a run, and cost more core hours"),
    Band(0.8, "yes", "use all cores"),
)
"""Bands of a parallel efficiency; their bounds are machmeter's own."""
BOUND: dict[str, Value] = {"binding": "close"}
"""Layouts whose ranks are bound."""
_TWO = {Resource.RANKS: 2}


def scaling_questions(
    name: str,
    title: str,
    metric: str,
    source: str,
    *,
    limit: tuple[PublishedSource, ...] = (),
    efficiency: tuple[PublishedSource, ...] = (),
) -> tuple[Question, ...]:
    """Up to how many ranks an application improves, and how efficiently.

    title: its name in the questions; limit, efficiency: published answers to each.
    """
    return (
        Question(
            text=f"With how many ranks is {title} fastest?",
            benchmark=f"app.{name}",
            metric=metric,
            rule=BestRule(
                # Ranks of several threads differ in more than their number.
                Selector(layout={**BOUND, "threads_per_rank": SMALLEST}),
                ("ranks_per_node",),
                otherwise="use that many ranks on each node",
                same="use the fewest: more ranks are not faster",
            ),
            each=("mpi",),
            requires=_TWO,
            source=source,
            published=limit,
        ),
        Question(
            text=f"Does {title} scale over the cores of the node?",
            benchmark=f"app.{name}",
            metric=metric,
            rule=EfficiencyRule(
                Selector(layout={**BOUND, "ranks_per_node": LARGEST}),
                Selector(layout={**BOUND, "ranks_per_node": SMALLEST}),
                SCALING,
            ),
            each=("mpi",),
            requires=_TWO,
            source=source,
            published=efficiency,
        ),
    )
