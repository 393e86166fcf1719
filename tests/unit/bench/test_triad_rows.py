from bench.comparisons.triad_rows import Lineup, lineup_rows
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


def rows_of(rates: dict[str, float]) -> dict[str, tuple[str, float, str, TargetVerdict]]:
    """By the words after the thread count: the peer, the ratio, the target and its verdict."""
    figures = {name: {"mean": {1: rate, 2: rate * 1.001}} for name, rate in rates.items()}
    rows = {}
    for row in lineup_rows(LINEUP, RoundResults(figures, {}, rounds=2)):
        what, peer = row.what.split("\n: ")
        rows[what.rsplit(", ", 1)[1]] = (peer, round(row.ratio, 3), row.target, row.verdict)
    return rows


def test_the_same_kernel_has_the_target_and_four_arrays_are_shown() -> None:
    rows = rows_of({BEST: 40e9, STREAM_LOOP: 27e9, TRIAD_LOOP: 35e9})
    assert rows["same kernel"] == ("likwid stream_mem_avx512", 1.481, ">= 1.3", TargetVerdict.PASS)
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
    assert set(rows_of({BEST: 40e9, TEMPORAL: 20e9})) == {"highest triad", "highest loop"}
