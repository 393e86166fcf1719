"""Whether an exploration answered its question."""

from __future__ import annotations

from machmeter.model.results.run import RunResult
from machmeter.studies.explore import NAME


def is_answered(result: RunResult) -> bool:
    """Whether the run explored a program and shows which layout to take: the fastest one, or what
    people have who set nothing where that is as fast; whatever became of single launches."""
    explored = result.header.request.study.name == NAME
    return explored and any(case.chosen for finding in result.findings for case in finding.cases)
