"""ReFrame runs machmeter and takes its figures as performance variables.

Tried with ReFrame 4.10: `reframe -c machmeter_reframe.py -r --performance-report`. machmeter has
to be on the PATH of the system that is measured; `-S machmeter=PATH` names another one, and
`-S settings=size=64MiB` sets parameters, so that every night measures the same points.
"""

import json
import pathlib

import reframe as rfm
import reframe.utility.sanity as sn
import reframe.utility.typecheck as typ
from reframe.core.backends import getlauncher
from reframe.core.builtins import (
    parameter,
    run_before,
    sanity_function,
    variable,
)


@rfm.simple_test
class MachmeterTest(rfm.RunOnlyRegressionTest):
    """One benchmark; every figure of it is a performance variable in the unit's base."""

    descr = "machmeter"
    valid_systems = ["*"]  # noqa: RUF012 - as ReFrame wants it
    valid_prog_environs = ["*"]  # noqa: RUF012
    benchmark = parameter(["memory.stream", "network.latency"])
    machmeter = variable(str, value="machmeter")
    budget = variable(str, value="60s")
    precision = variable(str, value="2%")
    settings = variable(typ.List[str], value=[])

    @run_before("run")
    def ask_machmeter(self):
        """machmeter starts and binds its ranks itself: ReFrame's launcher must not."""
        self.executable = self.machmeter
        self.executable_opts = [
            *("run", self.benchmark, "--json"),
            *("--budget", self.budget, "--precision", self.precision),
            *("--output", "run"),
            *(word for setting in self.settings for word in ("--set", setting)),
        ]
        self.keep_files = ["run"]
        self.job.launcher = getlauncher("local")()

    @sanity_function
    def is_whole(self):
        """A run that was interrupted, or in which every launch failed, is no result."""
        state = self._result().get("state", self._result().get("error"))
        return sn.all(
            [
                sn.assert_eq(state, "finished", msg="machmeter says: {0}"),
                sn.assert_gt(len(self._result().get("estimates", [])), 0, msg="no figure"),
            ]
        )

    @run_before("performance")
    def take_figures(self):
        """Figures whose interval holds zero are upper bounds, and left out."""
        self.perf_variables = {
            self._name(one): sn.make_performance_function(
                sn.defer(one["value"]), one["unit"]["symbol"] or one["unit"]["name"]
            )
            for one in self._result()["estimates"]
            if one["resolved"]
        }

    def _result(self):
        """What `machmeter run --json` printed."""
        return json.loads((pathlib.Path(self.stagedir) / str(self.stdout)).read_text())

    @staticmethod
    def _name(one):
        """The figure in one word: its parameters, ranks x threads, the rest of the layout, metric.

        What is as usual (0, 1, none) is left out.
        """
        layout = dict(one["point"]["layout"])
        ranks = layout.pop("nodes") * layout.pop("ranks_per_node")
        parts = [f"{name}={value}" for name, value in one["point"]["parameters"]]
        parts.append(f"{ranks}x{layout.pop('threads_per_rank')}")
        parts += [f"{k}={v}" for k, v in layout.items() if v not in ("", -1, 0, 1, False)]
        return "_".join([*parts, one["metric"]]).replace(" ", "-")
