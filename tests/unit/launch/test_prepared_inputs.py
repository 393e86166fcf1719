"""Input files that a description has made: once, whole, and anew when what makes them changes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.apps.inputs import check_inputs, checksum_of
from machmeter.launch.prepared_inputs import prepared_inputs
from machmeter.model.errors import MachineLacksError, UsageError
from machmeter.model.plan.description import Description, InputFile, Preparation, Provided
from tests.support.paths import ROOT
from tests.support.processes.living import is_living
from tests.support.processes.machmeter_command import wait_until
from tests.support.processes.native_programs import executable

SCRIPT = """
import sys
from pathlib import Path
with Path(sys.argv[2]).open("a") as calls:
    calls.write("x")
Path("made").write_text(Path("given").read_text() * int(sys.argv[1]))
"""


class Described:
    """A description whose script counts its calls."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache = folder / "app", folder / "cache"
        self.calls = folder / "calls"
        self.folder.mkdir()
        (self.folder / "make.py").write_text(SCRIPT)
        (self.folder / "given").write_text("ab")
        self.said: list[str] = []

    def prepared(self, *after: Preparation, times: str = "2", sha256: str = "") -> Path:
        description = Description(
            name="a",
            title="A",
            command=("a",),
            inputs=(InputFile(path="given"), InputFile(path="made", sha256=sha256, made=True)),
            preparations=(Preparation(command=("make.py", times, str(self.calls))), *after),
            provided=Provided(debian=("maker",)),
        )
        return prepared_inputs(
            description, self.folder, self.cache, dict(os.environ), self.said.append
        ).folder

    def count(self) -> int:
        return len(self.calls.read_text())

    def kept(self) -> list[Path]:
        return [path for path in (self.cache / "inputs").glob("*") if path.suffix != ".lock"]


@pytest.fixture
def described(tmp_path: Path) -> Described:
    return Described(tmp_path)


def test_what_a_preparation_leaves_running_is_ended(described: Described) -> None:
    number = described.cache.parent / "number"
    step = f"setsid sleep 971 > /dev/null 2>&1 & echo $! > {number}"
    described.prepared(Preparation(command=("sh", "-c", step)))
    assert not is_living(int(number.read_text()))


def test_a_preparation_ends_with_a_machmeter_that_is_killed(tmp_path: Path) -> None:
    numbers = tmp_path / "numbers"
    step = (
        f"setsid sleep 971 & echo $! > {numbers}.part; echo $$ >> {numbers}.part; "
        f"mv {numbers}.part {numbers}; sleep 971"
    )
    script = f"""
from pathlib import Path
from tests.unit.launch.test_prepared_inputs import Described, Preparation
Described(Path({str(tmp_path)!r})).prepared(Preparation(command=("sh", "-c", {step!r})))
"""
    machmeter = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT)
    wait_until(numbers.exists, "the preparation has started")
    machmeter.kill()
    machmeter.wait()
    left = list(map(int, numbers.read_text().split()))
    wait_until(lambda: not any(map(is_living, left)), "what it started has ended", 20)


def test_a_description_without_preparations_has_its_own_folder(described: Described) -> None:
    bare = Description(name="a", title="A", command=("a",), inputs=(InputFile(path="given"),))
    found = prepared_inputs(bare, described.folder, described.cache, {}, print)
    assert found.folder == described.folder
    assert found.checksums == check_inputs(bare, described.folder)
    assert not described.cache.exists()


def test_files_are_made_once(described: Described) -> None:
    first = described.prepared()
    assert (first / "made").read_text() == "abab"
    assert (first / "given").read_text() == "ab"
    assert described.prepared() == first
    assert described.count() == len(described.said) == 1


@pytest.mark.parametrize("changed", ["script", "given", "arguments"])
def test_files_are_made_anew_when_what_makes_them_changes(
    changed: str, described: Described
) -> None:
    first = described.prepared()
    if changed == "script":
        (described.folder / "make.py").write_text(SCRIPT.replace("* int", "* 1 * int"))
    if changed == "given":
        (described.folder / "given").write_text("b")
    assert described.prepared(times="3" if changed == "arguments" else "2") != first
    assert described.count() == 2


def test_later_preparations_see_what_earlier_ones_made(described: Described) -> None:
    appending = Preparation(command=("sh", "-c", "echo c >> made"))
    assert (described.prepared(appending) / "made").read_text() == "ababc\n"


@pytest.mark.parametrize(
    "command", [("sh", "-c", "echo no licence; exit 3"), ("no-such-tool-of-anyone",)]
)
def test_a_preparation_that_fails_leaves_nothing(
    command: tuple[str, ...], described: Described
) -> None:
    with pytest.raises(MachineLacksError) as failed:
        described.prepared(Preparation(command=command))
    assert command[0] in failed.value.message
    assert "apt install maker" in failed.value.remedy
    assert described.kept() == []


def test_another_content_than_the_described_one_is_refused(described: Described) -> None:
    with pytest.raises(MachineLacksError, match="SHA-256"):
        described.prepared(sha256="0" * 64)
    assert described.kept() == []


@pytest.mark.parametrize("fault", ["removed", "shortened", "without checksums"])
def test_files_that_are_not_as_they_were_made_are_made_again(
    fault: str, described: Described
) -> None:
    folder = described.prepared()
    if fault == "removed":
        (folder / "made").unlink()
    if fault == "shortened":
        (folder / "made").write_text("ab")
    if fault == "without checksums":
        (folder / ".checksums.json").write_text("{")
    assert described.prepared() == folder
    assert (folder / "made").read_text() == "abab"
    assert described.count() == 2


def test_another_version_of_a_tool_makes_other_files(described: Described) -> None:
    tool = executable(described.cache.parent / "tool", "cp given made")
    step = Preparation(command=(str(tool),))
    first = described.prepared(step)
    executable(tool, "cat given given given > made")
    assert described.prepared(step) != first


def test_tools_do_not_take_themselves_for_ranks(
    described: Described, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"):
        monkeypatch.setenv(name, "1")
    said = Preparation(command=("sh", "-c", 'echo "$PMI_RANK$OMPI_COMM_WORLD_RANK" > made'))
    assert (described.prepared(said) / "made").read_text() == "\n"


def test_a_file_that_was_not_made_is_named(described: Described) -> None:
    with pytest.raises(MachineLacksError, match="made"):
        described.prepared(Preparation(command=("rm", "made")))
    assert described.kept() == []


def test_a_script_that_is_missing_is_named(described: Described) -> None:
    (described.folder / "make.py").unlink()
    with pytest.raises(UsageError, match=r"make\.py"):
        described.prepared()


def test_an_input_that_is_given_may_not_change_meanwhile(described: Described) -> None:
    """Its checksum is that of the description, wherever it is read."""
    given = InputFile(path="given", sha256="0" * 64)
    description = Description(
        name="a",
        title="A",
        command=("a",),
        inputs=(given, InputFile(path="made", made=True)),
        preparations=(Preparation(command=("touch", "made")),),
    )
    with pytest.raises(UsageError, match="given"):
        prepared_inputs(description, described.folder, described.cache, {}, print)
    made = prepared_inputs(
        replace(description, inputs=(InputFile(path="made", made=True),)),
        described.folder,
        described.cache,
        dict(os.environ),
        print,
    )
    assert made.checksums == {"made": checksum_of(made.folder / "made")}


def test_inputs_that_others_may_have_changed_are_refused(described: Described) -> None:
    before = os.umask(0)
    try:
        made = described.prepared()
    finally:
        os.umask(before)
    assert made == described.prepared()
    assert not [path for path in (made, *made.rglob("*")) if path.stat().st_mode & 0o022]
    made.chmod(0o777)
    with pytest.raises(MachineLacksError, match="can be written by every user"):
        described.prepared()
