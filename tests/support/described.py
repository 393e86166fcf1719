"""A launch of a described program, for tests of what is made of its output."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.model.layout import Assignment, Binding, Layout
from machmeter.model.plan.command import Command
from machmeter.model.plan.description import Description
from machmeter.model.plan.launch import Launch
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
