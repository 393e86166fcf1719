"""The first screen of a run's page: what machine it is, what it is worth, what limits that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from machmeter.model.machine import Machine
from machmeter.model.origin import Origin
from machmeter.model.plan.launch import Verdict
from machmeter.model.results.caveat import CaveatKind
from machmeter.model.results.finding import AnswerStatus, Finding
from machmeter.model.results.run import Request, RunResult
from machmeter.model.units import format_bytes
from machmeter.model.written.text import shell_text
from machmeter.report.benchmarks.best_advice import best_advice, further_caveats
from machmeter.report.benchmarks.headlines import HeadlineResult
from machmeter.report.drawing.row_plot import RowPlot
from machmeter.report.pages.finding_rows import finding_plot
from machmeter.report.pages.result_rows import Address, KeyCard, first_of_each, key_cards
from machmeter.report.views.launch_lines import job_of
from machmeter.studies.select import requested_text
from machmeter.text.findings.job_script import JobScript
from machmeter.text.numbers import count_text, duration_text, half_width_text, time_text
from machmeter.text.plain import capitalized, plain
from machmeter.text.results import value_text
from machmeter.text.runs import caveat_text

MOST_CAVEATS = 3
_IN_THE_LEAD = 3


class Fact(Struct, frozen=True):
    """One number about the run."""

    name: str
    """What it is."""
    value: str
    """The number."""
    note: str = ""
    """After it."""


class FirstScreen(Struct, frozen=True):
    """Everything down to the caveats, in the order of the page."""

    kicker: str
    """Study, machine and time."""
    title: str
    """The machine."""
    advice: str
    """What to try first; empty where nothing was seen to gain."""
    lead: str
    """Key values and how many questions are decided."""
    facts: tuple[Fact, ...]
    """Four; of what a run has none of, none."""
    program: str
    """The command that the results are of; empty where they are of several benchmarks."""
    cards: tuple[KeyCard, ...]
    """At most six key results."""
    findings: RowPlot | None
    """Decisions and open questions."""
    job: JobScript
    """Settings for job scripts."""
    caveats: tuple[str, ...]
    """At most three, the gravest first."""
    other_caveats: tuple[str, ...]
    """The rest, for later."""
    indicative: bool
    """Whether there were too few launches for more than an indication."""


def first_screen(
    result: RunResult,
    headlines: Sequence[HeadlineResult],
    findings: Sequence[Finding],
    address: Address,
    *,
    alone: bool = False,
) -> FirstScreen:
    """The first screen; `findings` as the page numbers them; alone: without the rest of it."""
    advice = best_advice(result)
    caveats = tuple(map(caveat_text, further_caveats(advice, result)))
    return FirstScreen(
        kicker=_kicker(result),
        title=title_of_machine(result.header.machine),
        advice=advice.text if advice else "",
        lead=_lead(result, headlines),
        facts=_facts(result),
        program=_program(result.header.request),
        cards=key_cards(result, headlines, address),
        findings=finding_plot(findings, alone=alone),
        job=job_of(result),
        caveats=caveats[:MOST_CAVEATS],
        other_caveats=caveats[MOST_CAVEATS:],
        indicative=any(c.kind is CaveatKind.FEW_LAUNCHES for c in result.caveats),
    )


def title_of_machine(machine: Machine) -> str:
    """`AMD EPYC virtual machine, 2 cores, 23.5 GiB`."""
    kind = " virtual machine" if machine.software.hypervisor else ""
    cores = count_text(len(machine.topology.usable_cores), "core", "cores")
    processor = machine.cpu_model or machine.architecture
    return plain(f"{processor}{kind}, {cores}, {format_bytes(machine.memory.total_bytes)}", 160)


def _kicker(result: RunResult) -> str:
    header = result.header
    names = requested_text(header.request.names)
    who = header.machine.name or header.machine.host
    return plain(f"{names} on {who}, {time_text(header.started)}", 300)


def _program(request: Request) -> str:
    """`./solver input.nml`, of an exploration as a person wrote it."""
    command = request.study.experiments[0].command if request.explores else None
    return plain(shell_text(command.typed or command.words), 200) if command else ""


def _lead(result: RunResult, headlines: Sequence[HeadlineResult]) -> str:
    sentences = []
    few = next((c for c in result.caveats if c.kind is CaveatKind.FEW_LAUNCHES), None)
    if few:
        sentences.append(f"Indicative values only: {_within_a_sentence(caveat_text(few))}.")
    # The first part of a title says what it is; the card says under which parameters.
    shown = first_of_each(headlines)[:_IN_THE_LEAD]
    names = Counter(_briefly(one) for one in shown)
    titles = Counter(one.title for one in shown)
    values = []
    for one in shown:
        name = _briefly(one)
        title = one.title if names[name] > 1 else name
        title = f"{title} ({one.label})" if titles[one.title] > 1 else title
        values.append(f"{_within_a_sentence(title)} {value_text(one.estimate)}")
    if values:
        sentences.append(f"{capitalized(', '.join(values))}.")
    sentences.append(_decided(result))
    return plain(" ".join(filter(None, sentences)), 600)


def _briefly(one: HeadlineResult) -> str:
    """Without the parameters: `MPI latency (MPICH 5.0.2)`."""
    return one.subject.partition(",")[0] + one.title.removeprefix(one.subject)


def _within_a_sentence(title: str) -> str:
    """With a small first letter; `OpenMP` and `MPI` stay as they are."""
    return f"{title[:1].lower()}{title[1:]}" if title.partition(" ")[0][1:].islower() else title


def _decided(result: RunResult) -> str:
    every = len(result.findings)
    if not every:
        return ""
    statuses = [finding.status for finding in result.findings]
    questions = count_text(every, "question", "questions")
    decided = f"{statuses.count(AnswerStatus.DECIDED)} of {questions} decided"
    still_open = statuses.count(AnswerStatus.INCONCLUSIVE)
    return f"{decided}, {still_open} inconclusive." if still_open else f"{decided}."


def _launches(request: Request) -> str:
    """What is said of launches that count: of a model no placement is verified."""
    if request.origin is Origin.SIMULATED:
        return "Launches simulated"
    return "Launches accepted" if request.explores else "Launches, placement verified"


def _facts(result: RunResult) -> tuple[Fact, ...]:
    statuses = [finding.status for finding in result.findings]
    decided = f"{statuses.count(AnswerStatus.DECIDED)} of {len(statuses)}"
    precision = []
    if reached := result.precision:
        target = f"target ±{half_width_text(reached.target)}"
        precision = [Fact("Median precision", f"±{half_width_text(reached.median)}", target)]
    accepted = sum(o.verdict is Verdict.ACCEPTED for o in result.outcomes)
    return (
        *([Fact("Questions decided", decided)] if statuses else []),
        *precision,
        Fact(_launches(result.header.request), f"{accepted:,} of {len(result.outcomes):,}"),
        Fact(
            "Measuring time" if result.header.request.origin is Origin.MEASURED else "Simulated in",
            duration_text(result.time_use.wall),
        ),
    )
