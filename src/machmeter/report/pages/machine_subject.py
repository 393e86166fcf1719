"""What the page of a machine that was not measured here is made of."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.model.results.machine import MachineResults
from machmeter.published.claims_of_machine import claims_about
from machmeter.published.format import PublishedMachine
from machmeter.published.printed import NO_FLAGS
from machmeter.report.pages.machine import PageMachine
from machmeter.run.compare.machine_findings import machine_findings
from machmeter.studies.select import STUDIES


def page_machine_of(
    name: str,
    results: MachineResults,
    printed: PublishedMachine,
    *,
    flags: Mapping[str, str] = NO_FLAGS,
    remarks: tuple[str, ...] = (),
    published: bool = False,
) -> PageMachine:
    """The machine with its decisions, claims and commands.

    name: on the command line; printed: its file; flags: what is wrong with its figures, by ID;
    remarks: of an importer; published: whether machmeter carries it.
    """
    questions = tuple({q.text: q for study in STUDIES for q in study.questions}.values())
    decisions = machine_findings(questions, results, printed.kind_ranks, published=published)
    return PageMachine(
        name=name,
        results=results,
        printed=printed,
        flags=flags,
        decisions=decisions,
        questions=len(questions),
        claims=claims_about(results.id) if published else (),
        commands=tuple(_commands(name, results, published=published)),
        remarks=remarks,
    )


def _commands(name: str, results: MachineResults, *, published: bool) -> Iterator[tuple[str, str]]:
    """Commands that compare the machine with a run, each with what it does."""
    if not results.estimates:
        return
    said = shlex.quote(name)
    own = {one.point.benchmark for one in results.estimates}
    benchmarks = [benchmark.name for benchmark in BENCHMARKS if benchmark.name in own]
    studies = _studies_of(results.id) if published else []
    for study in studies:
        yield f"machmeter run {study}", "repeats that study on this machine"
    if benchmarks and not studies:
        yield f"machmeter run {' '.join(benchmarks)}", "measures the same benchmarks here"
    yield f"machmeter compare {said} last", "compares the last run with it"
    yield f"machmeter report {said} last", "the same as a page, with a plot"


def _studies_of(machine: str) -> list[str]:
    """The studies with questions that the published machine answers, those with the most first."""
    counts = {
        study.name: sum(s.machine == machine for q in study.questions for s in q.published)
        for study in STUDIES
    }
    found = [name for name, count in counts.items() if count]
    return sorted(found, key=counts.__getitem__, reverse=True)
