"""OpenMP runtimes and allocators, found where loaders, distributions and compilers keep them."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.machine.libraries import (
    find_allocators,
    find_blas,
    find_openmp_runtimes,
    is_library,
    parse_loader_cache,
)
from tests.support.made_up.tools import tool

# A shared library of this machine's kind, as far as is looked at: ELF header with ET_DYN.
OURS = Path("/proc/self/exe").read_bytes()[:20]
LIBRARY = OURS[:16] + (3).to_bytes(2, sys.byteorder) + OURS[18:20]
OTHER_CLASS = LIBRARY[:4] + bytes([3 - LIBRARY[4]]) + LIBRARY[5:]
SCRIPT = b"/* GNU ld script */\nINPUT(libgomp.so.1 -lm)\n"
NOWHERE = {"PATH": "/nowhere"}


def library(folder: Path, name: str, content: bytes = LIBRARY) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(content)
    return path


def test_links_are_followed_to_what_they_lead_to(tmp_path: Path) -> None:
    llvm = library(tmp_path / "usr/lib/llvm-14/lib", "libomp.so.5")
    multiarch = tmp_path / "usr/lib/x86_64-linux-gnu"
    gomp = library(multiarch, "libgomp.so.1.0.0")
    (multiarch / "libgomp.so.1").symlink_to("libgomp.so.1.0.0")
    (multiarch / "libiomp5.so").symlink_to("../llvm-14/lib/libomp.so.5")
    (multiarch / "libomp.so").symlink_to("nothing")
    assert find_openmp_runtimes(tmp_path) == {"libgomp": str(gomp), "libomp": str(llvm)}


def test_a_link_that_leads_to_itself_is_passed_over(tmp_path: Path) -> None:
    folder = tmp_path / "usr/lib64"
    llvm = library(folder, "libomp.so.5")
    (folder / "libgomp.so.1").symlink_to("libgomp.so.1")
    (folder / "libiomp5.so").symlink_to("libiomp5.so.1")
    (folder / "libiomp5.so.1").symlink_to("libiomp5.so")
    assert find_openmp_runtimes(tmp_path) == {"libomp": str(llvm)}


def test_what_is_no_library_of_this_processor_does_not_count(tmp_path: Path) -> None:
    folder = tmp_path / "usr/lib64"
    library(folder, "libgomp.so.1", SCRIPT)
    library(folder, "libomp.so", OTHER_CLASS)
    library(folder, "libiomp5.so", LIBRARY[:10])
    assert find_openmp_runtimes(tmp_path) == {}
    assert not is_library(folder)
    assert not is_library(folder / "missing")
    assert not is_library(Path("/proc/self/exe").parent / "cmdline")


def test_the_newest_of_several_comes_first(tmp_path: Path) -> None:
    for version in (14, 18, 16):
        library(tmp_path / f"usr/lib/llvm-{version}/lib", "libomp.so.5")
    assert "llvm-18" in find_openmp_runtimes(tmp_path)["libomp"]


def test_allocators_by_the_folders_of_distributions(tmp_path: Path) -> None:
    folder = tmp_path / "usr/lib/aarch64-linux-gnu"
    names = ("libc.so.6", "libjemalloc.so.2", "libtcmalloc_minimal.so.4", "libmimalloc.so.2.0")
    paths = [str(library(folder, name)) for name in names]
    library(folder, "libtcmalloc_minimal_debug.so.4")
    found = find_allocators(tmp_path)
    assert list(found.items()) == list(
        zip(("glibc", "jemalloc", "tcmalloc", "mimalloc"), paths, strict=True)
    )


def test_a_machine_with_nothing_has_nothing(tmp_path: Path) -> None:
    assert find_openmp_runtimes(tmp_path) == {}
    assert find_allocators(tmp_path) == {}


def test_the_blas_of_the_system_has_one_name_whatever_it_leads_to(tmp_path: Path) -> None:
    assert find_blas(tmp_path) == {}
    real = library(tmp_path / "usr" / "lib64", "libopenblasp-r0.3.26.so")
    (real.parent / "libblas.so").symlink_to(real)
    assert find_blas(tmp_path) == {}
    (real.parent / "libblas.so.3").symlink_to(real)
    assert find_blas(tmp_path) == {"system": str(real)}


def test_the_caller_s_library_path_comes_before_all(tmp_path: Path) -> None:
    own = library(tmp_path / "own ü", "libomp.so")
    environment = {**NOWHERE, "LD_LIBRARY_PATH": f"relative:{tmp_path / 'missing'}:{own.parent}"}
    assert find_openmp_runtimes(environment=environment)["libomp"] == str(own)


def test_the_loader_s_cache_is_asked(tmp_path: Path) -> None:
    own = library(tmp_path / "far", "libiomp5.so")
    tool(tmp_path / "bin", "ldconfig", f"echo; echo '\tlibiomp5.so (libc6,x86-64) => {own}'")
    found = find_openmp_runtimes(environment={"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"})
    assert found["libiomp5"] == str(own)


def test_compilers_are_asked_for_their_own(tmp_path: Path) -> None:
    own = library(tmp_path / "intel", "libiomp5.so")
    tool(tmp_path / "bin", "icpx", f"echo {own}")
    for failing in ("ldconfig", "g++", "clang++"):
        tool(tmp_path / "bin", failing, "echo libomp.so; exit 1")
    found = find_openmp_runtimes(environment={"PATH": str(tmp_path / "bin")})
    assert found["libiomp5"] == str(own)


def test_paths_in_the_loader_s_cache() -> None:
    text = (
        "3 libs found in cache `/etc/ld.so.cache'\n"
        "\tlibgomp.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libgomp.so.1\n"
        "\tlibc.so.6 (libc6, OS ABI: Linux 3.2.0) => /lib32/libc.so.6\n"
        "\tlibz.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libz.so.1\n"
        "\tlibjemalloc.so.2 (libc6) => /opt/a folder/libjemalloc.so.2\n"
    )
    assert [str(path) for path in parse_loader_cache(text)] == [
        "/lib/x86_64-linux-gnu/libgomp.so.1",
        "/lib32/libc.so.6",
        "/opt/a folder/libjemalloc.so.2",
    ]


@given(st.text(max_size=200))
def test_any_output_of_ldconfig_can_be_read(text: str) -> None:
    assert all(path.is_absolute() for path in parse_loader_cache(text))


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_the_c_library_of_this_machine_is_found() -> None:
    assert is_library(Path(find_allocators()["glibc"]))


def test_without_glibc_there_is_none_of_that_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "libc_ver", lambda: ("", ""))
    assert "glibc" not in find_allocators()
