"""Types that threads convert are known to msgspec once their module is loaded (docs/decisions/0072)."""

import subprocess
import sys

import pytest

LOOK = """
import gc
import sys
from importlib import import_module

name, types = sys.argv[1], sys.argv[2]
module = import_module(name)
for one in eval(types, vars(module)):
    struct = any(type(part).__name__ == "StructInfo" for part in gc.get_referents(one))
    if not struct and "__msgspec_cache__" not in vars(one):
        print(one.__name__)
"""


@pytest.mark.parametrize(
    ("module", "types"),
    [
        ("pi_controller.hal.sim.machine", "[SystemFacts]"),
        ("pi_controller.journal.witnesses", "[JournalExtent]"),
        ("pi_controller.journal.record", "CONVERTED"),
        ("pi_controller.roster.model", "[Roster]"),
        ("pi_controller.selftest.report", "[SelfTestReport]"),
    ],
)
def test_they_are_known(module: str, types: str) -> None:
    found = subprocess.run(
        [sys.executable, "-c", LOOK, module, types], capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")
