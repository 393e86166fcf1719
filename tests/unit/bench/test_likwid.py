import pytest

from bench.likwid import STREAM_ARRAYS, knows_loops_of, runnable_loops, same_loop, widest

NAMES = (
    "clcopy",
    "copy",
    "copy_mem_avx512",
    "daxpy_avx",
    "load_avx",
    "stream",
    "stream_avx",
    "stream_avx_fma",
    "stream_avx512",
    "stream_avx512_fma",
    "stream_mem",
    "stream_mem_avx512",
    "stream_mem_avx_fma",
    "stream_sp_avx",
    "stream_sse_fma",
    "triad_avx512_fma",
    "sum_avx512",
)
ZEN4 = ("sse2", "avx", "fma", "avx512f")


def test_single_precision_and_other_loops_are_skipped() -> None:
    loops = runnable_loops(NAMES, ZEN4, ("stream", "triad"))
    assert "stream_sp_avx" not in loops
    assert all(loop.split("_")[0] in ("stream", "triad") for loop in loops)
    assert set(loops) == {n for n in NAMES if n.startswith(("stream", "triad"))} - {"stream_sp_avx"}


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ((), {"stream", "stream_mem"}),
        (("sse2", "avx"), {"stream", "stream_avx", "stream_mem"}),
        (
            ("sse2", "avx", "fma"),
            {
                *("stream", "stream_avx", "stream_avx_fma", "stream_mem", "stream_mem_avx_fma"),
                "stream_sse_fma",
            },
        ),
    ],
)
def test_only_loops_whose_instructions_the_cpu_has_are_run(features, expected) -> None:
    assert set(runnable_loops(NAMES, features, ("stream",))) == expected


def test_widest_keeps_the_widest_vectors_there_are() -> None:
    assert widest(("copy", "copy_mem_avx512", "load_avx")) == ("copy_mem_avx512",)
    assert widest(("copy", "load")) == ("copy", "load")
    assert widest(()) == ()


@pytest.mark.parametrize(
    ("features", "expected"),
    [(ZEN4, "stream_avx512_fma"), (("avx",), "stream_avx"), ((), "stream")],
)
def test_the_same_loop_stores_through_caches_and_is_fused_where_it_can_be(
    features, expected
) -> None:
    assert same_loop(runnable_loops(NAMES, features, ("stream",))) == expected


def test_loops_of_another_architecture_are_not_taken_for_those_of_x86() -> None:
    assert knows_loops_of(ZEN4)
    assert not knows_loops_of(("asimd", "sve"))


def test_no_loop_is_the_same_where_there_is_none() -> None:
    assert not same_loop(())


def test_every_family_that_is_surveyed_has_its_stream_arrays() -> None:
    assert set(STREAM_ARRAYS) == {"stream", "triad", "copy", "load", "store", "update"}
