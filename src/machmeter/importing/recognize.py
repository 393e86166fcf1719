"""Which tool wrote a text: recognized by its content, never by its name."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec import Struct

from machmeter.importing.imb import output as imb
from machmeter.importing.osu import output as osu
from machmeter.importing.readings import Place, Reading, in_decimal_megabytes, joined
from machmeter.importing.starts import with_start
from machmeter.importing.text import ForeignText, parts_of, why_no_json
from machmeter.importing.tools import (
    babelstream,
    epcc,
    google_benchmark,
    hpcc,
    hyperfine,
    likwid,
    nccl,
    nvbandwidth,
    reframe,
    stream,
)
from machmeter.model.errors import MachmeterError


class Reader(Struct, frozen=True):
    """How output of one tool is recognized and read; `tool` as a person calls it."""

    tool: str
    """Its name."""
    recognizes: Callable[[ForeignText], bool]
    """Whether a text is its output."""
    read: Callable[[ForeignText, Place], Reading]
    """What reads its output."""


READERS = (
    Reader("OSU micro-benchmarks", osu.recognizes, osu.read_osu),
    Reader("Intel MPI Benchmarks", imb.recognizes, imb.read_imb),
    Reader("STREAM", stream.recognizes, stream.read_stream),
    Reader("BabelStream", babelstream.recognizes, babelstream.read_babelstream),
    Reader("nvbandwidth", nvbandwidth.recognizes, nvbandwidth.read_nvbandwidth),
    Reader("nccl-tests", nccl.recognizes, nccl.read_nccl),
    Reader("EPCC OpenMP micro-benchmarks", epcc.recognizes, epcc.read_epcc),
    Reader("HPC Challenge (hpccoutf.txt)", hpcc.recognizes, hpcc.read_hpcc),
    Reader("likwid-bench", likwid.recognizes, likwid.read_likwid),
    Reader(
        "Google Benchmark's JSON",
        google_benchmark.recognizes,
        google_benchmark.read_google_benchmark,
    ),
    Reader("ReFrame's JSON report", reframe.recognizes, reframe.read_reframe),
    Reader("hyperfine's JSON", hyperfine.recognizes, hyperfine.read_hyperfine),
)


def read_foreign(text: ForeignText, given: Place) -> Reading:
    """The results of every tool whose output the text holds: a log may hold several.

    given: the nodes and ranks it ran with, where a person says so. Raises MachmeterError where no
    tool is recognized, or a tool's output is not of its form.
    """
    readings = [
        _read(reader, part, given)
        for part in parts_of(text)
        for reader in READERS
        if reader.recognizes(part)
    ]
    if not readings:
        tools = ", ".join(reader.tool for reader in READERS)
        why = why_no_json(text)
        raise MachmeterError(
            f"{text.name} is not the output of a supported tool"
            + (f", and no JSON document: {why}" if why else ""),
            f"give output as it was printed, heads and all, of one of: {tools}; or describe the "
            "machine in a file of docs/published.md",
        )
    return joined(readings)


def _read(reader: Reader, text: ForeignText, given: Place) -> Reading:
    """What one tool's reader finds; where it states no program, the tool is it."""
    reading = reader.read(text, given)
    results = tuple(
        msgspec.structs.replace(in_decimal_megabytes(result), program=result.program or reader.tool)
        for result in with_start(text, reading.results)
    )
    return msgspec.structs.replace(reading, results=results)
