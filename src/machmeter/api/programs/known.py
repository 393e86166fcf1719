"""Applications that come with machmeter: what they are, and whether they are installed here."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, field

from machmeter.api.context import Context
from machmeter.api.programs.finding import description_file, installed_program
from machmeter.apps.builtin import app_file, app_names
from machmeter.apps.read import packaged_description, read_description
from machmeter.model.plan.description import Description


class KnownApp(Struct, frozen=True):
    """A described application: what `apps show --json` prints."""

    description: Description
    """What is known of it."""
    path: str
    """Of the file with the description."""
    program: str
    """Path of its program; empty where it is not installed."""
    libraries: dict[str, str] = field(default_factory=dict)
    """The libraries that it is linked with here, by what they are for: `MPI`, `BLAS`."""


def apps(*, with_libraries: bool = True, context: Context | None = None) -> tuple[KnownApp, ...]:
    """Every application that comes with machmeter.

    Args:
        with_libraries: Whether to find out with what installed programs are linked, which starts
            the system's own tool for each.
        context: Environment.
    """
    files = map(app_file, app_names())
    return tuple(
        _known(
            file,
            packaged_description(file.read_bytes()),
            context or Context(),
            with_libraries=with_libraries,
        )
        for file in files
    )


def app(name: str, *, context: Context | None = None) -> KnownApp:
    """One application.

    Args:
        name: One that comes with machmeter, or a file with a description (`.toml`, docs/apps.md).
        context: Environment.

    Raises:
        UsageError: There is none of that name, or the file cannot be used.
    """
    path = description_file(name) or app_file(name)
    return _known(path, read_description(path), context or Context())


def _known(
    path: Path, description: Description, context: Context, *, with_libraries: bool = True
) -> KnownApp:
    program = installed_program(description, path.absolute().parent, context.environment)
    if not (program and with_libraries):
        return KnownApp(description, str(path), program)
    # A list for people needs nothing of MPI libraries.
    from machmeter.launch.mpi_of_program import resolved_libraries

    libraries = resolved_libraries(program, context.environment)
    return KnownApp(description, str(path), program, libraries)
