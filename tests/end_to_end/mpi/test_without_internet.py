"""Without internet, as the guide has it: a wheel, a prepared cache that was copied, no index."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from machmeter.build.mpi import MpiInstall
from machmeter.launch.libraries import linked_libraries
from tests.support.paths import ROOT
from tests.support.processes.machmeter_command import MachmeterCommand, assert_refused, tiny

# Nothing listens on this port, and no file of settings names another index.
NO_INDEX = {
    "PIP_CONFIG_FILE": os.devnull,
    "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
    "PIP_FIND_LINKS": "",
    "PIP_RETRIES": "0",
}
WHAT = ("network.bandwidth", "--set", "size=8")


def kept(cache: Path) -> set[str]:
    """What was compiled and fetched into a cache."""
    places = ("build/*/*", "objects/*.o", "mpi/*", "blas/*")
    return {str(one.relative_to(cache)) for place in places for one in cache.glob(place)}


@pytest.fixture
def prepared(cache: Path, mpich: MpiInstall, tmp_path: Path) -> MachmeterCommand:
    """A command whose cache was prepared where packages can be fetched, MPICH before."""
    own = tmp_path / "prepared"
    shutil.copytree(mpich.prefix, own / "mpi" / Path(mpich.prefix).name, symlinks=True)
    (own / "mpi" / "probes").mkdir()
    # As many as there are: other tests may still compile.
    (own / "objects").mkdir()
    for made in (cache / "objects").glob("*.o"):
        shutil.copy2(made, own / "objects")
    command = MachmeterCommand(own, tmp_path / "data", NO_INDEX)
    done = command.run("prepare", *WHAT)
    assert done.returncode == 0, done.stderr
    assert re.search(r"compiling .* \(kept in .*\): about \d+ s on \d+ CPU", done.stderr)
    assert f"{own} is ready" in done.stdout
    assert "machmeter-mpi" in done.stdout
    assert f"MACHMETER_CACHE=COPY machmeter run --mpi mpich {' '.join(WHAT)}" in done.stdout
    assert not list(command.data.glob("runs/*"))
    return command


def wheel_site(folder: Path) -> Path:
    """A folder with machmeter alone, installed from a wheelhouse without an index."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    for words in (
        ("wheel", "--no-deps", "--wheel-dir", folder / "wheelhouse", ROOT),
        (
            *("install", "--no-index", "--no-deps", "--no-compile"),
            *("--find-links", folder / "wheelhouse", "--target", folder / "site", "machmeter"),
        ),
    ):
        subprocess.run([*pip, *map(str, words)], check=True)
    return folder / "site"


def test_a_copied_cache_is_used_as_it_is(prepared: MachmeterCommand, tmp_path: Path) -> None:
    before = kept(prepared.cache)
    assert any(name.endswith("/machmeter-mpi") for name in before)
    copy = tmp_path / "elsewhere" / "copy"
    shutil.copytree(prepared.cache, copy, symlinks=True)
    # Nothing is found by chance where it was.
    prepared.cache.rename(tmp_path / "gone")
    site = {"PYTHONPATH": str(wheel_site(tmp_path))}
    command = replace(prepared, cache=copy, extra={**NO_INDEX, **site})
    done = command.run(*tiny(*WHAT[:1], WHAT[2]), "--mpi", "mpich")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "compiling" not in done.stderr
    assert "fetching" not in done.stderr
    assert kept(copy) == before
    (program,) = copy.glob("build/*/machmeter-mpi")
    libraries = linked_libraries(str(program), os.environ)
    assert Path(libraries["libmpi.so.12"]).resolve().is_relative_to(copy.resolve())


def test_what_is_not_there_is_reported_with_what_to_do(tmp_path: Path) -> None:
    command = MachmeterCommand(tmp_path / "cache", tmp_path / "data", NO_INDEX)
    done = command.run(*tiny(*WHAT[:1], WHAT[2]), "--mpi", "mpich")
    said = "fetching mpich==5.0.2 from PyPI failed: the index of packages cannot be reached"
    assert_refused(done, 3, said, "machmeter prepare", "--mpi /")
