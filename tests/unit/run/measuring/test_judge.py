"""What becomes of a launch: accepted only where record and placement say so."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from machmeter.apps.judge import OutputFault
from machmeter.layout.assign import assign
from machmeter.model.plan.command import Command
from machmeter.model.plan.launch import (
    RECORD_FORMAT,
    FileState,
    Launch,
    LaunchOutcome,
    Record,
    Verdict,
)
from machmeter.run.measuring import judge as judging
from machmeter.run.measuring.judge import FirstLaunch, judge
from machmeter.store.records import parse_record
from tests.support.fake_launcher import record_lines, small_spec, synthetic_machine
from tests.support.observed_ranks import observed_rank

SPEC = small_spec("small", 8192, 16384)
LAUNCH = Launch(4, SPEC, 99, assign(SPEC.layout, synthetic_machine().topology), round=2)
WHOLE = record_lines(LAUNCH)


def judged(
    record: Record,
    *,
    exit_code: int = 0,
    timed_out: bool = False,
    first: FirstLaunch = FirstLaunch(),  # noqa: B008 - frozen
    launch: Launch = LAUNCH,
) -> LaunchOutcome:
    return judge(
        launch,
        record,
        command=("program",),
        exit_code=exit_code,
        timed_out=timed_out,
        started="now",
        wall_seconds=31.0,
        output="words",
        first=first,
    )


def whole() -> Record:
    return parse_record(b"".join(WHOLE))


def with_point(**changes: object) -> Record:
    """A whole record whose first point is changed."""
    point = msgspec.json.decode(WHOLE[1]) | changes
    return parse_record(WHOLE[0] + msgspec.json.encode(point) + b"\n" + b"".join(WHOLE[2:]))


def test_a_whole_record_from_where_it_was_asked_is_accepted() -> None:
    outcome = judged(whole())
    assert outcome.verdict is Verdict.ACCEPTED
    assert outcome.reasons == ()
    assert outcome.dropped_points == {}
    assert (outcome.launch, outcome.spec, outcome.round) == (4, "small", 2)
    assert (outcome.command, outcome.output, outcome.wall_seconds) == (("program",), "words", 31.0)


def test_completion_is_told_by_the_record_not_by_the_exit_code() -> None:
    outcome = judged(whole(), exit_code=1)
    assert outcome.verdict is Verdict.ACCEPTED
    assert outcome.reasons == ("the program ended with exit code 1 after its record was complete",)


@pytest.mark.parametrize(
    ("lines", "exit_code", "timed_out", "verdict", "words"),
    [
        (0, 0, False, Verdict.INCOMPLETE, "no closing line"),
        (0, 127, False, Verdict.FAILED, "exit code 127"),
        (2, -11, False, Verdict.FAILED, "signal 11"),
        (2, 0, False, Verdict.INCOMPLETE, "no closing line"),
        (2, -9, True, Verdict.TIMED_OUT, "1 of 2 points"),
    ],
)
def test_an_incomplete_record_is_never_used(
    lines: int, exit_code: int, timed_out: bool, verdict: Verdict, words: str
) -> None:
    record = parse_record(b"".join(WHOLE[:lines]))
    outcome = judged(record, exit_code=exit_code, timed_out=timed_out)
    assert outcome.verdict is verdict
    assert words in outcome.reasons[0]


@pytest.mark.parametrize(
    ("exit_code", "timed_out", "verdict"),
    [
        (-9, True, Verdict.TIMED_OUT),
        (-9, False, Verdict.FAILED),
        (0, False, Verdict.INCOMPLETE),
    ],
)
def test_a_launch_that_was_cut_short_says_in_which_point(
    exit_code: int, timed_out: bool, verdict: Verdict
) -> None:
    begun = b'{"kind":"begun","parameters":{"operation":"all\\nto\\u001ball","size":8}}\n'
    outcome = judged(
        parse_record(b"".join(WHOLE[:2]) + begun), exit_code=exit_code, timed_out=timed_out
    )
    assert outcome.verdict is verdict
    assert outcome.reasons[1] == "it was measuring operation=all to all,size=8"
    assert outcome.reasons[2] == "it said: words"


def test_a_launch_that_was_whole_names_no_point() -> None:
    begun = b'{"kind":"begun","parameters":{"size":8192}}\n'
    outcome = judged(parse_record(WHOLE[0] + begun + b"".join(WHOLE[1:])))
    assert outcome.reasons == ()


def test_where_it_ran_comes_before_how_it_ended() -> None:
    lines = record_lines(LAUNCH, cpu_shift=1)
    for kept, exit_code in ((len(lines), 0), (2, -11)):
        outcome = judged(parse_record(b"".join(lines[:kept])), exit_code=exit_code)
        assert outcome.verdict is Verdict.REJECTED
        assert "requested CPUs 0, allowed CPUs 1" in outcome.reasons[0]


def test_a_record_of_another_launch_is_rejected() -> None:
    record = parse_record(b"".join(record_lines(replace(LAUNCH, seed=100))))
    assert judged(record).verdict is Verdict.REJECTED


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"check": {"passed": False, "what": "sum is 3, not 4"}}, "own check failed: sum is 3"),
        ({"page_bytes": 2**21}, "page size"),
        ({"series": {"seconds": []}}, "is empty"),
        ({"series": {"seconds": [1e-9, -1e-9]}}, "not negative"),
        ({"series": {"seconds": [0.0] * 20}}, "is zero"),
        ({"series": {"other": [1e-9]}}, "is missing"),
        ({"parameters": {"size": 16384}}, "recorded 2 times"),
    ],
)
def test_a_point_that_may_not_be_used_is_dropped_alone(
    changes: dict[str, object], words: str
) -> None:
    outcome = judged(with_point(**changes))
    assert outcome.verdict is Verdict.ACCEPTED
    assert any(words in reason for reason in outcome.dropped_points.values())
    used = {p.key for p in SPEC.points} - set(outcome.dropped_points)
    assert len(used) == (0 if "parameters" in changes else 1)


def test_a_program_that_hangs_after_its_record_was_complete_is_accepted() -> None:
    outcome = judged(whole(), exit_code=-15, timed_out=True)
    assert outcome.verdict is Verdict.ACCEPTED
    assert outcome.reasons == (
        "the program hung and was ended after 31 s, after its record was complete",
    )


def test_copies_of_a_program_are_no_contention(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it reports of its own ranks explains where it ran."""
    copies = OutputFault(Verdict.WRONG_PARALLELISM, "the program reports 1 ranks")
    monkeypatch.setattr(judging, "output_faults", lambda *_: (copies,))
    monkeypatch.setattr(judging, "verify", lambda *_: ("other processes took 40 % of its time",))
    outcome = judged(whole())
    assert outcome.verdict is Verdict.WRONG_PARALLELISM
    assert outcome.reasons == (copies.reason, "other processes took 40 % of its time")


def test_others_on_its_cpus_excuse_nothing_that_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "contention_reasons", lambda _: ("others took 40 %",))
    alone = judged(whole())
    assert (alone.verdict, alone.reasons) == (Verdict.CONTENDED, ("others took 40 %",))
    assert alone.disturbed
    wrong = OutputFault(Verdict.WRONG_ANSWER, "energy is 3, not 2")
    monkeypatch.setattr(judging, "output_faults", lambda *_: (wrong,))
    both = judged(whole())
    assert (both.verdict, both.reasons) == (Verdict.WRONG_ANSWER, (wrong.reason,))
    invalid = OutputFault(Verdict.CONTENDED, "cpu-use is 71, below 90")
    monkeypatch.setattr(judging, "output_faults", lambda *_: (invalid,))
    of_output = judged(whole())
    assert (of_output.verdict, of_output.disturbed) == (Verdict.CONTENDED, False)


OF_OTHERS = replace(LAUNCH, spec=replace(SPEC, command=Command(("/bin/solver",), "/", 60.0)))
SEEN = replace(observed_rank(), cpus=(0,))


@pytest.mark.parametrize(
    ("written_as", "ranks", "verdict"),
    [
        (RECORD_FORMAT, 1, Verdict.ACCEPTED),
        (RECORD_FORMAT, 0, Verdict.WRONG_PARALLELISM),
        (RECORD_FORMAT, 2, Verdict.WRONG_PARALLELISM),
        (3, 0, Verdict.ACCEPTED),
        (2, 0, Verdict.ACCEPTED),
        (3, 2, Verdict.WRONG_PARALLELISM),
    ],
)
def test_a_launch_of_which_nobody_saw_the_ranks_is_not_accepted(
    written_as: int, ranks: int, verdict: Verdict
) -> None:
    """Whatever started it ended well and its output looks right. Versions before counted it."""
    record = whole()
    assert record.header is not None
    places = tuple(replace(record.header.places[0], rank=number) for number in range(ranks))
    header = replace(record.header, format=written_as, places=places)
    outcome = judged(replace(record, header=header, observed=(SEEN,) * ranks), launch=OF_OTHERS)
    assert outcome.verdict is verdict
    refused = verdict is not Verdict.ACCEPTED
    assert [f"requested 1, observed {ranks}" in one for one in outcome.reasons] == [True] * refused


@pytest.mark.parametrize(
    ("first", "verdict"),
    [
        ((), Verdict.ACCEPTED),
        (("/usr/lib/openblas/libblas.so.3", "/usr/lib/libmpi.so.40"), Verdict.ACCEPTED),
        (("/usr/lib/blas/libblas.so.3", "/usr/lib/libmpi.so.40"), Verdict.REJECTED),
    ],
)
def test_another_library_than_in_the_first_launch_is_rejected(
    first: tuple[str, ...], verdict: Verdict
) -> None:
    rank = observed_rank(libraries=("/usr/lib/libmpi.so.40", "/usr/lib/openblas/libblas.so.3"))
    record = replace(whole(), observed=(rank,))
    outcome = judged(record, first=FirstLaunch(libraries=first))
    assert outcome.verdict is verdict
    assert any("/usr/lib/blas/" in reason for reason in outcome.reasons) is (
        verdict is Verdict.REJECTED
    )


@pytest.mark.parametrize(("checksum", "verdict"), [("a", "accepted"), ("b", "rejected")])
def test_a_launch_of_another_program_is_rejected(checksum: str, verdict: str) -> None:
    record = whole()
    assert record.header is not None
    given = FileState("/bin/solver", 1, 1, checksum * 64)
    header = replace(record.header, inputs=(given,))
    first = FirstLaunch(inputs={"/bin/solver": FileState("/bin/solver", 1, 1, "a" * 64)})
    record = replace(record, header=header, observed=(SEEN,))
    outcome = judged(record, first=first, launch=OF_OTHERS)
    assert outcome.verdict == verdict
    assert all("/bin/solver" in one for one in outcome.reasons)
