"""Applications that come with machmeter: their descriptions, and recorded outputs that are right or
spoilt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from machmeter.apps.builtin import app_file, app_names, builtin_apps
from machmeter.apps.extract import read_output
from machmeter.apps.inputs import check_inputs
from machmeter.apps.judge import output_faults
from machmeter.launch.launch_folder import written_texts
from machmeter.model.errors import UsageError
from machmeter.model.plan.description import Description, OutputReadings
from machmeter.model.plan.launch import Verdict
from tests.support.described import launch_of_described
from tests.support.paths import ROOT

RECORDED = ROOT / "tests/data/apps"
# Of the recorded launches.
RANKS = 2
# What is replaced in the recorded output, by what, and what the launch then is.
SPOILT = {
    "hpcc": (
        ("0.0030907 ...... PASSED", "30.907 ...... FAILED", Verdict.WRONG_ANSWER),
        ("^HPL_Tflops=.*\n", "", Verdict.INCOMPLETE),
        ("^HPL_Tflops=.*$", "HPL_Tflops=nan", Verdict.INCOMPLETE),
        ("^HPL_N=1440$", "HPL_N=1000", Verdict.WRONG_ANSWER),
        ("^Success=1$", "Success=0", Verdict.WRONG_ANSWER),
        ("^CommWorldProcs=2$", "CommWorldProcs=1", Verdict.WRONG_PARALLELISM),
        ("^MPIFFT_maxErr=.*$", "MPIFFT_maxErr=1e-7", Verdict.WRONG_ANSWER),
        ("^(MPIRandomAccess_ErrorsFraction)=.*$", r"\1=0.02", Verdict.WRONG_ANSWER),
        # It ended within the kernels, before the summary.
        (r"^Begin of Summary(?s:.*)\Z", "", Verdict.INCOMPLETE),
    ),
}
MUTATIONS = [(name, *change) for name, changes in SPOILT.items() for change in changes]


def described(name: str) -> Description:
    (found,) = (one for one in builtin_apps() if one.name == name)
    return found


def recorded(name: str, change: tuple[str, str] | None = None) -> dict[str, str]:
    """The texts of a recorded launch; change: a regular expression and what replaces it."""
    texts = dict(written_texts(RECORDED / name, described(name), ""))
    if change is None:
        return texts
    changed = {
        file: re.sub(change[0], change[1], text, flags=re.MULTILINE) for file, text in texts.items()
    }
    assert changed != texts
    return changed


def judged(name: str, texts: dict[str, str]) -> tuple[OutputReadings, list[Verdict]]:
    description = described(name)
    read = read_output(description, texts)
    launch = launch_of_described(description, RANKS)
    return read, [fault.verdict for fault in output_faults(launch, read, {})]


@pytest.mark.parametrize("name", app_names())
def test_an_application_is_small_and_complete(name: str) -> None:
    files = list(app_file(name).parent.iterdir())
    assert len(files) <= 2
    assert sum(len(file.read_text().splitlines()) for file in files) <= 150
    one = described(name)
    assert one.name == name == app_file(name).parent.name
    assert one.purpose
    assert one.license
    assert one.provided.commands
    assert one.figures
    assert one.checks
    assert all(file.sha256 for file in one.inputs)
    check_inputs(one, app_file(name).parent)


@pytest.mark.parametrize("name", app_names())
def test_a_recorded_output_is_right(name: str) -> None:
    read, faults = judged(name, recorded(name))
    assert faults == []
    assert set(read.values) == set(described(name).extractions)
    assert bool(read.version) is bool(described(name).version)


@pytest.mark.parametrize(("name", "old", "new", "verdict"), MUTATIONS)
def test_a_spoilt_output_is_refused(name: str, old: str, new: str, verdict: Verdict) -> None:
    _, faults = judged(name, recorded(name, (old, new)))
    assert set(faults) == {verdict}


@pytest.mark.parametrize("name", app_names())
def test_every_check_and_echo_is_seen_to_fail(name: str) -> None:
    of_answers = {Verdict.WRONG_ANSWER, Verdict.WRONG_PARALLELISM}
    seen = [verdict for _, _, verdict in SPOILT[name] if verdict in of_answers]
    assert len(seen) >= len(described(name).checks) + len(described(name).echoes)


@pytest.mark.parametrize("name", app_names())
def test_a_program_that_wrote_nothing_is_incomplete(name: str, tmp_path: Path) -> None:
    _, faults = judged(name, dict(written_texts(tmp_path, described(name), "")))
    assert set(faults) == {Verdict.INCOMPLETE}


def test_figures_of_hpcc_are_in_their_units() -> None:
    read, _ = judged("hpcc", recorded("hpcc"))
    assert read.values["hpl"] == pytest.approx(8.44754e9)
    assert read.values["fft"] > 1e8
    assert read.values["random-access"] == pytest.approx(6.11059)
    assert read.version == "1.5.0"


def test_another_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError) as refused:
        app_file("hpc")
    assert "hpcc" in refused.value.remedy
