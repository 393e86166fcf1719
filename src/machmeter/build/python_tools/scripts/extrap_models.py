"""Extra-P's model of each curve of a request.

Runs in an environment that holds extrap and not machmeter. Request: {"curves": [{"counts":
[p, ...], "times": [t, ...]}, ...]}; answer: {"models": [{"constant": c, "coefficient": a,
"exponent": i, "log_exponent": j}, ...]} for `c + a * p^i * log2(p)^j`; a, i and j are 0 where
Extra-P finds a constant.

Source of the form: Calotoiu, Hoefler, Poke, Wolf, SC13, "Using automated performance modeling to
find scalability bugs in complex codes".
"""

from __future__ import annotations

import json
import sys
import warnings
from types import ModuleType
from typing import Any

# What formats its formulas imports these, and nothing here formats one: 70 MB less to fetch.
sys.modules |= {name: ModuleType(name) for name in ("matplotlib", "matplotlib.ticker")}

from extrap.entities.callpath import Callpath  # noqa: E402
from extrap.entities.coordinate import Coordinate  # noqa: E402
from extrap.entities.measurement import Measurement  # noqa: E402
from extrap.entities.metric import Metric  # noqa: E402
from extrap.modelers.single_parameter.basic import SingleParameterModeler  # noqa: E402


def main() -> None:
    """Answer the request on standard input."""
    request = json.load(sys.stdin)
    # It warns that it leaves logarithms out where a count is 1, which is as it should be.
    warnings.simplefilter("ignore")
    modeler = SingleParameterModeler()
    # Times of a fixed problem fall with the count, and only negative exponents fall.
    modeler.allow_negative_exponents = True
    models = [_model(modeler, curve["counts"], curve["times"]) for curve in request["curves"]]
    json.dump({"models": models}, sys.stdout)


def _model(modeler: Any, counts: list[int], times: list[float]) -> dict[str, float]:
    # Its tests of what is negligible are made for numbers around one.
    largest = max(times)
    measured = [
        Measurement(Coordinate(float(count)), Callpath("main"), Metric("time"), [time / largest])
        for count, time in zip(counts, times, strict=True)
    ]
    function = modeler.create_model(measured).hypothesis.function
    model = {
        "constant": largest * float(function.constant_coefficient),
        "coefficient": 0.0,
        "exponent": 0.0,
        "log_exponent": 0.0,
    }
    for compound in getattr(function, "compound_terms", ()):
        model["coefficient"] = largest * float(compound.coefficient)
        for term in compound.simple_terms:
            kind = "exponent" if term.term_type == "polynomial" else "log_exponent"
            model[kind] = float(term.exponent)
    return model


if __name__ == "__main__":
    main()
