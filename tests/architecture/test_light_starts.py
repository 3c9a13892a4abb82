"""What the processes load before they answer: each module more is a later pause after a crash."""

import subprocess
import sys

import pytest

CORE_ANSWERS_WITHOUT = {
    "aiohttp": "the pages' library",
    "cryptography": "certificates are the web's",
    "luma": "the display is opened beside the loop",
    "PIL": "drawing, too",
    "paho": "other halls are the links process's",
    "reportlab": "paper",
    "pi_controller.bench": "measuring",
    "pi_controller.cli.main": "the command line",
    "pi_controller.flashing": "firmware of nodes",
    "pi_controller.paper": "paper",
    "pi_controller.replay": "earlier games",
    "pi_controller.selftest": "a client of core",
    "pi_controller.web": "the pages",
}
PAGES_ANSWER_WITHOUT = {
    "gpiozero": "the panel is core's",
    "luma": "the display, too",
    "PIL": "drawing",
    "paho": "other halls are the links process's",
    "reportlab": "paper is printed beside",
    "pi_controller.bench": "measuring",
    "pi_controller.core": "the game",
}
COMMANDS_GO_WITHOUT = {
    "asyncio": "a question and its answer need no loop; a quarter of the start of `pi-controller pause`",
    "pi_controller.core": "asked over the socket",
    "pi_controller.web": "the pages",
}


@pytest.mark.parametrize(
    ("module", "never"),
    [
        ("pi_controller.core.main", CORE_ANSWERS_WITHOUT),
        ("pi_controller.web.main", PAGES_ANSWER_WITHOUT),
        ("pi_controller.cli.game", COMMANDS_GO_WITHOUT),
    ],
)
def test_a_start_loads_only_what_it_needs(module: str, never: dict[str, str]) -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", f"import sys, {module}; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert module in loaded
    for name, why in never.items():
        assert name not in loaded, f"{module} loads {name} ({why})"
