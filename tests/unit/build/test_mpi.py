"""Which MPI: the site's own is inspected, what is missing is told."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import pytest

from machmeter.build.mpi import (
    embedded_prefix,
    inspect_prefix,
    mpi_environment,
    other_mpi,
    resolve_mpi,
)
from machmeter.build.pypi import installer as wheel_installer
from machmeter.model.errors import MachineLacksError
from tests.support.made_up.tools import tool


def prefix(folder: Path, version: str) -> Path:
    tool(folder / "bin", "mpicxx", "exit 0")
    tool(folder / "bin", "mpiexec", f"echo '{version}'")
    return folder


@pytest.mark.parametrize(
    ("words", "family", "version"),
    [
        ("HYDRA build details:\n    Version:      5.0.2", "mpich", "5.0.2"),
        ("Intel(R) MPI Library for Linux* OS, Version 2021.9", "mpich", "2021.9"),
        ("mpiexec (Open MPI) 5.0.11", "openmpi", "5.0.11"),
        ("mpiexec (OpenRTE) 4.1.4\nReport bugs to http://www.open-mpi.org/", "openmpi", "4.1.4"),
        ("prterun (PRRTE) 3.0.7", "openmpi", "3.0.7"),
        ("something else", "mpich", "unknown"),
    ],
)
def test_the_family_is_told_by_what_mpiexec_says(
    tmp_path: Path, words: str, family: str, version: str
) -> None:
    found = resolve_mpi(str(prefix(tmp_path / "site ü", words)), tmp_path, dict(os.environ))
    assert (found.family, found.version, found.embedded) == (family, version, False)
    assert found.mpiexec == str(tmp_path / "site ü" / "bin" / "mpiexec")


def test_a_folder_without_an_mpi_is_told(tmp_path: Path) -> None:
    for asked in (tmp_path / "missing", tmp_path):
        with pytest.raises(MachineLacksError, match="there is no MPI in") as caught:
            resolve_mpi(str(asked), tmp_path, dict(os.environ))
        assert "bin/mpiexec" in caught.value.remedy


def test_an_mpiexec_that_fails_is_told_with_its_words(tmp_path: Path) -> None:
    prefix(tmp_path, "")
    tool(tmp_path / "bin", "mpiexec", "echo 'libfabric.so not found' >&2; exit 127")
    with pytest.raises(MachineLacksError) as caught:
        inspect_prefix(tmp_path, dict(os.environ))
    assert "libfabric.so not found" in caught.value.details


def test_an_embedded_mpi_in_the_cache_is_not_fetched_again(tmp_path: Path) -> None:
    folder = embedded_prefix("mpich", tmp_path, {})
    prefix(folder, "Version: 5.0.2")
    found = resolve_mpi("mpich", tmp_path, {"PATH": os.environ["PATH"]})
    assert found.embedded
    assert found.prefix == str(folder)


def test_a_fetch_that_fails_is_told_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip = tool(tmp_path / "bin", "pip", "echo 'no route to host' >&2; exit 1")
    monkeypatch.setattr(wheel_installer, "installer", lambda *_: [str(pip)])
    with pytest.raises(MachineLacksError) as caught:
        resolve_mpi("mpich", tmp_path / "cache", dict(os.environ))
    assert "no route to host" in caught.value.details
    assert "machmeter prepare" in caught.value.remedy
    assert [path.name for path in (tmp_path / "cache" / "mpi").iterdir()] == ["mpich.lock"]


@pytest.mark.parametrize("there", [True, False])
def test_where_none_can_be_fetched_the_mpi_of_the_machine_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    pip = tool(tmp_path / "bin", "pip", "echo 'Connection refused' >&2; exit 1")
    monkeypatch.setattr(wheel_installer, "installer", lambda *_: [str(pip)])
    site = prefix(tmp_path / "site", "mpirun (Open MPI) 4.1.4") / "bin" if there else tmp_path
    with pytest.raises(MachineLacksError, match="index of packages cannot be reached") as caught:
        resolve_mpi("mpich", tmp_path / "cache", {"PATH": str(site)})
    assert f"--mpi {tmp_path / 'site' if there else 'PREFIX'}" in caught.value.remedy


def test_open_mpi_is_told_where_it_lies_and_others_are_not(tmp_path: Path) -> None:
    assert mpi_environment({"A": "1"}, str(tmp_path)) == {"A": "1"}
    tool(tmp_path / "bin", "ompi_info", "exit 0")
    assert mpi_environment({"A": "1"}, str(tmp_path)) == {"A": "1", "OPAL_PREFIX": str(tmp_path)}


def test_a_fetch_that_makes_nothing_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip = tool(tmp_path / "bin", "pip", "exit 0")
    monkeypatch.setattr(wheel_installer, "installer", lambda *_: [str(pip)])
    with pytest.raises(MachineLacksError, match="holds no bin"):
        resolve_mpi("mpich", tmp_path / "cache", dict(os.environ))


def test_unlike_nodes_that_share_a_home_fetch_each_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = embedded_prefix("mpich", tmp_path, {})
    monkeypatch.setattr(platform, "machine", lambda: "made-up")
    assert embedded_prefix("mpich", tmp_path, {}) != here


def test_another_mpi_is_the_one_on_the_path_or_one_fetched_before(tmp_path: Path) -> None:
    cache, site = tmp_path / "cache", prefix(tmp_path / "site", "mpirun (Open MPI) 4.1.4")
    on_path = {"PATH": f"{site / 'bin'}:{os.environ['PATH']}"}
    nothing = {"PATH": str(tmp_path)}
    assert other_mpi("mpich", cache, on_path) == str(site)
    assert other_mpi(str(site), cache, on_path) == ""
    assert other_mpi("mpich", cache, nothing) == ""
    (embedded_prefix("mpich", cache, {}) / "bin").mkdir(parents=True)
    assert other_mpi(str(site), cache, on_path) == "mpich"
    assert other_mpi("mpich", cache, nothing) == ""
    assert other_mpi("openmpi", cache, nothing) == "mpich"
    assert other_mpi(str(tmp_path / "none"), cache, on_path) == ""


def test_an_mpi_that_does_not_start_is_no_other_one(tmp_path: Path) -> None:
    site = prefix(tmp_path / "site", "mpirun (Open MPI) 4.1.4")
    tool(site / "bin", "mpiexec", "exit 1")
    path = {"PATH": f"{site / 'bin'}:{os.environ['PATH']}"}
    assert other_mpi("mpich", tmp_path / "cache", path) == ""
