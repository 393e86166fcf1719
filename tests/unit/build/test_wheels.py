"""A wheel in the cache: closed to others when it is installed, refused where it is open to them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from machmeter.build.mpi import embedded_prefix, resolve_mpi
from machmeter.build.pypi import installer as wheel_installer
from machmeter.build.wheels import fetch_wheel
from machmeter.model.errors import MachineLacksError
from tests.support.made_up.tools import tool

# Stands for pip: its last argument is the prefix.
PIP = 'while [ $# -gt 1 ]; do shift; done; mkdir -p "$1/bin"; cd "$1"; echo > bin/mpiexec'


@pytest.fixture
def mpiexec(tmp_path: Path) -> Path:
    """The launcher of an MPI in `cache`; beside it is a file once it was started."""
    prefix = embedded_prefix("mpich", tmp_path / "cache", {})
    (prefix / "lib").mkdir(parents=True)
    (prefix / "lib" / "libmpi.so").touch()
    tool(prefix / "bin", "mpicxx", "exit 0")
    return tool(prefix / "bin", "mpiexec", 'touch "$0.started"; echo HYDRA Version: 5.0.2')


def test_an_mpi_of_the_cache_is_started_only_where_no_other_can_have_changed_it(
    tmp_path: Path, mpiexec: Path
) -> None:
    cache, started = tmp_path / "cache", mpiexec.with_name("mpiexec.started")
    prefix = mpiexec.parent.parent
    library = prefix / "lib" / "libmpi.so"
    for place in (mpiexec, library, library.parent, prefix, cache / "mpi", cache):
        mode = place.stat().st_mode
        place.chmod(0o777)
        with pytest.raises(MachineLacksError) as caught:
            resolve_mpi("mpich", cache, dict(os.environ))
        assert f"go-w {place}" in caught.value.remedy
        place.chmod(mode)
    assert not started.exists()
    assert resolve_mpi("mpich", cache, dict(os.environ)).version == "5.0.2"
    assert started.exists()


def test_what_is_installed_is_closed_whatever_the_umask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip = tool(tmp_path / "bin", "pip", PIP)
    monkeypatch.setattr(wheel_installer, "installer", lambda *_: [str(pip)])
    cache, words = tmp_path / "cache", dict(os.environ)
    before = os.umask(0)
    try:
        prefix = fetch_wheel(
            "mpich==5.0.2", cache / "mpi", holds="bin", remedy="", environment=words
        )
    finally:
        os.umask(before)
    made = [cache, cache / "mpi", prefix, *prefix.rglob("*")]
    assert prefix / "bin" / "mpiexec" in made
    assert not [path for path in made if path.stat().st_mode & 0o022]
    # All may read it, as they may read a site's.
    assert all(path.stat().st_mode & 0o044 == 0o044 for path in made)


def test_nothing_is_installed_into_a_folder_that_others_may_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip = tool(tmp_path / "bin", "pip", f"touch '{tmp_path}/called'; {PIP}")
    monkeypatch.setattr(wheel_installer, "installer", lambda *_: [str(pip)])
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o1777)
    with pytest.raises(MachineLacksError, match="cache can be written by every user"):
        fetch_wheel(
            "mpich==5.0.2",
            tmp_path / "cache" / "mpi",
            holds="bin",
            remedy="",
            environment=dict(os.environ),
        )
    assert not (tmp_path / "called").exists()
