"""What the parser refuses, in this project's words."""

from __future__ import annotations

import pytest

from machmeter.model.errors import ExitCode
from tests.support.cli_calls import call

pytestmark = pytest.mark.usefixtures("home")


@pytest.mark.parametrize(
    ("words", "message", "remedy"),
    [
        (("run", "--buget", "5s"), "there is no option --buget", "did you mean --budget? `mach"),
        (("run", "--zzz"), "there is no option --zzz", "`machmeter run --help` lists"),
        (("export", "--format", "xyz"), "--format: 'xyz' is not one of 'csv', ", "export --help"),
        (("run", "--min-launches", "x"), "--min-launches takes a whole number", "run --help"),
        (
            ("scaling", "--least-gain", "x"),
            "--least-gain takes a number",
            "scaling --help",
        ),
        (("machine", "import", "x"), "Missing option", "machine import --help"),
        (("compare",), "Missing argument", "compare --help"),
        (("machine", "chck"), "'check'", "`machmeter machine --help` lists"),
    ],
)
def test_a_refused_word_is_named_with_what_is_near(
    capfd: pytest.CaptureFixture[str], words: tuple[str, ...], message: str, remedy: str
) -> None:
    code, _, said = call(capfd, *words)
    assert code == ExitCode.WRONG_USAGE
    first, second = said.splitlines()
    assert message in first
    assert remedy in second
    assert "Value error" not in said
    assert "parse string" not in said
