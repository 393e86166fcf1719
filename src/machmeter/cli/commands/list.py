"""`machmeter list`: what can be measured, applications, machines and devices."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from machmeter.cli.options.common import AsJson
from machmeter.cli.options.completion import complete_listed
from machmeter.cli.options.formats import DocumentFormat, FormatOption, check_format


class ListSection(StrEnum):
    """What to list."""

    BENCHMARKS = "benchmarks"
    STUDIES = "studies"
    APPS = "apps"
    MACHINES = "machines"
    DEVICES = "devices"


def list_names(
    what: Annotated[
        str,
        typer.Argument(
            metavar="[SECTION|NAME]",
            help="benchmarks, studies, apps, machines, devices, a name  [default: all, no devices]",
            autocompletion=complete_listed,
        ),
    ] = "",
    file_format: FormatOption = DocumentFormat.TEXT,
    as_json: AsJson = False,
) -> None:
    """List benchmarks, studies, applications, machines and devices.

    Examples:

    ```text
    machmeter list              # a line for each
    machmeter list studies      # named lists of benchmarks
    machmeter list apps         # programs of others, installed here or not
    machmeter list memory.stream   # parameters, metrics, units of one
    machmeter list proxies      # what each stands for, and what limits it here
    machmeter list machines     # measured here, published, and models
    machmeter list devices      # GPUs and others of this machine
    ```
    """
    from machmeter.api.catalogue import (
        benchmarks,
        devices,
        measured_machines,
        refuse_unknown,
        studies,
    )
    from machmeter.api.programs.known import apps
    from machmeter.api.programs.proxies import proxies
    from machmeter.api.published import published_machines
    from machmeter.api.twins.showing import listed_twins
    from machmeter.cli.context import command_context, measuring_context
    from machmeter.cli.output import print_json
    from machmeter.cli.printing.documents import print_document
    from machmeter.cli.printing.listing import (
        Listing,
        listing_document,
        print_listing,
        print_overview,
    )
    from machmeter.published.load import names_of_today

    check_format(file_format, as_json=as_json)
    named = what if what and what not in set(ListSection) else ""
    if named:
        refuse_unknown(named)
    machines = what in ("", ListSection.MACHINES)
    measurable = (
        tuple(one for one in benchmarks() if named in ("", one.name, one.group))
        if named or what in ("", ListSection.BENCHMARKS)
        else ()
    )
    standing = {one.name for one in measurable if named and one.stands_for}
    found = None
    if what == ListSection.DEVICES:
        with measuring_context(quiet=as_json) as listening:
            found = devices(context=listening)
    listed = Listing(
        benchmarks=measurable,
        proxies=tuple(one for one in proxies(context=command_context()) if one.name in standing)
        if standing
        else (),
        studies=tuple(one for one in studies() if named in ("", one.name))
        if named or what in ("", ListSection.STUDIES)
        else (),
        apps=apps(with_libraries=as_json, context=command_context())
        if what in ("", ListSection.APPS)
        else (),
        machines=measured_machines(context=command_context()) if machines else (),
        published=published_machines() if machines else (),
        today=published_machines(names_of_today()) if machines and (what or as_json) else (),
        twins=listed_twins() if machines else (),
        devices=found.devices if found else (),
        without_device=found.without if found else (),
    )
    if as_json:
        print_json(listed)
    elif file_format is DocumentFormat.TEXT:
        print_listing(listed) if what else print_overview(listed)
    else:
        print_document(listing_document(listed), file_format)
