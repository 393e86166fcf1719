import pytest
from msgspec.structs import replace

from bench.comparisons.triad_rows import Lineup, lineup_rows, target_note
from bench.rounds import RoundResults
from bench.verdicts import TargetVerdict

BEST = "machmeter triad nontemporal, 2 MiB pages, 2"
TEMPORAL = "machmeter triad temporal, 4 KiB pages, 2"
WRITE = "machmeter write nontemporal, 2 MiB pages, 2"
STREAM_LOOP, TRIAD_LOOP = "likwid stream_mem_avx512, 2", "likwid triad_mem_avx512, 2"
LINEUP = Lineup(
    threads=2,
    page_bytes=2 * 2**20,
    best=BEST,
    temporal=TEMPORAL,
    stream_loops=(STREAM_LOOP,),
    triad_loops=(TRIAD_LOOP,),
    same_loop="",
    stream="",
    others=(WRITE,),
    contenders=(),
)
ON_ZEN4 = {"vendor_id": "AuthenticAMD", "cpu family": "25", "model": "17"}
ON_ZEN3 = ON_ZEN4 | {"model": "1"}


def rows_of(
    rates: dict[str, float], lineup: Lineup = LINEUP, cpuinfo: dict[str, str] = ON_ZEN4
) -> dict[str, tuple[str, float, str, TargetVerdict]]:
    """By the words after the thread count: the peer, the ratio, the target and its verdict."""
    figures = {name: {"mean": {1: rate, 2: rate * 1.001}} for name, rate in rates.items()}
    rows = {}
    for row in lineup_rows(lineup, RoundResults(figures, {}, rounds=2), cpuinfo):
        what, peer = row.what.split("\n: ")
        rows[what.rsplit(", ", 1)[1]] = (peer, round(row.ratio, 3), row.target, row.verdict)
    return rows


def test_the_same_kernel_has_the_target_and_four_arrays_are_shown() -> None:
    rows = rows_of({BEST: 40e9, STREAM_LOOP: 27e9, TRIAD_LOOP: 35e9})
    assert rows["same kernel"] == (
        "likwid stream_mem_avx512",
        1.481,
        ">= 1.3 on Zen 4",
        TargetVerdict.PASS,
    )
    assert rows["kernel of four arrays"] == (
        "likwid triad_mem_avx512",
        1.143,
        "",
        TargetVerdict.SHOWN,
    )
    assert rows["highest triad"] == (
        "likwid triad_mem_avx512",
        1.143,
        ">= 0.95",
        TargetVerdict.PASS,
    )


def test_the_highest_loop_of_either_has_its_target_too() -> None:
    rows = rows_of({BEST: 40e9, TEMPORAL: 20e9, WRITE: 50e9, STREAM_LOOP: 27e9})
    assert rows["highest loop"] == (
        "machmeter write nontemporal, 2 MiB pages",
        0.8,
        ">= 0.95",
        TargetVerdict.MISSED,
    )
    assert rows["highest triad"][3] is TargetVerdict.PASS


def test_a_peer_that_is_missing_has_no_row() -> None:
    without = replace(LINEUP, stream_loops=(), triad_loops=())
    assert set(rows_of({BEST: 40e9, TEMPORAL: 20e9}, without)) == {"highest triad", "highest loop"}


def test_a_loop_that_failed_leaves_the_row_to_the_others() -> None:
    two = replace(LINEUP, stream_loops=("likwid stream_mem, 2", STREAM_LOOP))
    rows = rows_of({BEST: 40e9, STREAM_LOOP: 27e9, TRIAD_LOOP: 35e9}, two)
    assert rows["same kernel"][0] == "likwid stream_mem_avx512"
    assert TargetVerdict.FAILED not in {row[3] for row in rows.values()}


def test_a_row_whose_loops_all_failed_says_so() -> None:
    rows = rows_of({BEST: 40e9, TEMPORAL: 20e9, TRIAD_LOOP: 35e9})
    assert rows["same kernel"][0] == "likwid stream_mem_avx512"
    assert rows["same kernel"][3] is TargetVerdict.FAILED
    assert rows["highest triad"][3] is TargetVerdict.PASS


def test_the_target_of_zen_4_is_not_judged_on_another_cpu() -> None:
    rates = {BEST: 40e9, STREAM_LOOP: 39e9, TRIAD_LOOP: 35e9}
    assert rows_of(rates)["same kernel"][3] is TargetVerdict.MISSED
    rows = rows_of(rates, cpuinfo=ON_ZEN3)
    assert rows["same kernel"][2:] == (">= 1.3 on Zen 4", TargetVerdict.NOT_JUDGED)
    assert rows["highest triad"][3] is TargetVerdict.PASS


@pytest.mark.parametrize(
    ("cpuinfo", "end"),
    [
        (ON_ZEN4, "this CPU is AuthenticAMD family 25, model 0x11, so it is judged"),
        (ON_ZEN4 | {"model": "97"}, "model 0x61, so it is judged"),
        (ON_ZEN3, "this CPU is AuthenticAMD family 25, model 0x1, so it is not judged"),
        (ON_ZEN4 | {"model": "80"}, "model 0x50, so it is not judged"),
        (ON_ZEN4 | {"cpu family": "26"}, "family 26, model 0x11, so it is not judged"),
        (ON_ZEN4 | {"vendor_id": "GenuineIntel"}, "model 0x11, so it is not judged"),
        ({}, "so it is not judged"),
    ],
)
def test_the_note_says_for_which_cpus_the_target_is(cpuinfo: dict[str, str], end: str) -> None:
    note = target_note(cpuinfo)
    assert ">= 1.3 on Zen 4: Zen 4 is AuthenticAMD family 25, models 0x10-0x1f, 0x60-0xaf" in note
    assert note.endswith(end)
