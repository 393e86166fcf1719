"""pip and uv install into the given folder what is known, whatever their settings say."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from machmeter.build.pypi import installer as wheel_installer
from machmeter.build.pypi.installer import (
    install_wheels,
    installer_environment,
    network_settings,
    reason_of,
)
from machmeter.build.pypi.requirements import UNVERIFIED
from machmeter.model.errors import MachineLacksError
from tests.support.made_up.tools import tool

MPICH = ("mpich==5.0.2",)


def installed_by(folder: Path, environment: dict[str, str]) -> str:
    """The command that a tool in the place of pip is called with."""
    install_wheels(MPICH, folder, (), doing="", remedy="", environment=environment)
    return (folder / "called").read_text()


def test_settings_of_a_network_win_over_files_by_their_section() -> None:
    listed = (
        "global.cert='/a.pem'\nglobal.index-url='https://mirror/simple'\nglobal.target='/x'\n"
        "install.index-url='https://other/simple'\ninstall.user='true'\n"
        ":env:.find-links='/one\\n/two'\nlist.cert='/b.pem'\nglobal.proxy=nonsense\n"
    )
    assert dict(network_settings(listed)) == {
        "cert": "/a.pem",
        "index-url": "https://other/simple",
        "find-links": "/one /two",
    }


def test_a_mirror_is_kept_and_nothing_that_installs_elsewhere(tmp_path: Path) -> None:
    settings = tmp_path / "pip.conf"
    settings.write_text("[global]\nindex-url = https://mirror/simple\n[install]\nuser = true\n")
    given = {
        "PATH": os.environ["PATH"],
        "PIP_CONFIG_FILE": str(settings),
        "PIP_PROXY": "http://proxy:3128",
        "UV_DEFAULT_INDEX": "https://mirror/simple",
        "UV_INDEX_MINE_PASSWORD": "secret",
    }
    harmful = ("PIP_TARGET", "PIP_PREFIX", "PIP_USER", "PIP_ROOT", "PIP_NO_BINARY", "PIP_PYTHON")
    harmful += ("PIP_REQUIREMENT", "PIP_CONSTRAINT", "UV_TARGET", "UV_NO_VERIFY_HASHES")
    seen = installer_environment({**given, **dict.fromkeys(harmful, "/elsewhere")})
    assert not set(harmful) & set(seen)
    assert seen["PIP_INDEX_URL"] == "https://mirror/simple"
    assert seen["PIP_CONFIG_FILE"] == os.devnull
    for name in ("PATH", "PIP_PROXY", "UV_DEFAULT_INDEX", "UV_INDEX_MINE_PASSWORD"):
        assert seen[name] == given[name]


@pytest.mark.parametrize("of", ["pip", "uv"])
def test_files_are_verified_unless_a_site_rebuilds_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of: str
) -> None:
    path = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    # What only reads settings is started in any folder.
    fake = tool(tmp_path / "bin", of, 'case "$*" in *-r*) echo "$@" > called;; esac')
    if of == "pip":
        monkeypatch.setattr(wheel_installer, "_pip", lambda: [str(fake)])
    else:
        monkeypatch.setattr(wheel_installer.importlib.util, "find_spec", lambda _: None)
    said = installed_by(tmp_path, path)
    assert "--no-deps --only-binary :all: --require-hashes -r" in said
    assert (tmp_path / "requirements.txt").read_text().count(" --hash=sha256:") == 2
    if of == "uv":
        assert f"--python {sys.executable}" in said
    said = installed_by(tmp_path, {**path, UNVERIFIED: "1"})
    assert "--require-hashes" not in said
    assert (tmp_path / "requirements.txt").read_text() == "mpich==5.0.2\n"


NONE = (
    "ERROR: Could not find a version that satisfies the requirement mpich==5.0.2 (from versions: "
)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (f"WARNING: Retrying (Retry(total=0)) after connection broken\n{NONE}none)", "reached"),
        (f"{NONE}none)\nERROR: No matching distribution found", "reached, or does not have it"),
        (f"WARNING: Retrying after connection broken\n{NONE}4.0, 5.0.1)", "has no such version"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "SHA-256"),
        ("error: Request failed after 3 retries\n  Caused by: dns error: no address", "reached"),
        ("OSError: [Errno 28] No space left on device", ""),
    ],
)
def test_what_pip_and_uv_say_has_a_reason_in_words(said: str, reason: str) -> None:
    assert reason in reason_of(said)
    assert bool(reason) == bool(reason_of(said))


def test_an_index_that_cannot_be_reached_is_reported_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip = tool(tmp_path / "bin", "pip", "echo 'Connection refused: /simple/mpich' >&2; exit 1")
    monkeypatch.setattr(wheel_installer, "installer", lambda *_: [str(pip)])
    with pytest.raises(MachineLacksError) as caught:
        install_wheels(
            MPICH, tmp_path, (), doing="fetching it", remedy="do this", environment={"PATH": ""}
        )
    error = caught.value
    assert error.message == "fetching it failed: the index of packages cannot be reached"
    assert (error.remedy, error.details) == ("do this", "Connection refused: /simple/mpich")
