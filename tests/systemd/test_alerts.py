"""The alert rules before the real promtool: each fires where it should, and none where it need not."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.needs import program

RULES = Path(__file__).parents[2] / "systemd/monitoring/alerts.yml"
HALL = 'job="pi-controller",instance="hall"'
SCRAPED_S = 5
WELL = {
    "up": "1x60",
    "scrape_duration_seconds": "0.02x60",
    "pi_controller_journal_pending_lines": "0 0 3 0 0 1 0x60",
    "pi_controller_game_unsaved_changes": "0 0 1 0x60",
    "pi_controller_computer_disk_free_bytes": "20000000000x60",
    'pi_controller_bus_open{segment="A"}': "1x60",
    'pi_controller_table_age_seconds{segment="A",node="1"}': "0.1x60",
    'pi_controller_table_age_seconds{segment="A",node="2"}': "0.2x60",
    'pi_controller_table_age_seconds{segment="B",node="3"}': "0.2x60",
    "pi_controller_computer_under_voltage": "0 1 0x60",
    "pi_controller_computer_temperature_celsius": "76x60",
    "pi_controller_loop_lag_seconds_count": "0+10x60",
    'pi_controller_loop_lag_seconds_bucket{le="0.1"}': "0+10x10 109+10x50",
    # Paused for a minute, then play goes on.
    "pi_controller_game_remaining_seconds": "35 30 25 20x12 15 10 5 33 28 23 18 13 8 3 34-1x34 34-1x20",
    "pi_controller_game_running": "1 1 1 0x12 1x60",
    "pi_controller_game_duration_seconds": "35x80",
    'pi_controller_link_state{state="following"}': "1x80",
    'pi_controller_link_state{state="lost"}': "0 0 1 1 0x80",
    'pi_controller_link_state{state="no_broker"}': "0x80",
}
"""What a scrape each 5 s finds in a hall in order, in promtool's own words for series."""
STANDS = {"pi_controller_game_remaining_seconds": "35 30 25 20x60", "pi_controller_game_running": "1x60"}
LOST = "0+5x60"

CASES: dict[str, tuple[dict[str, str | None], str, int, int, dict[str, str]]] = {
    # what is not in order, the alert, when it does not fire yet, when it does, labels besides job and instance
    "core or web is gone": ({"up": "1 1 1 0x60"}, "ControllerGone", 20, 30, {}),
    "the disk stands": ({"pi_controller_journal_pending_lines": "0 0 1 4 9x60"}, "JournalNotSaved", 20, 30, {}),
    "changes are not saved": ({"pi_controller_game_unsaved_changes": "0 0 2x60"}, "JournalNotSaved", 20, 30, {}),
    "the disk fills": (
        {"pi_controller_computer_disk_free_bytes": "200000000-10000000x15 40000000x60"}, "JournalNotSaved", 65, 75, {}
    ),
    "two tables of a segment are silent": (
        {f'pi_controller_table_age_seconds{{segment="A",node="{node}"}}': LOST for node in (1, 2)},
        "TablesLost", 20, 30, {"segment": "A"},
    ),
    "an adapter is pulled": (
        {'pi_controller_bus_open{segment="A"}': "1 1 0x60"}, "TablesLost", 20, 30, {"segment": "A"}
    ),
    "the supply is too weak": (
        {"pi_controller_computer_under_voltage": "0 0 1x60"}, "SupplyOrHeat", 15, 20, {}
    ),
    "the Pi is too hot": (
        {"pi_controller_computer_temperature_celsius": "77+1x60"}, "SupplyOrHeat", 20, 25, {}
    ),
    "core is late again and again": (
        {'pi_controller_loop_lag_seconds_bucket{le="0.1"}': "0+10x12 120+9x48"}, "ClockBehind", 75, 180, {}
    ),
    "the web side answers slowly": ({"scrape_duration_seconds": "0.1x4 1.4x60"}, "ClockBehind", 35, 45, {}),
    "the broker is gone": (
        {'pi_controller_link_state{state="no_broker"}': "0 0 1x60"}, "HallCutOff", 15, 20, {"state": "no_broker"}
    ),
    "the clock says that it runs and stands": (STANDS, "ClockBehind", 50, 80, {}),
}  # fmt: skip
FINE: dict[str, dict[str, str | None]] = {
    "a hall in order": {},
    "one table is silent, which its own page tells": {'pi_controller_table_age_seconds{segment="A",node="1"}': LOST},
    "one table of each segment is silent": {
        'pi_controller_table_age_seconds{segment="A",node="1"}': LOST,
        'pi_controller_table_age_seconds{segment="B",node="3"}': LOST,
    },
    "a turn without a limit": {
        "pi_controller_game_remaining_seconds": "0x60",
        "pi_controller_game_running": "1x60",
        "pi_controller_game_duration_seconds": "0x60",
    },
    "a computer that does not tell its supply, no tables and no other halls": {
        name: None for name in WELL if any(part in name for part in ("computer_", "_table_", "bus_", "link_"))
    },
}  # fmt: skip


def alerts() -> dict[str, Any]:
    (group,) = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    return {rule["alert"]: rule for rule in group["rules"]}


def tried(folder: Path, changes: dict[str, str | None], fires: dict[int, list[dict[str, str]]]) -> None:
    """The healthy hall with these changes: at each second of `fires` these alerts fire and no others."""
    series = {name: values for name, values in (WELL | changes).items() if values is not None}
    test = {
        "interval": f"{SCRAPED_S}s",
        "input_series": [{"series": with_hall(name), "values": values} for name, values in series.items()],
        "promql_expr_test": [
            {
                "expr": 'ALERTS{alertstate="firing"}',
                "eval_time": f"{second}s",
                "exp_samples": [{"labels": alert_series(labels), "value": 1} for labels in expected],
            }
            for second, expected in fires.items()
        ],
    }
    file = folder / "test.yml"
    whole = {"rule_files": [str(RULES)], "evaluation_interval": f"{SCRAPED_S}s", "tests": [test]}
    file.write_text(json.dumps(whole), encoding="utf-8")
    done = subprocess.run(
        [program("promtool"), "test", "rules", str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def with_hall(series: str) -> str:
    name, _, labels = series.partition("{")
    return f"{name}{{{HALL}{',' + labels if labels else '}'}"


def alert_series(labels: dict[str, str]) -> str:
    return f"ALERTS{{{','.join(f'{name}={json.dumps(value)}' for name, value in labels.items())}}}"


@pytest.mark.parametrize("case", CASES)
def test_an_alert_fires(tmp_path: Path, case: str) -> None:
    changes, alert, not_yet, fires, labels = CASES[case]
    whole = {"alertname": alert, "alertstate": "firing", "severity": "page", **labels}
    tried(tmp_path, changes, {not_yet: [], fires: [whole | {"job": "pi-controller", "instance": "hall"}]})


def test_a_controller_that_nobody_asks_is_gone_too(tmp_path: Path) -> None:
    gone = {"alertname": "ControllerGone", "alertstate": "firing", "severity": "page", "job": "pi-controller"}
    tried(tmp_path, dict.fromkeys(WELL), {10: [gone]})


@pytest.mark.parametrize("changes", FINE.values(), ids=FINE)
def test_nothing_fires(tmp_path: Path, changes: dict[str, str | None]) -> None:
    tried(tmp_path, changes, {second: [] for second in range(0, 280, SCRAPED_S)})


def test_the_files_are_good_and_every_alert_says_what_to_do() -> None:
    for *what, file in (("rules", RULES), ("config", "--syntax-only", RULES.with_name("prometheus.yml"))):
        done = subprocess.run(
            [program("promtool"), "check", *what, str(file)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert set(alerts()) == {"ControllerGone"} | {alert for _, alert, *_ in CASES.values()}
    assert len(alerts()) == 6
    page = (RULES.parents[2] / "docs/monitoring.md").read_text(encoding="utf-8")
    for alert, rule in alerts().items():
        assert re.search(rf"^\| `{alert}` \|", page, re.MULTILINE), (
            f"docs/monitoring.md has no line for {alert}"
        )
        assert min(len(rule["annotations"][part]) for part in ("summary", "action")) > 40
