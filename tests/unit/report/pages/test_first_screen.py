"""The first screen says what the machine is, what it is worth, and what limits that."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.results.caveat import Caveat, CaveatKind
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.headlines import headline_results
from machmeter.report.pages.first_screen import (
    MOST_CAVEATS,
    FirstScreen,
    first_screen,
    title_of_machine,
)
from machmeter.text.findings.order import answered
from machmeter.text.results import value_text
from tests.support.made_up.twins import made_up_twin
from tests.support.synthetic.explored import make_explored
from tests.support.synthetic.run import make_run

RUN = make_run()


def screen_of(run: RunResult) -> FirstScreen:
    return first_screen(run, headline_results(run), answered(run), lambda _: "")


def test_the_title_is_the_machine_and_the_kicker_the_study_and_the_host() -> None:
    screen = screen_of(RUN)
    assert screen.title == title_of_machine(RUN.header.machine)
    assert "virtual machine" in screen.title
    assert screen.kicker.startswith(f"study quick on {RUN.header.machine.name}, ")


def test_a_machine_without_a_hypervisor_is_not_called_virtual() -> None:
    machine = RUN.header.machine
    bare = replace(machine, software=replace(machine.software, hypervisor=""))
    assert "virtual" not in title_of_machine(bare)


def test_the_lead_has_values_and_the_state_of_the_decisions() -> None:
    screen = screen_of(RUN)
    assert value_text(headline_results(RUN)[0].estimate) in screen.lead
    assert f"of {len(RUN.findings)} questions decided" in screen.lead


def test_the_lead_begins_with_too_few_launches() -> None:
    few = Caveat(CaveatKind.FEW_LAUNCHES, "2 launches per layout", "use --budget 5min")
    lead = screen_of(replace(RUN, caveats=(few,))).lead
    assert lead.startswith("Indicative values only: 2 launches per layout: use --budget 5min.")


def test_the_results_of_a_program_are_titled_by_its_command() -> None:
    assert screen_of(make_explored()).program == "./solver"
    assert screen_of(RUN).program == ""


def test_four_facts_stand_in_their_order() -> None:
    names = [fact.name for fact in screen_of(RUN).facts]
    assert names == [
        "Questions decided",
        "Median precision",
        "Launches, placement verified",
        "Measuring time",
    ]


def test_of_a_model_no_placement_is_said_to_be_verified() -> None:
    header = RUN.header
    on_twin = replace(header, request=replace(header.request, twin=made_up_twin()))
    names = [fact.name for fact in screen_of(replace(RUN, header=on_twin)).facts]
    assert names[2:] == ["Launches simulated", "Simulated in"]


def test_the_gravest_caveats_come_first_and_the_others_later() -> None:
    caveats = tuple(Caveat(CaveatKind.NOISE, f"noise {n}") for n in range(5))
    screen = screen_of(replace(RUN, caveats=caveats))
    assert screen.caveats == tuple(f"Noise {n}" for n in range(MOST_CAVEATS))
    assert screen.other_caveats == ("Noise 3", "Noise 4")


def test_values_of_one_title_in_the_lead_say_which_is_which() -> None:
    first, second, *_ = headline_results(RUN)
    libraries = [
        replace(first, title="MPI latency, 8 B", label="2 ranks, mpich"),
        replace(second, title="MPI latency, 8 B", label="2 ranks, openmpi"),
    ]
    lead = first_screen(RUN, libraries, answered(RUN), lambda _: "").lead
    assert "MPI latency, 8 B (2 ranks, mpich) " in lead
    assert "MPI latency, 8 B (2 ranks, openmpi) " in lead


def test_the_lead_names_the_library_of_a_latency() -> None:
    known = replace(RUN, mpi_libraries={"": "MPICH Version: 5.0.2"})
    small = tuple(
        e
        for e in RUN.estimates
        if e.point.benchmark == "network.latency" and e.point.get("size") == 8
    )
    screen = screen_of(replace(known, estimates=small))
    assert screen.cards[0].title == "MPI latency, 8 B (MPICH 5.0.2)"
    assert "(MPICH 5.0.2) " in screen.lead
