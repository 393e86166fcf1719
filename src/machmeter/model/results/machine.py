"""A machine with its figures, wherever they come from: what stands on one side of a comparison."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from machmeter.model.results.estimate import Estimate

CONTRADICTED, FLAGGED = "contradicted", "flagged"


class Origin(StrEnum):
    """Where the figures of a machine come from."""

    MEASURED = "measured"
    PUBLISHED = "published"
    IMPORTED = "imported"


class Parts(Struct, frozen=True, omit_defaults=True):
    """What figures of a whole machine are divided by; 0 or empty, and left out of JSON, where it is
    not known.

    cores, nodes: of the machine, or of the part of it that was measured; watts: what it draws
    under load; price: of the whole machine, in `currency` (ISO 4217).
    """

    nodes: int = 0
    cores: int = 0
    watts: float = 0.0
    price: float = 0.0
    currency: str = ""


class MachineResults(Struct, frozen=True):
    """A machine as it is compared.

    id: what a person names it by (a run's id, a published machine's, a file's name); title: what
    it is called in a table; source: who printed or measured it; year: 0 where it is not known;
    properties: what it is made of, in words with units, by name; runs: ids of the runs its figures
    were measured in, and `command` what measures them again (empty where it was not machmeter).

    A figure whose source contradicts it by its own arithmetic says so in its `words["flag"]`; one
    that is printed has its id in `words["figure"]`.
    """

    id: str
    title: str
    origin: Origin
    source: str
    parts: Parts = Parts()
    properties: dict[str, str] = field(default_factory=dict)
    estimates: tuple[Estimate, ...] = ()
    year: int = 0
    runs: tuple[str, ...] = ()
    command: str = ""

    @property
    def flagged(self) -> str:
        """What a figure with a flag is called: only a publication contradicts its own."""
        return FLAGGED if self.origin is Origin.IMPORTED else CONTRADICTED
