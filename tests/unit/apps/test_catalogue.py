"""Applications that come with machmeter: their descriptions, and recorded outputs that are right or
spoilt."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.apps.builtin import app_file, app_names
from machmeter.apps.extract import read_output
from machmeter.apps.inputs import check_inputs, check_scripts, given_inputs
from machmeter.apps.judge import output_faults
from machmeter.apps.read import read_description
from machmeter.apps.sizes import at_size
from machmeter.launch.files.launch_folder import make_launch_folder, written_texts
from machmeter.model.errors import UsageError
from machmeter.model.plan.description import (
    Description,
    Echo,
    EchoOf,
    Extraction,
    Figure,
    OutputCheck,
    OutputReadings,
    Validity,
)
from machmeter.model.plan.launch import Verdict
from machmeter.studies.roofline import ROOFLINE
from tests.support.described import launch_of_described
from tests.support.paths import ROOT

RECORDED = ROOT / "tests/data/apps"


def described(name: str) -> Description:
    return at_size(read_description(app_file(name)))


# Faults of one application alone: what is replaced in its recorded output, and by what.
SPOILT = {
    "hpcc": (
        ("0.0030907 ...... PASSED", "30.907 ...... FAILED", Verdict.WRONG_ANSWER),
        # It ended within the kernels, before the summary.
        (r"^Begin of Summary(?s:.*)\Z", "", Verdict.INCOMPLETE),
    ),
    # The process that was killed wrote no time.
    "examl": (("^Overall Time(?s:.*)\\Z", "", Verdict.INCOMPLETE),),
    "lammps-lj": (("^Loop time(?s:.*)\\Z", "", Verdict.INCOMPLETE),),
    # One of the two ranks waited, or another program ran.
    "lammps-eam": (("^.*% CPU use", "51.3% CPU use", Verdict.CONTENDED),),
}
# Checks of what is in the input: a program that computes nothing knows it.
GIVEN = ("atoms", "hpl-size")
# Relative, of a sum of millions of numbers; and epsilon of single over that of double precision.
SINGLE_SUM, SINGLE_ROUNDING = 2e-5, 2.0**29
MUTATIONS = [(name, *change) for name, changes in SPOILT.items() for change in changes]
# Programs that compute nothing with fractions.
ONLY_COUNTS = {"spark-sort", "hadoop-terasort"}
NAMED = [(name, one) for name in app_names() for one in described(name).extractions]


def recorded(name: str) -> dict[str, str]:
    """The texts of a recorded launch of two ranks, or of two threads."""
    output = RECORDED / name / "output"
    printed = output.read_text() if output.is_file() else ""
    return dict(written_texts(RECORDED / name, described(name), printed))


def changed(texts: dict[str, str], old: str, new: str) -> dict[str, str]:
    """The texts with what a regular expression matches replaced."""
    found = {file: re.sub(old, new, text, flags=re.MULTILINE) for file, text in texts.items()}
    assert found != texts
    return found


def with_number(name: str, extraction: str, number: str) -> dict[str, str]:
    """The recorded texts in which another number stands wherever that of the extraction does."""
    return with_other(recorded(name), described(name).extractions[extraction], number)


def with_other(texts: dict[str, str], one: Extraction, number: str) -> dict[str, str]:
    def other(found: re.Match[str]) -> str:
        begin, end = (at - found.start() for at in found.span(1))
        return found[0][:begin] + number + found[0][end:]

    found = re.sub(one.pattern, other, texts[one.file], flags=re.MULTILINE)
    assert found != texts[one.file]
    return texts | {one.file: found}


def is_optional(one: Extraction) -> bool:
    return isinstance(one, Figure) and one.optional


def recorded_echo(name: str, echo: Echo) -> float:
    return judged(name, recorded(name))[0].values[echo.what]


def judged(name: str, texts: dict[str, str]) -> tuple[OutputReadings, set[Verdict]]:
    description = described(name)
    echoes = {one.what for one in description.echoes}
    ranks, threads = (2, 1) if EchoOf.RANKS in echoes else (1, 2)
    read = read_output(description, texts)
    launch = launch_of_described(description, ranks, threads)
    return read, {fault.verdict for fault in output_faults(launch, read, {})}


@pytest.mark.parametrize("name", app_names())
def test_an_application_is_small_and_complete(name: str) -> None:
    one, folder = described(name), app_file(name).parent
    files = [folder / path for path in {file.path for file in given_inputs(one)} | set(one.scripts)]
    assert len(files) <= 1
    lines = [len(file.read_text().splitlines()) for file in (app_file(name), *files)]
    assert sum(lines) <= 150
    assert one.name == name
    assert one.purpose
    assert one.license
    assert one.provided.commands
    assert one.figures
    assert one.checks
    assert one.echoes
    assert all(file.sha256 for file in given_inputs(one))
    assert all(one.scripts.values())
    check_scripts(one, folder)
    check_inputs(replace(one, inputs=given_inputs(one)), folder)


@pytest.mark.parametrize("name", app_names())
def test_a_recorded_output_is_right(name: str) -> None:
    read, faults = judged(name, recorded(name))
    assert faults == set()
    assert set(read.values) == set(described(name).extractions)
    # What was recorded is what gave the reference values.
    assert read.version == described(name).reference_version
    assert bool(read.simd) is bool(described(name).simd)


@pytest.mark.parametrize(("name", "old", "new", "verdict"), MUTATIONS)
def test_a_spoilt_output_is_refused(name: str, old: str, new: str, verdict: Verdict) -> None:
    _, faults = judged(name, changed(recorded(name), old, new))
    assert faults == {verdict}


@pytest.mark.parametrize(("name", "extraction"), NAMED)
@pytest.mark.parametrize("number", ["nan", "-inf", ""])
def test_a_number_that_is_none_is_refused(name: str, extraction: str, number: str) -> None:
    _, faults = judged(name, with_number(name, extraction, number))
    # The next column is read in place of a number that is missing, and is wrong.
    assert faults


@pytest.mark.parametrize(("name", "extraction"), NAMED)
def test_a_line_that_is_missing_is_refused(name: str, extraction: str) -> None:
    one = described(name).extractions[extraction]
    read, faults = judged(name, changed(recorded(name), f"{one.pattern}.*$", ""))
    # Of several numbers in one line more than one is missing; of ranks that each print one, all.
    assert faults == (set() if is_optional(one) else {Verdict.INCOMPLETE})
    assert extraction not in read.values


@pytest.mark.parametrize(("name", "extraction"), NAMED)
def test_a_number_that_is_wrong_is_refused(name: str, extraction: str) -> None:
    """A figure of 0, a rank too many, a count off by one, a value off in the fourth digit."""
    one = described(name).extractions[extraction]
    if isinstance(one, Figure):
        number, verdict = 0.0, None if one.optional else Verdict.INCOMPLETE
    elif isinstance(one, Echo):
        right, _ = judged(name, recorded(name))
        number, verdict = right.values[extraction] + 1 - one.offset, Verdict.WRONG_PARALLELISM
    elif isinstance(one, Validity):
        number, verdict = 0.9 * (one.least or 0.0), Verdict.CONTENDED
    else:
        assert isinstance(one, OutputCheck)
        reference = one.reference or 0.0
        off = 1.0 if reference.is_integer() else 3e-4 * abs(reference)
        number = reference + (off if reference else 1.5 * one.absolute)
        verdict = Verdict.WRONG_ANSWER
    written = f"{number:.0f}" if number.is_integer() else f"{number:.12g}"
    _, faults = judged(name, with_number(name, extraction, written))
    # A part of the time that took none is no figure.
    assert faults == ({verdict} if verdict else set())


@pytest.mark.parametrize("name", app_names())
def test_a_program_that_computed_nothing_is_refused(name: str) -> None:
    """It reports its start, what it was given, and a time; every result is 0."""
    texts = recorded(name)
    for one in described(name).checks:
        if one.name not in GIVEN and judged(name, texts)[0].values[one.name]:
            texts = with_other(texts, one, "0")
    assert judged(name, texts)[1] == {Verdict.WRONG_ANSWER}


@pytest.mark.parametrize("name", sorted({*app_names()} - ONLY_COUNTS))
def test_results_of_single_precision_are_refused(name: str) -> None:
    """Sums differ in the fifth digit, and what rounding leaves grows as rounding does."""
    texts = recorded(name)
    for one in described(name).checks:
        value = judged(name, texts)[0].values[one.name]
        if value and not (one.reference or value).is_integer():
            number = value * (1 + SINGLE_SUM if one.reference != 0 else SINGLE_ROUNDING)
            texts = with_other(texts, one, f"{number:.12g}")
    assert judged(name, texts)[1] == {Verdict.WRONG_ANSWER}


@pytest.mark.parametrize("name", app_names())
def test_a_rank_or_thread_that_was_idle_is_refused(name: str) -> None:
    """The program knows of one of the two that were launched, and its result is right."""
    description = described(name)
    (one,) = (echo for echo in description.echoes if recorded_echo(name, echo) == 2)
    _, faults = judged(name, with_other(recorded(name), one, str(1 - one.offset)))
    assert faults == {Verdict.WRONG_PARALLELISM}


@pytest.mark.parametrize("name", app_names())
def test_a_program_that_crashed_is_refused_whatever_its_exit_code(name: str) -> None:
    """Its output ends after any share of the lines; where nothing is missing that is read, every
    number is that of the whole output."""
    whole, _ = judged(name, recorded(name))
    lines = {file: text.splitlines(keepends=True) for file, text in recorded(name).items()}
    accepted = []
    for share in range(0, 100, 4):
        begun = {file: "".join(one[: len(one) * share // 100]) for file, one in lines.items()}
        read, faults = judged(name, begun)
        if not faults:
            accepted.append(read.values)
    assert accepted == [whole.values] * len(accepted)
    assert len(accepted) < 25


@pytest.mark.parametrize("name", app_names())
def test_an_output_that_was_left_lying_is_not_read(name: str, tmp_path: Path) -> None:
    description = described(name)
    assert description.files_read.isdisjoint(one.path for one in description.inputs)
    folder = tmp_path / "00001.files"
    shutil.copytree(RECORDED / name, folder)
    without = replace(description, inputs=())
    launch = launch_of_described(without, 2, 1, folder=str(tmp_path))
    assert launch.spec.command
    make_launch_folder(folder, launch, launch.spec.command, {})
    _, faults = judged(name, dict(written_texts(folder, description, "")))
    assert faults == {Verdict.INCOMPLETE}


@pytest.mark.parametrize("name", app_names())
def test_a_program_that_wrote_nothing_is_incomplete(name: str, tmp_path: Path) -> None:
    _, faults = judged(name, dict(written_texts(tmp_path, described(name), "")))
    assert faults == {Verdict.INCOMPLETE}


def test_figures_of_hpcc_are_in_their_units() -> None:
    read, _ = judged("hpcc", recorded("hpcc"))
    assert read.values["hpl"] == pytest.approx(8.44754e9)
    assert read.values["fft"] > 1e8
    assert read.values["random-access"] == pytest.approx(6.11059)
    assert read.version == "1.5.0"


def test_communication_of_gromacs_is_the_sum_of_its_rows() -> None:
    read, _ = judged("gromacs-water", recorded("gromacs-water"))
    assert read.values["communication"] == pytest.approx(0.5e-2 + 0.5e-2 + 0.1e-2 + 7.1e-2 + 1.6e-2)


def test_another_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError) as refused:
        app_file("hpc")
    assert "hpcc" in refused.value.remedy


@pytest.mark.parametrize("name", app_names())
def test_sizes_of_an_application_take_seconds_and_a_minute(name: str) -> None:
    sizes = read_description(app_file(name)).sizes
    assert [one.name for one in sizes] in ([], ["small", "minute"], ["small", "minute", "weak"])
    assert [one.name for one in sizes if one.grows] == [e.name for e in sizes if e.name == "weak"]
    for size in sizes:
        # A virtual machine for Java alone takes some seconds to start.
        small = 25 if name in ONLY_COUNTS else 5
        assert 2 <= size.seconds <= (90 if size.name == "minute" else small)
        assert size.memory > 2**20
    # Of what depends on the size, the usual one knows all.
    assert described(name).not_judged == ()


def test_the_order_of_hpl_is_the_same_in_its_sizes_its_check_and_the_question() -> None:
    order = described("hpcc").values["order"]
    (check,) = (one for one in described("hpcc").checks if one.name == "hpl-size")
    assert check.reference == int(order)
    (application,) = (one for one in ROOFLINE.applications if one.name == "hpcc")
    (question,) = application.questions
    assert f"N = {order}?" in question.text
