"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from machmeter.cli.options.completion import (
    complete_machine,
    complete_run,
    complete_twin,
    complete_what,
)
from machmeter.model.layout_fields import OptionGroup

RunArgument = Annotated[
    str,
    typer.Argument(
        metavar="[RUN]", help="ID or unique prefix, folder, or last", autocompletion=complete_run
    ),
]
MachineArgument = Annotated[
    str,
    typer.Argument(
        metavar="[MACHINE]",
        help="a run (ID or unique prefix, folder, last), a published machine, or a file",
        autocompletion=complete_machine,
    ),
]
WhatNames = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[STUDY|BENCHMARK|GROUP]...",
        help="what to measure (`machmeter list`)  [quick]",
        autocompletion=complete_what,
    ),
]
ParameterSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE[,VALUE]",
        help="parameter values: size=8,1KiB (repeatable)",
        rich_help_panel=OptionGroup.WHAT,
    ),
]
MpiNames = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME|PREFIX",
        help="mpich, openmpi, a prefix (repeatable)  [default: PATH]",
        rich_help_panel=OptionGroup.BUILDS,
    ),
]
CompilerName = Annotated[
    str,
    typer.Option(
        metavar="PATH",
        help="C++ compiler  [default: $CXX, g++, clang++, c++]",
        rich_help_panel=OptionGroup.BUILDS,
    ),
]
CompilerFlags = Annotated[
    str,
    typer.Option(
        metavar="FLAGS",
        help="extra compiler flags, after all others",
        rich_help_panel=OptionGroup.BUILDS,
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="print the result as JSON (`machmeter schema`)")
]
HostNames = Annotated[
    str,
    typer.Option(
        metavar="LIST|slurm",
        help="n1,n2 (this host first); slurm: nodes of the job",
        rich_help_panel=OptionGroup.HOSTS,
    ),
]
RemoteShellProgram = Annotated[
    str,
    typer.Option(
        metavar="COMMAND",
        help="remote shell command  [default: ssh]",
        rich_help_panel=OptionGroup.HOSTS,
    ),
]
HwlocXml = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        path_type=Path,
        help="take the topology from this hwloc XML file",
        rich_help_panel=OptionGroup.HOSTS,
    ),
]
DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="print the plan and exit", rich_help_panel=OptionGroup.WHAT),
]
MachineName = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="name of this machine  [default: host name]",
        rich_help_panel=OptionGroup.HOSTS,
    ),
]
OnTwin = Annotated[
    str,
    typer.Option(
        "--on",
        metavar="TWIN|FILE",
        help="simulate on a model of a machine",
        autocompletion=complete_twin,
        rich_help_panel=OptionGroup.HOSTS,
    ),
]
WithChange = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        metavar="NAME=VALUE",
        help="change the model: network.hop_latency=2x",
        rich_help_panel=OptionGroup.HOSTS,
    ),
]
ChangesOfTwin = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        metavar="NAME=VALUE",
        help="change the model: network.hop_latency=2x",
        show_default=False,
    ),
]
RunOutput = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        path_type=Path,
        help="folder of the run  [default: among your runs]",
        rich_help_panel=OptionGroup.OUTPUT,
    ),
]
PageOutput = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="also write the page here", rich_help_panel=OptionGroup.OUTPUT
    ),
]
