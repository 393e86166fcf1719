"""The documents that commands print with `--json`, files that people write, and their schemas."""

from __future__ import annotations

from typing import Any

import msgspec
import msgspec.inspect
from msgspec import Struct

from machmeter.analysis.normal.report import NormalReport
from machmeter.api.comparing import Comparisons
from machmeter.api.jobs.preparing import PlannedPreparations, SubmittedPreparations
from machmeter.api.jobs.readiness import Readiness
from machmeter.api.jobs.submitting import PlannedJob, Submitted
from machmeter.api.loading import RebuiltIndex
from machmeter.api.machine_files import CheckedFiles, WrittenMachine
from machmeter.api.measuring import DryRun, PreparedCache
from machmeter.api.programs.checking import CheckedApp, NewApp
from machmeter.api.programs.known import KnownApp
from machmeter.cli.field_descriptions import field_descriptions, flowing
from machmeter.cli.output import ErrorReport, Reported, Written
from machmeter.cli.printing.listing import Listing
from machmeter.cli.printing.run_list import RunList
from machmeter.model.errors import UsageError
from machmeter.model.plan.description import Description
from machmeter.model.results.history import History
from machmeter.model.results.run import RunResult
from machmeter.model.results.scaling import ScalingReport
from machmeter.published.format import Claims, PublishedMachine
from machmeter.report.exports.machine_document import MachineDocument
from machmeter.report.twins.explained import ExplainedTime
from machmeter.report.twins.shown import ShownTwin
from machmeter.simulation.figures.reproduction import Reproduction
from machmeter.simulation.format import TwinFile
from machmeter.text.findings.order import RunFindings


class SchemaNames(Struct, frozen=True):
    """What `schema --json` prints."""

    names: tuple[str, ...]
    """Documents that have a schema."""


# Written by people in TOML, which has the same types as JSON but no null.
FILES: dict[str, type[Struct]] = {
    "app-file": Description,
    "machine-file": PublishedMachine,
    "claims-file": Claims,
    "twin-file": TwinFile,
}
DOCUMENTS: dict[str, type[Struct]] = {
    "run": RunResult,
    "run-dry-run": DryRun,
    "run-submit": Submitted,
    "run-submit-dry-run": PlannedJob,
    "prepare": PreparedCache,
    "prepare-submit": SubmittedPreparations,
    "prepare-submit-dry-run": PlannedPreparations,
    "list": Listing,
    "runs": RunList,
    "show": RunResult,
    "show-machine": MachineDocument,
    "findings": RunFindings,
    "compare": Comparisons,
    "compare-normal": NormalReport,
    "reproduce": Reproduction,
    "report": Reported,
    "export": Written,
    "history": History,
    "doctor": Readiness,
    "apps-check": CheckedApp,
    "apps-new": NewApp,
    "apps-show": KnownApp,
    "machine-check": CheckedFiles,
    "machine-import": WrittenMachine,
    "machine-from-run": WrittenMachine,
    "twin-explain": ExplainedTime,
    "twin-show": ShownTwin,
    "store-rebuild": RebuiltIndex,
    "scaling": ScalingReport,
    "schema": SchemaNames,
    "error": ErrorReport,
    **FILES,
}


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema of document `name`, each class and field with its description.

    Raises UsageError when there is none of that name.
    """
    if name not in DOCUMENTS:
        raise UsageError(f"there is no schema {name!r}", f"choose: {', '.join(DOCUMENTS)}")
    document = DOCUMENTS[name]
    # Through JSON, so that every sequence is a list.
    made: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(document)))
    made = _of_any_version(made)
    for struct in structs_in(document):
        _describe(made["$defs"][struct.__name__], struct)
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"machmeter {name}"}
    if name in FILES:
        return head | made
    return head | {key: _with_null_numbers(value) for key, value in made.items()}


def structs_in(document: type[Struct]) -> tuple[type[Struct], ...]:
    """Every struct that `document` is made of, itself included."""
    found: dict[type[Struct], None] = {}
    _collect_structs(msgspec.inspect.type_info(document), found)
    return tuple(found)


def _collect_structs(part: object, found: dict[type[Struct], None]) -> None:
    if isinstance(part, msgspec.inspect.StructType):
        if part.cls in found:
            return
        found[part.cls] = None
    if isinstance(part, msgspec.inspect.Type | msgspec.inspect.Field):
        for field in part.__struct_fields__:
            _collect_structs(getattr(part, field), found)
    elif isinstance(part, tuple):
        for one in part:
            _collect_structs(one, found)


def _describe(schema: dict[str, Any], struct: type[Struct]) -> None:
    schema["description"] = flowing(struct.__doc__ or "")
    encoded = dict(zip(struct.__struct_fields__, struct.__struct_encode_fields__, strict=True))
    for name, text in field_descriptions(struct).items():
        schema["properties"][encoded[name]]["description"] = text
    if tag := struct.__struct_config__.tag_field:
        schema["properties"][tag]["description"] = f"Always `{struct.__struct_config__.tag}`."


def _of_any_version(schema: Any) -> Any:
    """What all versions of msgspec make: 0.22 indents docstrings, and 0.23 adds `propertyNames`."""
    if isinstance(schema, list):
        return [_of_any_version(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _of_any_version(one) for key, one in schema.items() if key != "propertyNames"}
    if isinstance(text := made.get("description"), str):
        made["description"] = flowing(text)
    return made


def _with_null_numbers(schema: object) -> object:
    """JSON has no infinity: a bound or precision that one launch cannot give is printed as null."""
    if isinstance(schema, list | tuple):
        return [_with_null_numbers(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    changed = {key: _with_null_numbers(value) for key, value in schema.items()}
    return changed | {"type": ["number", "null"]} if schema.get("type") == "number" else changed
