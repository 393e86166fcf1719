"""What a launch's environment says so that another OpenMP runtime or allocator serves it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.benchmarks.compute import GEMM
from machmeter.benchmarks.lu import LU
from machmeter.build.loaded_libraries import library_environment
from machmeter.launch.libraries import Libraries, library_settings, linked_runtime
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.point import make_point
from tests.support.fake_launcher import small_spec
from tests.support.made_up.tools import tool

NAMES = {"libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so"}


@pytest.fixture
def libraries(tmp_path: Path) -> Libraries:
    """Files stand for libraries: nothing here loads them."""
    folder = tmp_path / "libraries"
    folder.mkdir()
    files = {
        "libgomp": "libgomp.so.1.0.0",
        "libomp": "libomp.so.5",
        "libiomp5": "libiomp5.so",
        "glibc": "libc.so.6",
        "jemalloc": "libjemalloc.so.2",
    }
    for file in files.values():
        (folder / file).touch()
    paths = {name: str(folder / file) for name, file in files.items()}
    return Libraries(
        tmp_path / "cache ü",
        {name: path for name, path in paths.items() if "omp" in name},
        {name: path for name, path in paths.items() if "omp" not in name},
        {"openblas": paths["libgomp"]},
    )


def spec_of(**layout: str) -> LaunchSpec:
    return small_spec(layout=Layout(**layout))


def settings(libraries: Libraries, linked: str = "libgomp", **layout: str) -> dict[str, str]:
    return library_environment(library_settings(spec_of(**layout), linked, libraries), {})


def test_what_a_layout_does_not_name_stays_as_linked(libraries: Libraries) -> None:
    assert settings(libraries) == {}
    assert not libraries.cache.exists()


@pytest.mark.parametrize("linked", ["libgomp", "libomp"])
def test_the_defaults_by_name_are_the_defaults(libraries: Libraries, linked: str) -> None:
    assert settings(libraries, linked, openmp=linked, allocator="glibc") == {}


@pytest.mark.parametrize("linked", ["libgomp", "libomp", "libiomp5"])
def test_a_runtime_serves_under_every_name_that_programs_ask_for(
    libraries: Libraries, linked: str
) -> None:
    runtime = "libomp" if linked == "libiomp5" else "libiomp5"
    folder = Path(settings(libraries, linked, openmp=runtime)["LD_LIBRARY_PATH"])
    assert {path.name for path in folder.iterdir()} == NAMES
    for path in folder.iterdir():
        assert path.resolve() == Path(libraries.openmp_runtimes[runtime])


def test_links_are_made_once_and_mended(libraries: Libraries) -> None:
    asked = {"openmp": "libomp"}
    folder = Path(settings(libraries, **asked)["LD_LIBRARY_PATH"])
    (folder / "libgomp.so.1").unlink()
    (folder / "libgomp.so.1").symlink_to("/elsewhere")
    made = (folder / "libomp.so").lstat().st_mtime_ns
    assert settings(libraries, **asked) == {"LD_LIBRARY_PATH": str(folder)}
    assert (folder / "libgomp.so.1").resolve() == Path(libraries.openmp_runtimes["libomp"])
    assert (folder / "libomp.so").lstat().st_mtime_ns == made
    assert {path.name for path in folder.iterdir()} == NAMES


def test_the_caller_s_own_folders_are_still_searched_after_it(libraries: Libraries) -> None:
    caller = {"LD_LIBRARY_PATH": "/opt/lib:/opt/more"}
    wanted = library_settings(spec_of(openmp="libomp"), "libgomp", libraries)
    found = library_environment(wanted, caller)
    assert found["LD_LIBRARY_PATH"].endswith(":/opt/lib:/opt/more")


def test_an_allocator_is_preloaded(libraries: Libraries, tmp_path: Path) -> None:
    path = tmp_path / "libraries" / "libjemalloc.so.2"
    assert settings(libraries, allocator="jemalloc") == {"LD_PRELOAD": str(path)}


@pytest.mark.parametrize(
    ("linked", "layout", "words"),
    [
        ("libomp", {"openmp": "libgomp"}, "cannot serve programs compiled for libomp"),
        ("", {"openmp": "libomp"}, "ask for no OpenMP runtime"),
        ("libgomp", {"openmp": "libother"}, "no OpenMP runtime libother"),
        ("libgomp", {"allocator": "hoard"}, "no allocator hoard"),
    ],
)
def test_what_cannot_serve_is_refused_with_words(
    libraries: Libraries, linked: str, layout: dict[str, str], words: str
) -> None:
    with pytest.raises(MachineLacksError, match=words) as caught:
        settings(libraries, linked, **layout)
    assert caught.value.remedy


def test_a_library_that_is_gone_is_told(libraries: Libraries) -> None:
    Path(libraries.allocators["jemalloc"]).unlink()
    with pytest.raises(MachineLacksError, match="not where it was found"):
        settings(libraries, allocator="jemalloc")


def test_names_that_the_loader_would_cut_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    (folder / "libjemalloc.so.2").touch()
    (tmp_path / "libomp.so").touch()
    spaced = Libraries(tmp_path, allocators={"jemalloc": str(folder / "libjemalloc.so.2")})
    with pytest.raises(MachineLacksError, match="cannot be preloaded"):
        settings(spaced, allocator="jemalloc")
    cut = Libraries(tmp_path / "a:b", {"libomp": str(tmp_path / "libomp.so")})
    with pytest.raises(MachineLacksError, match="cannot be searched"):
        settings(cut, openmp="libomp")


def test_a_cache_that_cannot_be_written_is_told(libraries: Libraries) -> None:
    libraries.cache.write_text("a file")
    with pytest.raises(MachineLacksError, match="cannot write"):
        settings(libraries, openmp="libomp")


@pytest.mark.parametrize(
    ("needed", "runtime"),
    [
        ("libm.so.6 => /lib/libm.so.6 (0x1)\n\tlibgomp.so.1 => /shim/libomp.so (0x2)", "libgomp"),
        ("libomp.so.5 => not found", "libomp"),
        ("libiomp5.so => /opt/intel/libiomp5.so", "libiomp5"),
        ("libc.so.6 => /lib/libc.so.6", ""),
        ("\tstatically linked", ""),
    ],
)
def test_the_linked_runtime_is_the_one_the_program_asks_for(
    tmp_path: Path, needed: str, runtime: str
) -> None:
    tool(tmp_path, "ldd", f"printf '%s\\n' '{needed}'")
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    assert linked_runtime("program", environment) == runtime


def test_a_program_without_openmp_asks_for_none() -> None:
    assert linked_runtime(sys.executable, os.environ) == ""


def test_an_ldd_that_fails_is_told(tmp_path: Path) -> None:
    with pytest.raises(MachineLacksError, match="asking which libraries"):
        linked_runtime(str(tmp_path / "missing"), os.environ)


@pytest.mark.parametrize("benchmark", [GEMM.name, LU.name])
def test_a_launch_that_calls_openblas_is_given_its_path(
    benchmark: str, libraries: Libraries
) -> None:
    point = make_point(benchmark, {"library": "openblas", "order": 64}, Layout())
    calls = replace(spec_of(), benchmark=benchmark, points=(point,))
    variables = library_environment(library_settings(calls, "libgomp", libraries), {})
    assert variables == {"MACHMETER_OPENBLAS": libraries.blas["openblas"]}
    assert library_settings(calls, "libgomp", replace(libraries, blas={})) == ()


def test_links_that_others_may_have_put_there_are_not_loaded(libraries: Libraries) -> None:
    folder = Path(settings(libraries, openmp="libomp")["LD_LIBRARY_PATH"].partition(":")[0])
    folder.chmod(0o777)
    with pytest.raises(MachineLacksError, match="can be written by every user"):
        settings(libraries, openmp="libomp")
