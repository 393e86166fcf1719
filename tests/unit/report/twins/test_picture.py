"""Pictures of networks: within their frame, with a legend and a description."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.report.twins.picture import picture_of
from machmeter.simulation.builtin import find_twin, twin_names
from tests.support.made_up.twins import made_up_twin


@pytest.mark.parametrize("name", twin_names())
def test_every_shape_is_within_the_picture(name: str) -> None:
    drawn = picture_of(find_twin(name))
    assert drawn.nodes
    across = [x for line in drawn.lines for x in (line.x1, line.x2)]
    down = [y for line in drawn.lines for y in (line.y1, line.y2)]
    across += [x for box in drawn.boxes for x in (box.x, box.x + box.width)]
    down += [y for box in drawn.boxes for y in (box.y, box.y + box.height)]
    down += [node.y + 4 for node in drawn.nodes]
    assert 0 <= min(across) <= max(across) <= drawn.width
    assert 0 <= min(down) <= max(down) <= drawn.height


@pytest.mark.parametrize("name", twin_names())
def test_every_kind_of_link_drawn_is_in_the_legend(name: str) -> None:
    drawn = picture_of(find_twin(name))
    kinds = {line.kind.removesuffix(" wrap") for line in drawn.lines}
    assert kinds <= {key.kind for key in drawn.keys}


def test_the_description_has_topology_and_rates() -> None:
    text = picture_of(find_twin("hopper")).description
    assert text.startswith("3-D torus of 17 x 8 x 24 routers, 2 nodes a router.")
    assert "between routers along y 3.47 GB/s" in text


def test_what_is_not_drawn_is_said() -> None:
    assert picture_of(find_twin("two-nodes")).note == ""
    assert picture_of(made_up_twin(nodes=5)).note == "2 of 5 nodes are drawn."
    assert picture_of(find_twin("hopper")).note.startswith("5 x 4 x 3 routers are drawn")


def test_a_torus_of_one_dimension_has_links_of_one_kind() -> None:
    ring = replace(find_twin("hopper"), shape=(4000, 1, 1))
    kinds = {line.kind.removesuffix(" wrap") for line in picture_of(ring).lines}
    assert kinds == {"nic", "link-1"}


def test_the_largest_shapes_are_drawn_in_part() -> None:
    tree = find_twin("comet")
    value = next(p for p in tree.parameters if p.name == "network.link.bandwidth_up1")
    ups = tuple(replace(value, name=f"network.link.bandwidth_up{level}") for level in (2, 3))
    deep = replace(tree, shape=(72, 1944, 38880, 2**20), parameters=(*tree.parameters, *ups))
    assert len(picture_of(deep).boxes) < 100
    wide = replace(find_twin("edison"), shape=(4096, 64, 4))
    assert len(picture_of(wide).boxes) < 400
