"""OpenMP runtimes, allocators and BLAS by file name, and what a launch must have observed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.layout.libraries import (
    ALLOCATORS,
    OPENMP_RUNTIMES,
    allocator_named,
    can_serve,
    is_one_threaded_blas,
    library_reasons,
    openmp_runtime_named,
)
from machmeter.model.layout import Layout


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("libgomp.so.1", "libgomp"),
        ("libgomp.so.1.0.0", "libgomp"),
        ("libgomp-a34b3233.so.1", "libgomp"),
        ("libomp.so", "libomp"),
        ("libomp-14.so.5", "libomp"),
        ("libiomp5.so", "libiomp5"),
        ("libomptarget.so", ""),
        ("libompd.so", ""),
        ("libompitrace.so.40", ""),
        ("libgomp-plugin-nvptx.so.1", ""),
        ("libiomp5_db.so", ""),
        ("libiompstubs5.so", ""),
        ("static", ""),
        ("", ""),
    ],
)
def test_runtimes_are_told_from_their_helpers(file: str, name: str) -> None:
    assert openmp_runtime_named(file) == name


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("libc.so.6", "glibc"),
        ("libc-2.31.so", "glibc"),
        ("libjemalloc.so.2", "jemalloc"),
        ("libtcmalloc.so.4", "tcmalloc"),
        ("libtcmalloc_minimal.so.4.5.10", "tcmalloc"),
        ("libmimalloc.so.2.0", "mimalloc"),
        ("libtcmalloc_minimal_debug.so.4", ""),
        ("libmimalloc-debug.so.2", ""),
        ("libc.musl-x86_64.so.1", ""),
        ("ld-musl-x86_64.so.1", ""),
        ("machmeter-node", ""),
    ],
)
def test_allocators_are_told_from_their_variants(file: str, name: str) -> None:
    assert allocator_named(file) == name


@given(st.text(max_size=40))
def test_any_file_name_has_an_answer(file: str) -> None:
    assert openmp_runtime_named(file) in ("", *OPENMP_RUNTIMES)
    assert allocator_named(file) in ("", *ALLOCATORS)


def test_only_gcc_s_runtime_serves_nobody_else() -> None:
    serving = {
        linked: {runtime for runtime in OPENMP_RUNTIMES if can_serve(runtime, linked)}
        for linked in (*OPENMP_RUNTIMES, "")
    }
    assert serving == {
        "libgomp": {"libgomp", "libomp", "libiomp5"},
        "libomp": {"libomp", "libiomp5"},
        "libiomp5": {"libomp", "libiomp5"},
        "": set(),
    }


@given(st.sampled_from(("", *OPENMP_RUNTIMES)), st.sampled_from(("", *ALLOCATORS)))
def test_what_is_asked_must_be_observed(openmp: str, allocator: str) -> None:
    layout = Layout(openmp=openmp, allocator=allocator)
    observed = {"openmp": "libomp-14.so.5", "allocator": "libjemalloc.so.2"}
    reasons = "\n".join(library_reasons(layout, observed))
    wrong_runtime, wrong_allocator = openmp not in ("", "libomp"), allocator not in ("", "jemalloc")
    assert (f"requested {openmp}, observed libomp-14.so.5" in reasons) is wrong_runtime
    assert (f"requested {allocator}, observed libjemalloc.so.2" in reasons) is wrong_allocator
    assert bool(reasons) is (wrong_runtime or wrong_allocator)


def test_records_that_tell_nothing_do_not_pass_for_what_was_asked() -> None:
    assert library_reasons(Layout(openmp="libomp", allocator="glibc"), {}) == [
        "OpenMP runtime: requested libomp, observed none",
        "allocator: requested glibc, observed none",
    ]
    assert library_reasons(Layout(), {}) == []


@pytest.mark.parametrize(
    ("path", "is_one_threaded"),
    [
        ("/usr/lib/x86_64-linux-gnu/blas/libblas.so.3.11.0", True),
        ("/usr/lib64/libblas.so.3.12.1", True),
        ("/usr/lib/x86_64-linux-gnu/openblas-serial/libblas.so.3", True),
        ("/usr/lib/x86_64-linux-gnu/openblas-pthread/libblas.so.3", False),
        ("/usr/lib/x86_64-linux-gnu/atlas/libblas.so.3.10.3", False),
        ("/usr/lib64/libopenblasp-r0.3.26.so", False),
        ("/usr/lib/x86_64-linux-gnu/libmkl_rt.so", False),
        ("", False),
    ],
)
def test_a_blas_of_one_thread_is_told_by_its_file(path: str, *, is_one_threaded: bool) -> None:
    assert is_one_threaded_blas(path) == is_one_threaded
