"""The points of `quick` twice, interleaved in one session: what is called different?"""

from __future__ import annotations

from msgspec.structs import replace

from bench.called import Called, call_different
from bench.context import Bench, Outcome, empty_outcome
from bench.ours import OurSide
from bench.rounds import Contender, ContenderError
from bench.verdicts import Row, at_most, share_row
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.run import Precision
from machmeter.run.measuring.measure import knees_of
from machmeter.run.planning.plan import make_plan
from machmeter.run.planning.sizing import SIZING_LAUNCHES, choose_sizes, sizing_spec
from machmeter.studies.quick import QUICK

TITLE = "same-points"
MOST_CALLED = 0.05
SHOWN_NAMES = 3


def compare(bench: Bench) -> Outcome:
    """Share of all primary figures of `quick` called different between A and A."""
    outcome = empty_outcome("The same points twice, interleaved in one session")
    ours = bench.ours(bench.options.mpi)
    specs = _specs(bench, ours, outcome)
    copies = {spec.name: (_copy(spec, "A"), _copy(spec, "A again")) for spec in specs}
    contenders = [_contender(ours, copy) for pair in copies.values() for copy in pair]
    measured = bench.measure(TITLE, contenders)
    tally = ours.session.tally
    firsts, seconds = (
        [e for pair in copies.values() for e in tally.estimates(pair[side], primary_only=True)]
        for side in (0, 1)
    )
    for words, paired in (("paired by round", True), ("Welch", False)):
        called = call_different(firsts, seconds, paired=paired)
        outcome.rows.append(called_row(f"called different, {words}", called, measured.rounds))
        outcome.notes += called_notes(words, called)
    outcome.failures += measured.failure_lines()
    return outcome


def called_row(what: str, called: Called, launches: int) -> Row:
    """The row of a count, held against 5 %."""
    counted = f"{called.different} of {called.compared}"
    text = (counted, f"{launches} launches each" if launches else "")
    return share_row(what, called.share, called.compared, at_most(MOST_CALLED), text)


def called_notes(words: str, called: Called) -> list[str]:
    """What else is to be said of a count: p values, what is not resolved, which points."""
    notes = [
        f"{words}: p < 5 % in {called.significant} of {called.compared} "
        f"({100 * called.significant_share:.1f} %), after Holm in {called.after_holm}; "
        f"{called.left_out} more have no ratio because an overhead or share is not resolved"
    ]
    if called.names:
        more = f" and {len(called.names) - SHOWN_NAMES} more" * (len(called.names) > SHOWN_NAMES)
        notes.append(f"{words}, called different: {'; '.join(called.names[:SHOWN_NAMES])}{more}")
    return notes


def _specs(bench: Bench, ours: OurSide, outcome: Outcome) -> tuple[LaunchSpec, ...]:
    """What `quick` launches on this machine, sized as it sizes itself."""
    bench.tell(f"{TITLE}: sizing")
    sizing = sizing_spec(bench.machine)
    for _ in range(SIZING_LAUNCHES):
        try:
            ours.launch(sizing, 0)
        except ContenderError as error:
            outcome.failures.append(f"sizing: {error}")
    sizes = choose_sizes(bench.machine, knees_of(ours.session.tally, sizing))
    plan = make_plan(QUICK, bench.machine, LayoutOptions(), Precision(), sizes)
    outcome.notes += [f"not measured: {s.what}: {s.reason}" for s in plan.skipped]
    return tuple(spec for spec in plan.specs if spec.role == "points")


def _copy(spec: LaunchSpec, which: str) -> LaunchSpec:
    return replace(spec, name=f"{spec.name}, {which}")


def _contender(ours: OurSide, spec: LaunchSpec) -> Contender:
    """A launch that is kept in the session's tally; its figures are read from there."""

    def start(round_number: int) -> dict[str, float]:
        ours.launch(spec, round_number)
        return {}

    return Contender(spec.name, start)
