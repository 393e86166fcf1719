from hypothesis import given
from hypothesis import strategies as st

from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout, ProgressMode
from machmeter.model.results.estimate import Estimate
from machmeter.model.variant import Variant
from machmeter.report.benchmarks.selection import estimates_of, of_metric, plain_choices
from machmeter.report.drawing.panels import MOST_CURVES, few
from machmeter.report.views.axis import PAIRS, RANKS, SIZE
from machmeter.text.labels import distinguishing_label, names_of, point_columns
from tests.support.synthetic.maker import Maker
from tests.support.synthetic.network import make_network_run

RUN = make_network_run()
MAKE = Maker(5)


def ping(layout: Layout, size: int = 8, way: str = "blocking", mpi: str = "") -> Estimate:
    parameters: dict[str, Value] = {"size": size, "way": way}
    with MAKE.of_variant(Variant(mpi)):
        return MAKE.estimate("network.latency", parameters, layout, "latency", 1e-6)


def test_only_what_differs_is_named() -> None:
    both = [ping(Layout(ranks_per_node=2), mpi=mpi) for mpi in ("mpich", "openmpi")]
    assert names_of(both, distinguishing_label(both, SIZE.replaces)) == ["mpich", "openmpi"]
    places = [ping(Layout(ranks_per_node=2)), ping(Layout(nodes=2))]
    assert names_of(places, distinguishing_label(places, SIZE.replaces)) == ["1 node", "2 nodes"]


def test_where_nothing_differs_the_place_is_the_name() -> None:
    alike = [ping(Layout(nodes=2, ranks_per_node=2), size) for size in (8, 16)]
    assert names_of(alike, distinguishing_label(alike, SIZE.replaces)) == ["2 nodes, 4 ranks"]
    assert names_of(alike, distinguishing_label(alike, SIZE.replaces, alone="")) == [""]


def test_more_ranks_than_cores_do_not_begin_a_new_curve() -> None:
    startup = of_metric(estimates_of(RUN, "network.startup"), "init")
    assert names_of(startup, distinguishing_label(startup, RANKS.replaces)) == ["mpich", "openmpi"]


def test_a_reserved_core_is_named_once() -> None:
    layouts = (
        Layout(ranks_per_node=2),
        Layout(ranks_per_node=2, reserved_cores=1),
        Layout(ranks_per_node=2, reserved_cores=1, progress=ProgressMode.RESERVED),
    )
    found = [ping(layout) for layout in layouts]
    assert names_of(found, distinguishing_label(found, SIZE.replaces)) == [
        "no progress thread",
        "1 reserved core, no progress thread",
        "progress on reserved cores",
    ]


@given(
    st.lists(
        st.tuples(
            st.integers(1, 3),
            st.integers(-1, 2),
            st.sampled_from(ProgressMode),
            st.sampled_from("ab"),
        ),
        min_size=2,
        max_size=8,
        unique=True,
    )
)
def test_different_layouts_have_different_names(
    layouts: list[tuple[int, int, ProgressMode, str]],
) -> None:
    found = [
        ping(Layout(nodes=n, ranks_per_node=2, package=package, progress=progress), mpi=mpi)
        for n, package, progress, mpi in layouts
    ]
    assert len(names_of(found, distinguishing_label(found, SIZE.replaces))) == len(found)


def test_more_curves_than_fit_are_counted() -> None:
    many = [ping(Layout(ranks_per_node=2), mpi=f"library {n}") for n in range(MOST_CURVES + 3)]
    kept, note = few(many, distinguishing_label(many, SIZE.replaces))
    assert kept == tuple(many[:MOST_CURVES])
    assert note == "3 more in the table."
    assert few(many[:2], distinguishing_label(many[:2], SIZE.replaces)) == (tuple(many[:2]), "")


def test_axes_stand_for_circumstances_that_tables_know() -> None:
    pairs = estimates_of(RUN, "network.pairs")
    assert {PAIRS.of(e) for e in pairs} == {1, 2, 4, 8}
    assert PAIRS.text(pairs[0]) == "1 pair"
    assert set(PAIRS.replaces) <= point_columns(pairs[0].point).keys()


def test_plain_choices_are_those_of_the_catalogue() -> None:
    found = plain_choices(estimates_of(RUN, "network.latency"))
    assert {e.point.get("way") for e in found} == {"blocking"}
    assert {e.point.get("buffers") for e in found} == {"hot"}
    assert len({(e.point.layout, e.point.variant) for e in found}) == 4
    kept = plain_choices(estimates_of(RUN, "network.latency"), "way")
    assert {e.point.get("way") for e in kept} > {"blocking", "persistent"}
    only = [ping(Layout(ranks_per_node=2), way="persistent")]
    assert plain_choices(only) == tuple(only)
    assert plain_choices([]) == ()
