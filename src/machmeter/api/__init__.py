"""machmeter for programs and notebooks: measure, load, compare, findings, report.

Plain functions over frozen data. None prints; what goes wrong is a
`machmeter.model.errors.MachmeterError` with a remedy. Times are in seconds, sizes in bytes, shares
from 0 to 1, everything else in the base unit that its metric names.

>>> from machmeter import api
>>> edison = api.machine("edison")
>>> edison.title
'Edison Phase 1 (Cray XC30, NERSC)'
>>> found = api.compare(["gordon", "comet"], benchmarks=["workload.neuron"])
>>> for result in found.comparisons[0].results[:2]:
...     print(result.name, round(result.by["as measured"].ratio, 2))
Wall time: cores 384, 384 ranks on 24 nodes 1.27
Wall time: cores 96, 96 ranks on 6 nodes 1.24
>>> request = api.request("memory.stream", settings={"kernel": "triad"}, budget_seconds=60)
>>> api.plan(request).launches_at_least > 0
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from machmeter.api.catalogue import (
        MeasuredMachine,
        benchmarks,
        measured_machines,
        studies,
    )
    from machmeter.api.comparing import Comparisons, compare
    from machmeter.api.context import Context, MachmeterWarning
    from machmeter.api.exports import TableFormat, export, export_bencher, export_crate, rows
    from machmeter.api.histories import history, report_history
    from machmeter.api.jobs.readiness import Readiness, check_readiness
    from machmeter.api.loading import (
        RebuiltIndex,
        Run,
        RunName,
        findings,
        load,
        rebuild_index,
        runs,
    )
    from machmeter.api.machine_files import (
        CheckedFile,
        CheckedFiles,
        WrittenMachine,
        check_machine_files,
        import_machine,
        machine_document,
    )
    from machmeter.api.machines import MachineName, machine
    from machmeter.api.measuring import (
        DryRun,
        PreparedCache,
        decides_nothing,
        has_regression,
        is_clean,
        measure,
        plan,
        prepare_cache,
        resume,
        this_machine,
    )
    from machmeter.api.programs.exploring import explore_request
    from machmeter.api.published import ListedMachine, published_machines
    from machmeter.api.reports import WrittenReport, report
    from machmeter.api.requests import baseline, inherit, request
    from machmeter.api.scalings import save_scaling_charts, scaling
    from machmeter.api.scores import NoScoreError, ScoreRequest

__all__ = [
    "CheckedFile",
    "CheckedFiles",
    "Comparisons",
    "Context",
    "DryRun",
    "ListedMachine",
    "MachineName",
    "MachmeterWarning",
    "MeasuredMachine",
    "NoScoreError",
    "PreparedCache",
    "Readiness",
    "RebuiltIndex",
    "Run",
    "RunName",
    "ScoreRequest",
    "TableFormat",
    "WrittenMachine",
    "WrittenReport",
    "baseline",
    "benchmarks",
    "check_machine_files",
    "check_readiness",
    "compare",
    "decides_nothing",
    "explore_request",
    "export",
    "export_bencher",
    "export_crate",
    "findings",
    "has_regression",
    "history",
    "import_machine",
    "inherit",
    "is_clean",
    "load",
    "machine",
    "machine_document",
    "measure",
    "measured_machines",
    "plan",
    "prepare_cache",
    "published_machines",
    "rebuild_index",
    "report",
    "report_history",
    "request",
    "resume",
    "rows",
    "runs",
    "save_scaling_charts",
    "scaling",
    "studies",
    "this_machine",
]

# Which module has which of these names: each is loaded when one of them is first used.
_NAMES = {
    "catalogue": (
        "MeasuredMachine",
        "benchmarks",
        "measured_machines",
        "studies",
    ),
    "comparing": (
        "Comparisons",
        "compare",
    ),
    "context": (
        "Context",
        "MachmeterWarning",
    ),
    "programs.exploring": ("explore_request",),
    "exports": (
        "TableFormat",
        "export",
        "export_bencher",
        "export_crate",
        "rows",
    ),
    "histories": (
        "history",
        "report_history",
    ),
    "machine_files": (
        "CheckedFile",
        "CheckedFiles",
        "WrittenMachine",
        "check_machine_files",
        "import_machine",
        "machine_document",
    ),
    "machines": (
        "MachineName",
        "machine",
    ),
    "measuring": (
        "DryRun",
        "PreparedCache",
        "decides_nothing",
        "has_regression",
        "is_clean",
        "measure",
        "plan",
        "prepare_cache",
        "resume",
        "this_machine",
    ),
    "published": (
        "ListedMachine",
        "published_machines",
    ),
    "jobs.readiness": (
        "Readiness",
        "check_readiness",
    ),
    "reports": (
        "WrittenReport",
        "report",
    ),
    "requests": (
        "baseline",
        "inherit",
        "request",
    ),
    "loading": (
        "RebuiltIndex",
        "Run",
        "RunName",
        "findings",
        "load",
        "rebuild_index",
        "runs",
    ),
    "scalings": (
        "save_scaling_charts",
        "scaling",
    ),
    "scores": (
        "NoScoreError",
        "ScoreRequest",
    ),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> object:
    """The function or type of that name (PEP 562). Raises AttributeError where there is none."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
