"""What a few minutes on a machine with a GPU are for, in order: the most telling first.

    python tools/minutes_on_a_device.py OUT [--device cuda:0] [--minutes 10]
        [--babelstream PATH] [--nvbandwidth PATH]

Lists the devices; runs the native tests of devices by every interface that shows this one; compares
device.stream with BabelStream in rounds; runs the study `device`, the liquid, and nvbandwidth. Each
step has a share of the time that is left, and its output is a file of OUT; what it ended with is
printed. `make setup-dev` and `machmeter prepare device` beforehand save minutes. On a machine
without a GPU it does the same with the first device that there is.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from machmeter.api.catalogue import devices
from machmeter.build.devices.selected import device_settings
from machmeter.model.device import NamedDevice
from machmeter.model.errors import MachineLacksError, MachmeterError
from machmeter.model.layout import Layout
from machmeter.store.paths import cache_home

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
NOTHING: Mapping[str, str] = MappingProxyType({})


class Steps:
    """Steps that share the time that is left, in proportion to their weights."""

    def __init__(self, folder: Path, seconds: float, weights: float) -> None:
        self._folder = folder
        self._end = time.monotonic() + seconds
        self._weights = weights
        self.failed = 0

    def run(
        self, name: str, weight: float, command: list[str], settings: Mapping[str, str] = NOTHING
    ) -> str:
        """What the command printed; empty where it did not end well within its time."""
        left = self._end - time.monotonic()
        limit = max(5.0, left * weight / max(self._weights, weight))
        self._weights -= weight
        began = time.monotonic()
        with (self._folder / f"{name}.txt").open("wb") as output:
            try:
                started = subprocess.Popen(
                    [word.replace("{seconds}", f"{limit * 0.8:.0f}s") for word in command],
                    cwd=ROOT,
                    env={**os.environ, **settings},
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
                ended = f"exit code {started.wait(limit)}"
            except subprocess.TimeoutExpired:
                ended = f"stopped after {limit:.0f} s"
                # With all that it started, which would disturb the next step.
                os.killpg(started.pid, signal.SIGKILL)
                started.wait()
            except OSError as error:
                ended = f"cannot be started: {error.strerror}"
        good = ended == "exit code 0"
        self.failed += not good
        sys.stdout.write(f"{name}: {ended}, {time.monotonic() - began:.0f} s\n")
        sys.stdout.flush()
        return (self._folder / f"{name}.txt").read_text(errors="replace") if good else ""


def native_tests(steps: Steps, out: Path, devices: list[NamedDevice]) -> None:
    """Those of devices, by every interface."""
    build = out / "native"
    configure = [str(BIN / "cmake"), "-S", "native", "-B", str(build), "-DMACHMETER_TESTS=ON"]
    configure += ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={BIN / 'ninja'}"]
    if not steps.run("configure", 1, configure):
        return
    listed = steps.run("targets", 1, [str(BIN / "ninja"), "-C", str(build), "-t", "targets", "all"])
    found = (line.partition(":")[0] for line in listed.splitlines())
    targets = [name for name in found if re.fullmatch(r"tests/test-device[\w-]*", name)]
    steps.run("compile-tests", 12, [str(BIN / "ninja"), "-C", str(build), *targets])
    for one in devices:
        try:
            settings = device_settings(one, Layout(), cache_home(os.environ), os.environ)
        except MachmeterError as error:
            sys.stdout.write(f"native tests of {one.name}: {error}\n")
            steps.failed += 1
            continue
        tests = [str(BIN / "ctest"), "--test-dir", str(build), "--output-on-failure"]
        tests += ["-R", "^device", "-E", "by-cuda|listing|state"]
        steps.run(f"native-tests-{one.name.replace(':', '-')}", 6, tests, settings)


def main() -> int:
    """Exit code: 0 where every step ended well, else 1; 2 for a device that is not there, 3 without
    any."""
    given = _arguments()
    given.out = given.out.resolve()
    given.out.mkdir(parents=True, exist_ok=True)
    steps = Steps(given.out, 60 * given.minutes, 70)
    command = [str(BIN / "machmeter")]
    try:
        listed = devices()
    except MachineLacksError as error:
        sys.stdout.write(f"{error}\n")
        return 3
    steps.run("list", 1, [*command, "list", "devices"])
    gpus = [one for one in listed.devices if one.device.kind != "cpu"]
    named = [one for one in listed.devices if one.name == given.device]
    if given.device and not named:
        sys.stdout.write(f"there is no device {given.device}\n")
        return 2
    device = (named or gpus or list(listed.devices))[0]
    sys.stdout.write(f"{device.name}: {device.device.name}\n")
    others = (one for one in listed.devices if one.name != device.name)
    same = [one for one in others if one.device.is_same_as(device.device)]
    native_tests(steps, given.out, [device, *same])
    peer = ["--babelstream", given.babelstream] if given.babelstream else []
    bench = [sys.executable, "-m", "bench", "--only", "device", "--device", device.name]
    size = "128MB" if device.device.kind == "cpu" else "1024MB"
    bench += ["--rounds", "5", "--budget", "{seconds}", "--array-bytes", size, *peer]
    steps.run("babelstream", 12, bench)
    chosen = ["--device", device.name, "--budget", "{seconds}"]
    steps.run("study", 20, [*command, "run", "device", *chosen, "--output", str(given.out / "run")])
    steps.run("liquid", 6, [*command, "run", "device.liquid", *chosen])
    if given.nvbandwidth:
        steps.run("nvbandwidth", 3, [given.nvbandwidth])
    return 1 if steps.failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path, help="folder of all that is printed and measured")
    parser.add_argument("--device", default="", help="as `machmeter list devices` names it")
    parser.add_argument("--minutes", type=float, default=10.0, help="of all steps together [10]")
    parser.add_argument("--babelstream", default="", help="path of BabelStream for this device")
    parser.add_argument("--nvbandwidth", default="", help="path of nvbandwidth")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
