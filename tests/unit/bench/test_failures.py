"""What bench says and returns where launches fail."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from bench import command
from bench.comparisons.triad import _survey_likwid
from bench.context import Outcome, empty_outcome
from bench.likwid import LikwidBench
from bench.options import parse_options
from bench.peers import PeerPrograms
from bench.rounds import Contender, ContenderError
from bench.table import row_cells
from bench.verdicts import Row, Target, TargetVerdict, measured_row
from machmeter.model.units import SECONDS


def _row(ours: dict[int, float], peer: dict[int, float]) -> Row:
    return measured_row(
        "x", ours, peer, unit=SECONDS, higher_is_better=False, statistic="mean", target=Target()
    )


def test_a_row_needs_two_rounds_with_both() -> None:
    assert _row({1: 1.0, 2: 1.0}, {1: 2.0, 2: 2.0}).ratio == pytest.approx(2.0)
    for ours, peer in (({1: 1.0, 2: 1.0}, {2: 2.0, 3: 2.0}), ({1: 1.0, 2: 1.0}, {}), ({}, {})):
        row = _row(ours, peer)
        assert row.verdict is TargetVerdict.FAILED
        assert (row_cells(row)[3], row_cells(row)[5]) == ("-", "0")
        assert "failed" in row_cells(row)[-1]


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (Outcome("x", [_row({}, {})], [], [], ["likwid stream: it broke"]), 1),
        (Outcome("x", [], [], [], ["hpcc: it broke"]), 1),
        (Outcome("x", [_row({1: 1.0, 2: 1.0}, {1: 1.0, 2: 1.0})], [], [], ["stream_mem: -"]), 0),
        (Outcome("x", [], [], ["hpcc is not installed"], []), 0),
    ],
)
def test_the_exit_code_is_1_where_failures_left_no_result(
    outcome: Outcome,
    expected: int,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MACHMETER_CACHE", str(tmp_path))
    monkeypatch.setitem(command._COMPARE, "hpcc", lambda _bench: outcome)  # type: ignore[arg-type]
    assert command.main(["--only", "hpcc", "--json"]) == expected
    assert list(json.loads(capsys.readouterr().out)["outcomes"]) == ["hpcc"]


def test_a_peer_that_dies_of_a_signal_is_said_to() -> None:
    peers = PeerPrograms(None, None, os.environ)  # type: ignore[arg-type]
    with pytest.raises(ContenderError, match=r"signal 11 \(Segmentation fault\).*it said this"):
        peers.run_unbound(("sh", "-c", "echo it said this; kill -SEGV $$"))


class _Loops(LikwidBench):
    """likwid-bench with four loops, of which some end by a signal; one has no description."""

    def __init__(self, bad: Callable[[str], bool]) -> None:
        self._bad = bad

    def names(self) -> tuple[str, ...]:
        return ("stream", "stream_mem", "stream_sse", "triad")

    def contender(self, loop: str, threads: int) -> Contender:
        if loop == "triad":
            raise ValueError("the output lacks Number of streams")

        def start(_round: int) -> dict[str, float]:
            if self._bad(loop):
                raise ContenderError("ended by signal 11 (Segmentation fault)")
            return {"mean": 1e9}

        return Contender(f"likwid {loop}, {threads}", start)


class _Machine:
    features = ("sse2",)


class _Bench:
    machine = _Machine()
    options = parse_options([])


@pytest.mark.parametrize(
    ("bad", "left"),
    [
        (lambda loop: loop == "stream_mem", {"stream", "stream_sse"}),
        (lambda _loop: True, set()),
    ],
)
def test_a_loop_that_fails_is_named_and_takes_no_other_with_it(
    bad: Callable[[str], bool], left: set[str]
) -> None:
    outcome = empty_outcome("x")
    found = _survey_likwid(_Bench(), _Loops(bad), 2, outcome)  # type: ignore[arg-type]
    assert set(found) == left
    assert "likwid stream_mem, 2: ended by signal 11 (Segmentation fault)" in outcome.failures
    assert "likwid triad, 2: the output lacks Number of streams" in outcome.failures
    assert len(outcome.failures) == 4 - len(left)
