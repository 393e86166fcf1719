"""A run as the file of a machine: the same results are read from it."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.analysis.matching.compare_machines import compare_machines
from machmeter.api.loading import load
from machmeter.benchmarks.catalogue import is_primary
from machmeter.importing.write import machine_toml
from machmeter.model.results.run import RunResult
from machmeter.published.load import machine_in
from machmeter.published.machine import machine_results
from machmeter.run.compare.machine_file import machine_of_run
from machmeter.run.compare.run_as_machine import run_as_machine
from tests.support.cli_calls import call
from tests.support.golden.nouns import unpack


@pytest.fixture
def measured(home: Path) -> RunResult:
    """A real run: launches of made-up ones do not give their results."""
    unpack(home)
    return load(home / "runs" / "plain").result


def test_every_result_is_read_again_with_its_interval(measured: RunResult) -> None:
    made, left = machine_of_run(measured, "own")
    again = machine_results(machine_in(machine_toml(made).encode(), "own.toml"))
    here = run_as_machine(measured)
    own = {
        (one.point, one.metric): one
        for one in here.estimates
        if is_primary(one) and one.resolved and one.value > 0 and one.launches > 1
    }
    assert len(again.estimates) == len(own)
    assert left == sum(map(is_primary, here.estimates)) - len(own)
    for one in again.estimates:
        first = own[one.point, one.metric]
        assert one.value == pytest.approx(first.value, rel=1e-9)
        assert (one.low, one.high) == pytest.approx((first.low, first.high), rel=1e-6)
        assert one.launches == first.launches


def test_a_run_is_like_its_own_file(measured: RunResult) -> None:
    made, _ = machine_of_run(measured)
    compared = compare_machines(run_as_machine(measured), machine_results(made))
    assert compared.results
    assert compared.refusals == ()
    for one in compared.results:
        for basis in one.by.values():
            assert basis.ratio == pytest.approx(1.0, rel=1e-6)


def test_all_nodes_that_were_measured_are_counted(measured: RunResult) -> None:
    first, *others = measured.estimates
    point = replace(first.point, layout=replace(first.point.layout, nodes=3))
    made, _ = machine_of_run(replace(measured, estimates=(replace(first, point=point), *others)))
    cores = len(measured.header.machine.topology.usable_cores)
    assert (made.counts.nodes, made.counts.cores) == (3, 3 * cores)


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("simulated", (), "simulated"),
        ("plain", ("--id", "No Id"), "invalid machine ID"),
        ("plain", ("-o", "there.toml"), "exists"),
        ("nothing", (), "no run"),
    ],
)
def test_what_is_no_machine_is_refused(
    capfd: pytest.CaptureFixture[str],
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    words: tuple[str, ...],
    said: str,
) -> None:
    unpack(home)
    monkeypatch.chdir(tmp_path)
    Path("there.toml").write_text("kept")
    stored = home / "runs" / name
    source = str(stored) if stored.is_dir() else name
    code, _, err = call(capfd, "machine", "from-run", source, "-o", "new.toml", *words)
    assert code == 2
    assert said in err
    assert Path("there.toml").read_text() == "kept"
    assert not Path("new.toml").exists()


def test_a_folder_of_nodes_is_compared_with(
    capfd: pytest.CaptureFixture[str], home: Path, tmp_path: Path
) -> None:
    unpack(home)
    folder = tmp_path / "nodes"
    folder.mkdir()
    runs = {name: str(home / "runs" / name) for name in ("plain", "other")}
    for name, run in runs.items():
        file = str(folder / f"of-{name}.toml")
        assert call(capfd, "machine", "from-run", run, "-o", file, "--id", f"of-{name}")[0] == 0
    words = ("compare", runs["plain"], "normal", "--beside", str(folder), "--all")
    code, out, _ = call(capfd, *words)
    assert code == 0
    assert "of-other " in out
    # A run is not compared with the file that was made of it.
    assert "of-plain" not in out
