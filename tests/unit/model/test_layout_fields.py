"""The table of layout fields: nothing else has to know what fields there are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from machmeter.model.layout import Binding, Layout, ProgressMode, WaitPolicy
from machmeter.model.layout_fields import (
    FIELDS,
    LAYOUT_FIELDS,
    LAYOUT_OPTIONS,
    VARIANT_FIELDS,
    layout_label,
)
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.variant import ONLY, Variant

# Where launches run is no field of a layout, and MPI libraries are variants.
_NO_FIELDS = {"hosts", "launcher", "remote_shell", "mpis"}
LAYOUTS = st.builds(
    Layout,
    nodes=st.integers(1, 3),
    ranks_per_node=st.integers(1, 3),
    threads_per_rank=st.integers(1, 3),
    smt=st.integers(1, 2),
    reserved_cores=st.integers(0, 2),
    binding=st.sampled_from(Binding),
    page_bytes=st.sampled_from((4096, 65536, 2**21)),
    wait_policy=st.sampled_from(WaitPolicy),
    oversubscribe=st.booleans(),
    inner_threads=st.integers(1, 3),
    openmp=st.sampled_from(("", "libomp")),
    allocator=st.sampled_from(("", "jemalloc")),
    progress=st.sampled_from(ProgressMode),
    package=st.integers(-1, 1),
    device=st.sampled_from((UNSET, "opencl:0", "opencl:1")),
)


def test_every_field_of_layouts_and_variants_is_described_once() -> None:
    assert sorted(one.name for one in LAYOUT_FIELDS) == sorted(Layout.__struct_fields__)
    assert [one.name for one in VARIANT_FIELDS] == list(ONLY.fields())
    assert len({one.title for one in FIELDS.values()}) == len(FIELDS)


def test_every_layout_option_sets_a_field_of_the_request() -> None:
    fields = [option.field for option in LAYOUT_OPTIONS.values()]
    assert sorted(fields) == sorted({*LayoutOptions.__struct_fields__} - _NO_FIELDS)


@given(LAYOUTS, LAYOUTS)
def test_different_layouts_have_different_labels(one: Layout, other: Layout) -> None:
    assert (layout_label(one) == layout_label(other)) == (one == other)


def test_a_label_names_what_differs_and_the_variant() -> None:
    plain = "1 node, 1 x 1, close, 4 KiB pages, active wait"
    assert layout_label(Layout()) == plain
    layout = Layout(smt=2, reserved_cores=1, progress=ProgressMode.RESERVED, package=0)
    rest = "SMT 2, 1 reserved, progress on reserved cores, package 0"
    assert layout_label(layout) == f"{plain}, {rest}"
    assert layout_label(Layout(), Variant("mpich").as_baseline()) == f"{plain}, baseline@mpich"


def test_every_field_is_written_in_words_that_stand_alone() -> None:
    for field in LAYOUT_FIELDS:
        assert field.phrase(Layout())
        assert field.cell(getattr(Layout(), field.name))
    for field in VARIANT_FIELDS:
        assert field.phrase(ONLY)
