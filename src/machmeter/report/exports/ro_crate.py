"""A run as a Process Run Crate: its files with who made them, when, with what, from what.

RO-Crate 1.1 (https://w3id.org/ro/crate/1.1) with the profile of process runs 0.5
(https://w3id.org/ro/wfrun/process/0.5). Importing this module loads rocrate (extra `papers`).
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import uuid
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO

from msgspec import Struct
from rocrate.model.contextentity import ContextEntity
from rocrate.rocrate import ROCrate

from machmeter import __version__
from machmeter.model.results.run import RunResult, RunState
from machmeter.model.written.text import shell_text
from machmeter.store.files import replacing
from machmeter.store.run_folder import is_file_of_run
from machmeter.text.plain import plain
from machmeter.text.runs import machine_properties, run_verdict_text, software_properties

CRATE_VERSION = "1.1"
METADATA = "ro-crate-metadata.json"
PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
TERMS = "https://w3id.org/ro/terms/workflow-run/context"
MEDIA_TYPES = {
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".csv": "text/csv",
    ".html": "text/html",
}
_NAMES = {
    "run.json": "Request and machine",
    "plan.json": "Plan of all launches",
    "state.json": "State of the run and the time it took",
    "tried.json": "Lines to copy that were started once",
    "figures.csv": "Every result with its 95 % interval",
    "report.html": "Report page of the run",
}
_REQUEST = ("run.json", "plan.json")


class CrateFile(Struct, frozen=True):
    """A file of the crate."""

    source: Path
    """Where it is now."""
    path: str
    """In the crate, with `/` between folders."""


class Author(Struct, frozen=True):
    """Who measured."""

    name: str = ""
    """Given and family name."""
    address: str = ""
    """ORCID or another address; empty: not known."""


UNKNOWN = Author()


def describe_crate(
    result: RunResult,
    measured: Sequence[CrateFile],
    made: Sequence[CrateFile],
    author: Author = UNKNOWN,
    license_address: str = "",
) -> ROCrate:
    """The crate of a run, which copies nothing until it is written.

    measured: files of the run's folder; made: figures and page made of them now; license_address:
    of the license under which the data may be used (empty: none is stated).
    """
    crate = ROCrate(version=CRATE_VERSION)
    crate.metadata.extra_contexts.append(TERMS)
    files = {file.path: _add_file(crate, file) for file in (*measured, *made)}
    records = [files[file.path] for file in measured if file.path not in _REQUEST]
    requested = [files[path] for path in _REQUEST if path in files]
    agent = _agent(crate, result, author)
    run = _run_action(crate, result, agent, requested, records)
    report = _report_action(
        crate, agent, [*requested, *records], [files[file.path] for file in made]
    )
    root = crate.root_dataset
    root["name"] = f"machmeter run {result.header.id}"
    root["description"] = _description(result)
    root["conformsTo"] = _profile(crate)
    root["mentions"] = [run, report]
    root["about"] = _machine(crate, result)
    root["creator"] = agent
    if license_address:
        root["license"] = _add(crate, license_address, "CreativeWork", {"name": license_address})
    return crate


def records_in(folder: Path) -> Iterator[CrateFile]:
    """The files of a run in its folder, by path, and nothing else that was put there.

    Links and what was cut off are left out.
    """
    for source in sorted((*folder.iterdir(), *folder.glob("launches/*"))):
        path = source.relative_to(folder).as_posix()
        if is_file_of_run(path) and source.is_file() and not source.is_symlink():
            yield CrateFile(source, path)


def _add(crate: ROCrate, identifier: str, kind: str, properties: Mapping[str, Any]) -> Any:
    return crate.add(ContextEntity(crate, identifier, {"@type": kind, **properties}))


def _add_file(crate: ROCrate, file: CrateFile) -> Any:
    kind = MEDIA_TYPES.get(file.source.suffix, "application/octet-stream")
    properties = {
        "name": _NAMES.get(file.path) or _launch_file_name(file.path),
        "encodingFormat": kind,
        "contentSize": str(file.source.stat().st_size),
    }
    return crate.add_file(file.source, file.path, properties=properties)


def _launch_file_name(path: str) -> str:
    number, _, rest = path.rpartition("/")[2].partition(".")
    names = {
        "launch.json": "Request of launch",
        "jsonl": "Record of launch",
        "outcome.json": "What became of launch",
    }
    return f"{names[rest]} {int(number)}" if rest in names and number.isdecimal() else path


def _profile(crate: ROCrate) -> Any:
    return _add(crate, PROFILE, "CreativeWork", {"name": "Process Run Crate", "version": "0.5"})


def _tool(crate: ROCrate, version: str) -> Any:
    """One version of machmeter; versions that differ are tools that differ."""
    properties = {"name": "machmeter", "softwareVersion": version}
    return _add(crate, f"#machmeter-{version}", "SoftwareApplication", properties)


def _agent(crate: ROCrate, result: RunResult, author: Author) -> Any:
    name = author.name or f"operator of {plain(result.header.machine.host, 80)}"
    return _add(crate, author.address or "#operator", "Person", {"name": name})


def _run_action(
    crate: ROCrate, result: RunResult, agent: Any, requested: Sequence[Any], records: Sequence[Any]
) -> Any:
    header = result.header
    finished = result.state is RunState.FINISHED
    status = "CompletedActionStatus" if finished else "FailedActionStatus"
    properties = {
        "@type": "CreateAction",
        "name": f"Measure {plain(', '.join(header.request.names), 200)}",
        "description": plain(shell_text(header.command), 1000),
        "startTime": header.started,
        "endTime": ended(result),
        "actionStatus": {"@id": f"http://schema.org/{status}"},
    }
    if not finished:
        properties["error"] = f"the run is {result.state.value}: more was planned"
    return crate.add_action(
        _tool(crate, header.version),
        _action_id(f"{header.id} measured"),
        object=list(requested),
        result=list(records),
        properties={**properties, "agent": agent},
    )


def _report_action(crate: ROCrate, agent: Any, used: Sequence[Any], made: Sequence[Any]) -> Any:
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    return crate.add_action(
        _tool(crate, __version__),
        f"urn:uuid:{uuid.uuid4()}",
        object=list(used),
        result=list(made),
        properties={
            "@type": "CreateAction",
            "name": "Make results and page from the records",
            "description": "machmeter export --format ro-crate",
            "endTime": now,
            "agent": agent,
        },
    )


def _action_id(name: str) -> str:
    """The same for the same run in every crate (RFC 9562, version 5)."""
    return f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'urn:machmeter:{name}')}"


def ended(result: RunResult) -> str:
    """When the last launch ended, ISO 8601; the start of the run where no launch tells."""
    ends = [
        moment + timedelta(seconds=outcome.wall_seconds)
        for outcome in result.outcomes
        if (moment := _moment(outcome.started))
    ]
    return max(ends).isoformat() if ends else result.header.started


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def _machine(crate: ROCrate, result: RunResult) -> Any:
    """What was measured, as a product with its properties (schema.org)."""
    facts = (*machine_properties(result), *software_properties(result))
    properties = [
        _add(crate, f"#machine-{i}", "PropertyValue", {"name": name, "value": text})
        for i, (name, text) in enumerate(facts, 1)
    ]
    machine = result.header.machine
    return _add(
        crate,
        "#machine",
        "IndividualProduct",
        {
            "name": plain(machine.name or machine.host, 120),
            "description": plain(machine.cpu_model, 200),
            "additionalProperty": properties,
        },
    )


def _description(result: RunResult) -> str:
    machine = result.header.machine
    requested = plain(", ".join(result.header.request.names), 200)
    return plain(
        f"{requested}, measured on {machine.name or machine.host} ({machine.cpu_model}). "
        f"{run_verdict_text(result)}"
    )


def write_crate(
    crate: ROCrate, files: Sequence[CrateFile], target: Path, notify: Callable[[CrateFile], None]
) -> None:
    """Write the crate as a folder, or as an archive where `target` ends in `.zip`.

    What stands under that name is whole: it is written under another one and renamed. notify: is
    called before each file. Raises FileExistsError where there is something already, OSError where
    it cannot be written.
    """
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    metadata = _metadata(crate)
    if target.suffix == ".zip":
        with replacing(target) as stream:
            _write_archive(stream, metadata, files, notify)
        return
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        _write_folder(partial, metadata, files, notify)
        partial.rename(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _metadata(crate: ROCrate) -> bytes:
    text = json.dumps(crate.metadata.generate(), indent=1, ensure_ascii=False)
    return text.encode("utf-8") + b"\n"


def _write_folder(
    folder: Path, metadata: bytes, files: Sequence[CrateFile], notify: Callable[[CrateFile], None]
) -> None:
    folder.mkdir()
    for file in files:
        notify(file)
        to = folder / file.path
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file.source, to)
    (folder / METADATA).write_bytes(metadata)


def _write_archive(
    stream: BinaryIO,
    metadata: bytes,
    files: Sequence[CrateFile],
    notify: Callable[[CrateFile], None],
) -> None:
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        archive.writestr(METADATA, metadata)
        for file in files:
            notify(file)
            archive.write(file.source, file.path)
