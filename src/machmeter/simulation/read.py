"""Reading the file that describes a twin."""

from __future__ import annotations

from pathlib import Path

from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.model.errors import UsageError
from machmeter.model.twin import (
    ErrorBand,
    Twin,
    TwinBasis,
    TwinNode,
    TwinParameter,
)
from machmeter.model.units import BYTES
from machmeter.model.written.choices import choice_remedy, nearest
from machmeter.model.written.toml_text import table_as, toml_table
from machmeter.simulation.format import (
    TwinFile,
    WrittenBand,
    WrittenNode,
    WrittenParameter,
)
from machmeter.simulation.parameters import DeclaredParameter, declared, parameters_of
from machmeter.simulation.quantities import parse_quantity
from machmeter.simulation.shape import check_nodes, check_shape

LARGEST_FILE = 64 * 2**10
_ALL_KEYS = "`machmeter schema twin-file` has all keys"
_LARGEST_MEMORY = 2**60


def read_twin(path: Path) -> Twin:
    """The twin in a file.

    Raises UsageError where it cannot be read, is larger than 64 KiB, or describes no machine that
    can be simulated.
    """
    try:
        # Opening a pipe would wait for its writer.
        if not path.is_file():
            reason = "it is no file" if path.exists() else "there is no such file"
            raise UsageError(f"cannot read {path}: {reason}", "name the TOML file of a twin")
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "check its rights") from error
    return twin_in(content, str(path))


def twin_in(content: bytes, where: str) -> Twin:
    """The twin in the content of a file that messages name as `where`.

    Raises UsageError as `read_twin` does.
    """
    try:
        return _twin(_decoded(content))
    except UsageError as error:
        raise UsageError(f"{where}: {error.message}", error.remedy) from error


def _decoded(content: bytes) -> TwinFile:
    table = toml_table(content, most_bytes=LARGEST_FILE)
    _refuse_nested(table.get("parameters"))
    return table_as(table, TwinFile, keys=_ALL_KEYS)


def _refuse_nested(parameters: object) -> None:
    if not isinstance(parameters, dict):
        return
    for name, one in parameters.items():
        for inner, part in one.items() if isinstance(one, dict) else ():
            if isinstance(part, dict):
                raise UsageError(
                    f"parameters: {name} is no parameter, but a table of several",
                    f'names have quotation marks: [parameters."{name}.{inner}"]',
                )


def _twin(file: TwinFile) -> Twin:
    check_shape(file.topology, file.shape)
    twin = Twin(
        name=file.name,
        title=file.title,
        nodes=file.nodes,
        node=_node(file.node),
        topology=file.topology,
        progress=file.progress,
        mpi=file.mpi,
        parameters=_parameters(file),
        shape=file.shape,
        bands=_bands(file.bands),
        published=file.published,
    )
    check_nodes(twin)
    return twin


def _node(node: WrittenNode) -> TwinNode:
    if node.cores_per_package % node.numa_per_package:
        raise UsageError(
            f"node: {node.cores_per_package} cores cannot be divided evenly among "
            f"{node.numa_per_package} NUMA domains",
            "correct cores_per_package or numa_per_package",
        )
    memory = _read(node.memory, DeclaredParameter("node.memory", BYTES, 1, _LARGEST_MEMORY, ""))
    return TwinNode(
        packages=node.packages,
        cores_per_package=node.cores_per_package,
        cpu=node.cpu,
        memory_bytes=int(memory),
        numa_per_package=node.numa_per_package,
    )


def _bands(bands: tuple[WrittenBand, ...]) -> tuple[ErrorBand, ...]:
    names = [band.benchmark for band in bands]
    doubles = sorted({name for name in names if names.count(name) > 1})
    if doubles:
        raise UsageError(f"bands: more than one of {', '.join(doubles)}", "leave one of each")
    modeled = tuple(one.name for one in BENCHMARKS if one.modeled is not None)
    for name in names:
        if name not in modeled:
            listing = f"models describe {', '.join(modeled)}"
            raise UsageError(
                f"bands: no model describes {name!r}", choice_remedy(name, modeled, listing)
            )
    return tuple(ErrorBand(band.benchmark, band.share, band.reason) for band in bands)


def _parameters(file: TwinFile) -> tuple[TwinParameter, ...]:
    needed = parameters_of(file.topology, len(file.shape))
    names = tuple(one.name for one in needed)
    for name in file.parameters:
        if name not in names:
            raise unknown_parameter(name, names, f"a {file.topology} network of this shape")
    missing = [name for name in names if name not in file.parameters]
    if missing:
        raise UsageError(
            f"without {', '.join(missing)}",
            f'add a table for each, with its value and its basis: [parameters."{missing[0]}"]',
        )
    return tuple(_parameter(one, file.parameters[one.name]) for one in needed)


def unknown_parameter(name: str, known: tuple[str, ...], what: str) -> UsageError:
    """The error of a parameter that `what` does not have, with the nearest of those it has."""
    remedy = choice_remedy(name, nearest(name, known) or known)
    if declared(name):
        return UsageError(f"{name} is no parameter of {what}: it would not matter", remedy)
    return UsageError(f"there is no parameter {name!r} of {what}", remedy)


def _parameter(one: DeclaredParameter, written: WrittenParameter) -> TwinParameter:
    reasons = {
        TwinBasis.PUBLISHED: written.published,
        TwinBasis.FITTED: written.fitted,
        TwinBasis.ASSUMED: written.assumed,
    }
    given = [(basis, reason) for basis, reason in reasons.items() if reason.strip()]
    if len(given) != 1:
        which = " and ".join(basis for basis, _ in given) or "none"
        raise UsageError(
            f"parameter {one.name} has {which} of published, fitted, assumed",
            "state exactly one: where the value comes from",
        )
    ((basis, reason),) = given
    return TwinParameter(one.name, _read(written.value, one), basis, reason)


def _read(written: str | float, one: DeclaredParameter) -> float:
    try:
        value = parse_quantity(written, one.unit)
    except UsageError as error:
        raise UsageError(f"{one.name}: {error.message}", error.remedy) from error
    return one.checked(value)
