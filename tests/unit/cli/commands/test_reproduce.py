"""Wrong usage of `machmeter reproduce`: nothing is compiled before it is refused."""

from __future__ import annotations

import pytest

from machmeter.cli.options.completion import complete_reproducible
from machmeter.model.errors import ExitCode
from tests.support.cli_calls import call

NONSENSE = {
    "reproduce edson": "did you mean edison",
    "reproduce quick": "no study and no machine 'quick'",
    "reproduce edison --with": "--with",
    "reproduce edison --with network.hop_latency": "not of the form NAME=VALUE",
    "reproduce edison --with hop=2x": "there is no parameter 'hop' of the twin edison",
    "reproduce edison --with network.link.bandwidth_x=2x": "it would not matter",
    "reproduce edison-network --with network.hop_latency=2GB/s": "is not a time",
    "reproduce edison --with network.hop_latency=2x --with network.hop_latency=3x": "changed twice",
    "reproduce edison --on hopper": "--on",
}


@pytest.mark.parametrize("words", NONSENSE)
def test_nonsense_is_refused_with_what_is_wrong(
    words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    code, _, err = call(capfd, *words.split())
    assert code == ExitCode.WRONG_USAGE, err
    assert NONSENSE[words].lower() in " ".join(err.split()).lower()
    assert "internal error" not in err


def test_help_has_examples(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capfd, "reproduce", "--help")
    assert code == ExitCode.DONE
    assert "machmeter reproduce edison-network" in out


def test_studies_and_machines_are_completed() -> None:
    assert dict(complete_reproducible("edison")).keys() == {"edison-network", "edison"}
