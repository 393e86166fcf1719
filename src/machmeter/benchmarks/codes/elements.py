"""Explicit finite elements, as crash codes step them: forces that threads add to nodes."""

from __future__ import annotations

from machmeter.benchmarks.codes.shared import SCALED, TOUCH, code
from machmeter.model.benchmark import Parameter, ParameterKind, ParameterRole
from machmeter.model.units import ELEMENT_UPDATES_PER_SECOND

ELEMENTS = code(
    name="codes.elements",
    title="Explicit finite elements",
    summary="A free body of hexahedra with one integration point and hourglass stiffness (Flanagan "
    "and Belytschko, Int. J. Numer. Methods Eng. 17, 1981) and a compressible neo-Hookean "
    "material, moved by central differences with lumped mass, in double precision. The last "
    "elements have 16 layers of unlike stiffness, whose common traction a Newton iteration finds: "
    "threads share elements out evenly, so that they wait for those with layers. Sums of forces "
    "and moments, energy, the last step by plain formulas at some nodes, a rotated and a uniformly "
    "strained body, and that all ways of adding forces agree are checked in every launch.",
    stands_for="explicit codes for crashes, impacts and forming",
    parameters=(
        Parameter(
            "cells",
            ParameterKind.COUNT,
            (48,),
            "elements along each of three edges",
            minimum=8,
            maximum=800,
            multiple=4,
            bytes_each=810,
            power=3,
            role=ParameterRole.WORK,
            grows=3,
        ),
        Parameter(
            "steps",
            ParameterKind.COUNT,
            (20,),
            "time steps",
            minimum=1,
            maximum=100_000,
            role=ParameterRole.WORK,
        ),
        Parameter(
            "scatter",
            ParameterKind.CHOICE,
            ("corners",),
            "how threads add forces of elements to nodes: each node gathers what elements stored "
            "by corner; elements of one of eight colors at a time, which share no node; or in "
            "arrays of their own, which are then summed over threads",
            choices=("corners", "colors", "private"),
            phrase="scatter: {}",
        ),
        Parameter(
            "costly",
            ParameterKind.COUNT,
            (10,),
            "percent of the elements that have layers",
            maximum=100,
            phrase="{} % costly",
            role=ParameterRole.WORK,
        ),
        TOUCH,
        SCALED,
    ),
    unit=ELEMENT_UPDATES_PER_SECOND,
    amount="element_updates",
)
