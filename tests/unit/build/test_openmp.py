"""Intel's OpenMP runtime from PyPI: fetched whole or not at all, or told why not."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import pytest

from machmeter.build.openmp import INTEL_OPENMP, intel_openmp_prefix, resolve_intel_openmp
from machmeter.build.pypi import installer as wheel_installer
from machmeter.model.errors import MachineLacksError
from tests.support.made_up.tools import tool

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="Intel makes it for x86-64 only"
)
# Stands for pip: its last argument is the prefix.
PIP = 'while [ $# -gt 1 ]; do shift; done; mkdir -p "$1"; cd "$1"'
WHEEL = "mkdir -p lib/python/dist-info; echo x > lib/python/dist-info/LICENSE.txt; "


def pip_that(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pip = tool(folder / "bin", "pip", f"{PIP}; {script}")
    monkeypatch.setattr(wheel_installer, "installer", lambda *_: [str(pip)])


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("below", ["", "mkdir local; cd local; "], ids=["plain", "Debian's pip"])
def test_the_runtime_and_its_license_are_kept_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, below: str
) -> None:
    pip_that(tmp_path, below + WHEEL + "touch lib/libiomp5.so lib/libomptarget.so", monkeypatch)
    cache = tmp_path / "cache ü"
    path = Path(resolve_intel_openmp(cache, dict(os.environ)))
    assert path == intel_openmp_prefix(cache, {}) / "lib" / "libiomp5.so"
    kept = files(intel_openmp_prefix(cache, {}))
    assert kept == {"lib/libiomp5.so", "lib/python/dist-info/LICENSE.txt"}


def test_what_is_in_the_cache_is_not_fetched_again(tmp_path: Path) -> None:
    library = intel_openmp_prefix(tmp_path, {}) / "lib" / "libiomp5.so"
    library.parent.mkdir(parents=True)
    library.touch()
    assert resolve_intel_openmp(tmp_path, {"PATH": "/nowhere"}) == str(library)


def test_a_fetch_that_fails_is_told_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip_that(tmp_path, "echo 'no route to host' >&2; exit 1", monkeypatch)
    with pytest.raises(MachineLacksError, match=INTEL_OPENMP) as caught:
        resolve_intel_openmp(tmp_path / "cache", dict(os.environ))
    assert "no route to host" in caught.value.details
    assert "nothing else needs it" in caught.value.remedy
    assert files(tmp_path / "cache") == {"openmp/intel-openmp.lock"}


@pytest.mark.parametrize("made", ["true", "mkdir local lib"])
def test_a_wheel_without_the_runtime_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: str
) -> None:
    pip_that(tmp_path, made, monkeypatch)
    with pytest.raises(MachineLacksError, match="holds no lib/libiomp5"):
        resolve_intel_openmp(tmp_path / "cache", dict(os.environ))
    assert files(tmp_path / "cache") == {"openmp/intel-openmp.lock"}


def test_a_damaged_cache_is_told_with_its_remedy(tmp_path: Path) -> None:
    intel_openmp_prefix(tmp_path, {}).mkdir(parents=True)
    with pytest.raises(MachineLacksError, match="holds no lib/libiomp5") as caught:
        resolve_intel_openmp(tmp_path, {"PATH": "/nowhere"})
    assert str(intel_openmp_prefix(tmp_path, {})) in caught.value.remedy


def test_other_processors_have_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    with pytest.raises(MachineLacksError, match="x86-64 Linux only, and this is aarch64") as caught:
        resolve_intel_openmp(tmp_path, dict(os.environ))
    assert caught.value.remedy
    assert not any(tmp_path.iterdir())


def test_a_python_without_pip_and_uv_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheel_installer.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MachineLacksError, match="needs pip or uv") as caught:
        wheel_installer.installer("a==1", {"PATH": "/nowhere"})
    assert "ensurepip" in caught.value.remedy
