"""The documents that commands print with `--json`, files that people write, and their schemas."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from machmeter.cli.actions.comparing import CompareDocument
from machmeter.cli.actions.diagnosing import Diagnoses
from machmeter.cli.actions.listing import Listing, RunList
from machmeter.cli.actions.machines import CheckedFiles, ImportedMachine
from machmeter.cli.actions.running import DryRun
from machmeter.cli.output import ErrorReport, Rebuilt, Reported, Written
from machmeter.model.errors import UsageError
from machmeter.model.results.history import History
from machmeter.model.results.run import RunResult
from machmeter.model.results.scaling import ScalingReport
from machmeter.published.format import Claims, PublishedMachine
from machmeter.report.exports.machine_document import MachineDocument
from machmeter.text.findings import RunFindings


class Names(Struct, frozen=True):
    """What `machmeter schema --json` prints: the documents that have a schema."""

    names: tuple[str, ...]


# Written by people in TOML, which has the same types as JSON but no null.
FILES: dict[str, type[Struct]] = {"machine-file": PublishedMachine, "claims-file": Claims}
DOCUMENTS: dict[str, type[Struct]] = {
    "run": RunResult,
    "run-dry-run": DryRun,
    "list": Listing,
    "runs": RunList,
    "show": RunResult,
    "show-machine": MachineDocument,
    "findings": RunFindings,
    "compare": CompareDocument,
    "report": Reported,
    "export": Written,
    "history": History,
    "doctor": Diagnoses,
    "machine-check": CheckedFiles,
    "machine-import": ImportedMachine,
    "store-rebuild": Rebuilt,
    "scaling": ScalingReport,
    "schema": Names,
    "error": ErrorReport,
    **FILES,
}


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema of document `name`. Raises UsageError when there is none of that name."""
    if name not in DOCUMENTS:
        raise UsageError(f"there is no schema {name!r}", f"choose: {', '.join(DOCUMENTS)}")
    made: dict[str, Any] = msgspec.json.decode(
        msgspec.json.encode(msgspec.json.schema(DOCUMENTS[name]))
    )
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"machmeter {name}"}
    if name in FILES:
        return head | made
    return head | {key: _with_null_numbers(value) for key, value in made.items()}


def _with_null_numbers(schema: object) -> object:
    """JSON has no infinity: a bound or precision that one launch cannot give is printed as null."""
    if isinstance(schema, list | tuple):
        return [_with_null_numbers(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    changed = {key: _with_null_numbers(value) for key, value in schema.items()}
    return changed | {"type": ["number", "null"]} if schema.get("type") == "number" else changed
