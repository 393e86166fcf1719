"""`machmeter twin` and twins in `machmeter list`, as a person or a program meets them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from machmeter.model.errors import ExitCode
from machmeter.simulation.builtin import twin_names
from tests.support.cli_calls import call, document
from tests.support.paths import ROOT

pytestmark = pytest.mark.usefixtures("home")


@pytest.mark.parametrize("name", twin_names())
def test_every_twin_is_shown_within_100_columns(
    capfd: pytest.CaptureFixture[str], name: str
) -> None:
    code, out, _ = call(capfd, "twin", "show", name)
    assert code == ExitCode.DONE
    assert "network.injection_bandwidth = " in out
    assert max(map(len, out.splitlines())) <= 100


def test_a_change_is_shown_with_what_it_replaces(capfd: pytest.CaptureFixture[str]) -> None:
    words = ("twin", "show", "hopper", "--with", "network.hop_latency=50ns")
    _, out, _ = call(capfd, *words)
    assert "network.hop_latency = 50 ns" in out
    assert "without it 105 ns" in out
    shown = document(capfd, "twin-show", *words)
    assert [one["name"] for one in shown["parameters"] if one["changed"]] == ["network.hop_latency"]


def test_a_file_is_shown(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_bytes(
        (ROOT / "src/machmeter/simulation/machines/two-nodes.toml")
        .read_bytes()
        .replace(b'name = "two-nodes"', b'name = "mine"')
    )
    code, out, _ = call(capfd, "twin", "show", str(file))
    assert code == ExitCode.DONE
    assert out.startswith("mine  Two nodes")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("twin", "show", "hoper"), "did you mean hopper"),
        (("twin", "show", "none.toml"), "there is no such file"),
        (("twin", "show", "hopper", "--with", "network.hops=1ns"), "no parameter"),
    ],
)
def test_what_is_unknown_is_refused(
    capfd: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    code, _, err = call(capfd, *words)
    assert code == ExitCode.WRONG_USAGE
    assert said in err


def test_the_list_of_machines_has_twins(capfd: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capfd, "list", "machines")
    assert re.search(r"^  hopper .* 6,384  3-D torus of 17 x 8 x 24 ", out, re.MULTILINE)
    listed = document(capfd, "list", "list", "machines")
    assert [one["name"] for one in listed["twins"]] == list(twin_names())
    _, table, _ = call(capfd, "list", "machines", "--format", "markdown")
    assert "Twins" in table
