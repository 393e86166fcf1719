"""What study `louhi` asks of GROMACS."""

from __future__ import annotations

from machmeter.model.plan.question import (
    PublishedStatement,
    Question,
    Resource,
    Selector,
    ThresholdRule,
)
from machmeter.studies.applications import BOUND, scaling_questions

_MACHINES = ("louhi", "murska")
_PAPER = "Lehto 2008: a system of fixed size on 16 to 128 tasks"
_NOTABLE = 0.1
"""Of its time; the bound is machmeter's own."""

GROMACS_QUESTIONS = (
    *scaling_questions(
        "gromacs-water",
        "GROMACS",
        "rate",
        f"{_PAPER}; run times are a plot",
        limit=tuple(
            PublishedStatement(
                machine, f"it gains nothing from more than {{{machine}/gromacs-limit}}"
            )
            for machine in _MACHINES
        ),
    ),
    Question(
        text=f"From which rank count on does GROMACS spend {100 * _NOTABLE:.0f} % of its time in "
        "communication?",
        benchmark="app.gromacs-water",
        metric="communication",
        rule=ThresholdRule(
            Selector(layout=BOUND),
            "ranks_per_node",
            _NOTABLE,
            reached="try threads in place of more ranks",
            never="communication is no reason for fewer ranks",
            partly="avoid these rank counts",
        ),
        each=("mpi",),
        requires={Resource.RANKS: 2},
        source=f"{_PAPER}; time by GROMACS's own accounting, with waiting for other ranks",
        published=tuple(
            PublishedStatement(
                machine, f"the time inside MPI grows from {{{machine}/gromacs-mpi-grows}} on"
            )
            for machine in _MACHINES
        ),
    ),
)
