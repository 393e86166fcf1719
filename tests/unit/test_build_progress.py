"""How far a build is, from what the build tool prints."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.build.process import run_tool
from machmeter.build.programs import _tool
from machmeter.build.progress import NINJA_STATUS, BuildStep, BuildWatch

TEN_STEPS = """
rule copy
  command = cp $in $out
"""


def test_each_step_of_a_real_build_is_told_while_it_runs(tmp_path: Path) -> None:
    (tmp_path / "0").write_text("")
    steps = "".join(f"build {n + 1}: copy {n}\n" for n in range(10))
    (tmp_path / "build.ninja").write_text(TEN_STEPS + steps)
    told: list[BuildStep] = []
    run_tool(
        [_tool("ninja", {})],
        doing="building",
        remedy="",
        timeout=60,
        environment={"PATH": "/usr/bin:/bin", "NINJA_STATUS": NINJA_STATUS},
        folder=tmp_path,
        listener=BuildWatch(told.append),
    )
    assert [step.done for step in told] == list(range(11))
    assert {step.steps for step in told[1:]} == {10}
    assert [step.over for step in told] == [False] * 10 + [True]
    assert told[0].left < 0
    assert all(a.elapsed <= b.elapsed for a, b in pairwise(told))
    assert told[5].left == pytest.approx(told[5].elapsed)
    assert told[-1].left == 0


@given(line=st.text())
def test_other_words_are_no_steps(line: str) -> None:
    told: list[BuildStep] = []
    watch = BuildWatch(told.append)
    watch(f"-- {line}")
    watch("[12] of 13")
    assert len(told) == 1
