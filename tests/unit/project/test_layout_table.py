"""A field of the table of layout fields appears wherever layouts are set, shown and inherited."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UnsetType
from msgspec.structs import replace

from machmeter.api import requests
from machmeter.benchmarks.network.messages import LATENCY
from machmeter.cli.parser import parser
from machmeter.cli.schemas import schema_of
from machmeter.model.layout import Binding, Layout, ProgressMode, WaitPolicy
from machmeter.model.layout_fields import LAYOUT_FIELDS, LayoutField, layout_label
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.point import make_point
from machmeter.report.exports.tables import LAYOUT_COLUMNS
from machmeter.text.commands import command_for
from machmeter.text.labels import distinguishing_label
from machmeter.text.layouts import layout_columns
from tests.support.made_up.ab_runs import ASKED
from tests.support.made_up.estimates import made_up

OTHER: dict[type, Any] = {
    int: 3,
    bool: True,
    str: "other",
    UnsetType: "other",
    Binding: Binding.NONE,
    WaitPolicy: WaitPolicy.PASSIVE,
    ProgressMode: ProgressMode.RESERVED,
}
OPTIONS = {word for parameter in parser().commands["run"].params for word in parameter.opts}


def other_layout(field: LayoutField) -> Layout:
    """A layout that differs from a plain one in that field alone."""
    usual = getattr(Layout(), field.name)
    return replace(Layout(), **{field.name: OTHER[type(usual)]})


@pytest.mark.parametrize("field", LAYOUT_FIELDS, ids=lambda field: field.name)
def test_a_field_is_in_labels_columns_exports_and_schemas(field: LayoutField) -> None:
    layout = other_layout(field)
    assert layout_label(layout) != layout_label(Layout())
    assert layout_columns(layout)[field.title] != layout_columns(Layout()).get(field.title)
    assert LAYOUT_COLUMNS[field.name] is field.kind
    described = schema_of("show")["$defs"]["Layout"]["properties"]
    assert described[field.name]["description"]


@pytest.mark.parametrize("field", LAYOUT_FIELDS, ids=lambda field: field.name)
def test_results_that_differ_in_a_field_alone_have_labels_that_differ(field: LayoutField) -> None:
    both = [
        made_up(LATENCY.name, {"size": 8}, layout, "latency", 1.0)
        for layout in (Layout(), other_layout(field))
    ]
    name = distinguishing_label(both)
    assert name(both[0]) != name(both[1])


@pytest.mark.parametrize(
    "field", [one for one in LAYOUT_FIELDS if one.option], ids=lambda field: field.name
)
def test_an_option_is_offered_repeated_and_inherited(field: LayoutField) -> None:
    option = field.option
    assert option is not None
    assert f"--{option.name}" in OPTIONS
    assert option.field in LayoutOptions.__struct_fields__
    assert requests._OF_LAYOUTS.get(option.name) == (option.field if option.inherited else None)
    # Nodes are named with the hosts.
    if option.inherited:
        point = make_point(LATENCY.name, {"size": 8}, other_layout(field))
        assert f" --{option.name}" in command_for(point, ASKED)
