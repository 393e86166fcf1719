"""The points of `quick` twice, interleaved in one session: how many are reported as different?"""

from __future__ import annotations

from msgspec.structs import replace

from bench.context import Bench, Outcome, empty_outcome
from bench.differences import DifferenceCounts, count_differences
from bench.ours import OurPrograms
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
MOST_DIFFERENT = 0.05
SHOWN_NAMES = 3


def compare(bench: Bench) -> Outcome:
    """Share of all primary results of `quick` reported as different between A and A."""
    outcome = empty_outcome("The same points twice, interleaved in one session")
    ours = bench.ours(bench.options.mpi)
    specs = _specs(bench, ours, outcome)
    copies = {spec.name: (_copy(spec, "A"), _copy(spec, "A again")) for spec in specs}
    contenders = [_contender(ours, copy) for pair in copies.values() for copy in pair]
    measured = bench.measure(TITLE, contenders)
    tally = ours.session.tally
    firsts, seconds = (
        [e for pair in copies.values() for e in tally.estimates(pair[which], primary_only=True)]
        for which in (0, 1)
    )
    for test, paired in (("paired by round", True), ("Welch", False)):
        counts = count_differences(firsts, seconds, paired=paired)
        what = f"reported as different, {test}"
        outcome.rows.append(difference_row(what, counts, measured.rounds))
        outcome.notes += difference_notes(test, counts)
    outcome.failures += measured.failure_lines()
    return outcome


def difference_row(what: str, counts: DifferenceCounts, launches: int) -> Row:
    """The row of a count, with a target of at most 5 %."""
    counted = f"{counts.different} of {counts.compared}"
    text = (counted, f"{launches} launches each" if launches else "")
    return share_row(what, counts.share, counts.compared, at_most(MOST_DIFFERENT), text)


def difference_notes(test: str, counts: DifferenceCounts) -> list[str]:
    """Notes on a count: p values, results below resolution, the points that differ."""
    notes = [
        f"{test}: p < 5 % in {counts.significant} of {counts.compared} "
        f"({100 * counts.significant_share:.1f} %), after Holm in {counts.after_holm}; "
        f"{counts.skipped} more have no ratio because an overhead or share is below resolution"
    ]
    if counts.names:
        more = f" and {len(counts.names) - SHOWN_NAMES} more" * (len(counts.names) > SHOWN_NAMES)
        names = "; ".join(counts.names[:SHOWN_NAMES])
        notes.append(f"{test}, reported as different: {names}{more}")
    return notes


def _specs(bench: Bench, ours: OurPrograms, outcome: Outcome) -> tuple[LaunchSpec, ...]:
    """The launches of `quick` on this machine, with its own sizing."""
    bench.notify(f"{TITLE}: sizing")
    sizing = sizing_spec(bench.machine)
    for _ in range(SIZING_LAUNCHES):
        try:
            ours.launch(sizing, 0)
        except ContenderError as error:
            outcome.failures.append(f"sizing: {error}")
    sizes = choose_sizes(bench.machine, knees_of(ours.session.tally, sizing))
    plan = make_plan(QUICK, bench.machine, LayoutOptions(), Precision(), sizes)
    outcome.notes += [f"not measured: {s.what}: {s.reason}" for s in plan.skipped]
    return tuple(spec for spec in plan.specs if spec.of_points)


def _copy(spec: LaunchSpec, which: str) -> LaunchSpec:
    return replace(spec, name=f"{spec.name}, {which}")


def _contender(ours: OurPrograms, spec: LaunchSpec) -> Contender:
    """A launch that enters the session's tally, from which its results are read."""

    def start(round_number: int) -> dict[str, float]:
        ours.launch(spec, round_number)
        return {}

    return Contender(spec.name, start)
