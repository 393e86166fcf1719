"""What several libraries of one process come to together."""

from __future__ import annotations

from pathlib import Path

from machmeter.build.loaded_libraries import (
    LibrarySetting,
    found_in,
    library_environment,
    preloaded,
)


def test_libraries_compose_in_their_order_before_those_of_the_caller() -> None:
    settings = (
        LibrarySetting(variables={"OPAL_PREFIX": "/mpi"}),
        found_in(Path("/runtime")),
        preloaded("/lib/liballocator.so"),
        preloaded("/lib/libprofiler.so"),
        found_in(Path("/more")),
    )
    assert library_environment(settings, {"LD_LIBRARY_PATH": "/own", "LD_PRELOAD": "/x.so"}) == {
        "OPAL_PREFIX": "/mpi",
        "LD_LIBRARY_PATH": "/runtime:/more:/own",
        "LD_PRELOAD": "/lib/liballocator.so:/lib/libprofiler.so",
    }


def test_without_libraries_nothing_is_set() -> None:
    assert library_environment((), {"LD_LIBRARY_PATH": "/own", "LD_PRELOAD": "/x.so"}) == {}
