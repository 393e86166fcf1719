"""A run that is a job of a batch system."""

from __future__ import annotations

from msgspec import Struct


class Allocation(Struct, frozen=True):
    """What a job takes of a cluster."""

    nodes: int
    """How many nodes."""
    seconds: float
    """For how long at most, seconds."""
    options: tuple[str, ...] = ()
    """Further options of the command that submits, as a person gave them."""

    @property
    def node_hours(self) -> float:
        """What it costs at most."""
        return self.nodes * self.seconds / 3600


class Submission(Struct, frozen=True):
    """A job that was submitted, as `job.json` in the folder of its run describes it."""

    job: str
    """Its number."""
    allocation: Allocation
    """What was requested for it."""
    submitted: str
    """When, ISO 8601, UTC."""
    host: str
    """From where."""
    version: str
    """Of machmeter."""
