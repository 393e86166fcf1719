"""A launch of a described program, for tests of what is made of its output, and what was seen of a
rank."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.layout import Assignment, Binding, Layout
from machmeter.model.plan.command import Command
from machmeter.model.plan.description import Description
from machmeter.model.plan.launch import Launch
from machmeter.model.plan.observation import ObservedRank, ObservedTree
from tests.support.fake_launcher import small_spec


def launch_of_described(
    description: Description,
    ranks: int = 1,
    threads: int = 1,
    binding: Binding = Binding.CLOSE,
    *,
    folder: str = "/",
    keeps_files: bool = False,
) -> Launch:
    """Its first launch, in a folder of its own."""
    layout = Layout(ranks_per_node=ranks, threads_per_rank=threads, binding=binding)
    command = Command(
        description.command, folder, 60.0, description, own_folder=True, keeps_files=keeps_files
    )
    spec = replace(small_spec(layout=layout), command=command)
    return Launch(1, spec, 7, Assignment((((0,),),)))


def observed_rank(libraries: tuple[str, ...] = ()) -> ObservedRank:
    """A rank that was one second on CPU 0."""
    tree = ObservedTree(6, 1, 80, (), 0, 0, libraries, ())
    return ObservedRank("node", True, 1.0, 1.0, 0.0, 100, 0, 0, 0, 0, 0, (0,), 1.0, tree)
