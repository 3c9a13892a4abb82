"""Figures of core and of the web side as Prometheus text."""

from pathlib import Path

import pytest

from pi_controller.web.api.openapi import exposition, game_figures, together
from tests.protocol.pictures import claim, typed
from tests.web.hall import served


async def test_metrics_of_core_and_web(tmp_path: Path) -> None:
    async with served(tmp_path) as hall, hall.http.ws_connect(hall.url + "/api/feed") as feed:
        await feed.receive_json()
        answer = await hall.get("/metrics")
        assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        lines = answer.body.decode().splitlines()
        assert "pi_controller_loop_lag_ms 0.5" in lines
        assert 'pi_controller_bus_errors{segment="1"} 2.0' in lines
        assert 'pi_controller_web_clients{feed="picture"} 1' in lines
        assert 'pi_controller_web_clients_cut_total{feed="panel"} 0' in lines
        assert "pi_controller_game_round 3" in lines
        assert [line for line in lines if line.startswith("pi_controller_resident_memory_bytes{")] != []
        await hall.core.stop()
        assert (await hall.get("/metrics")).status == 503


def test_a_wrong_metric_name_is_our_mistake() -> None:
    for figures in ({"a b": 1}, {"a": {"b c": 1}}):
        with pytest.raises(ValueError, match="is not a metric name"):
            list(exposition(figures))
    assert list(exposition({"pi_controller_x": {"": 1234567.0}})) == ["pi_controller_x 1234567.0\n"]


def test_a_histogram_in_prometheus_words() -> None:
    family = {'le="0.01"': 2, 'le="+Inf"': 3, "count": 3, "sum": 0.5}
    assert list(exposition({"press_seconds": family})) == [
        "# TYPE pi_controller_press_seconds histogram\n",
        'pi_controller_press_seconds_bucket{le="0.01"} 2\n',
        'pi_controller_press_seconds_bucket{le="+Inf"} 3\n',
        "pi_controller_press_seconds_count 3\n",
        "pi_controller_press_seconds_sum 0.5\n",
    ]


def test_the_game_in_figures() -> None:
    ill = {"level": "warning", "key": "health.late", "params": {"ms": 120}, "text": "Late."}
    shown = typed(
        paused=True,
        running=False,
        pause_reasons=["claim", "button"],
        claims=[claim(), claim(id="c2"), claim(id="c3", status="rejected")],
        saved_seq=5,
        health={"level": "warning", "messages": ["Late."], "items": [ill]},
    )
    lines = "".join(exposition(game_figures(shown))).replace("pi_controller_", "").splitlines()
    assert {line for line in lines if line.endswith(" 1")} == {
        'game_phase{phase="round"} 1',
        'game_side{side="sun"} 1',
        "game_paused 1",
        'game_pause_reason{reason="button"} 1',
        'game_pause_reason{reason="claim"} 1',
        'game_claims{status="rejected"} 1',
        'health{level="warning"} 1',
        'trouble{key="health.late",level="warning"} 1',
    }
    assert {line for line in lines if not line.endswith((" 0", " 1"))} == {
        "game_round 3",
        "game_duration_seconds 35.0",
        "game_remaining_seconds 23.456",
        'game_claims{status="open"} 2',
        "game_unsaved_changes 2",
    }
    for nothing in (
        "game_running 0",
        'game_phase{phase="robber"} 0',
        'game_side{side="moon"} 0',
        'health{level="fault"} 0',
    ):
        assert nothing in lines


def test_a_family_of_two_parts_stands_in_one_piece() -> None:
    core, web = {"memory": {'process="core"': 2.0}, "lag": 1.0}, {"memory": {'process="web"': 3.0}}
    assert list(exposition(together(core, web))) == [
        'pi_controller_memory{process="core"} 2.0\n',
        'pi_controller_memory{process="web"} 3.0\n',
        "pi_controller_lag 1.0\n",
    ]


def test_how_the_halls_stand_to_each_other() -> None:
    halls = [
        {"hall": "east", "online": True, "software": "1", "boards": 14},
        {"hall": "west", "online": False, "software": "1", "boards": 0},
    ]
    link = {"role": "leader", "hall": "main", "state": "leading", "leader": "main", "term": 3}
    unknown = {"error_ms": None, "heard_ms": None, "stopped": False}
    shown = typed(link=link | unknown | {"halls": halls})
    lines = [
        line
        for line in "".join(exposition(game_figures(shown))).splitlines()
        if "_link_" in line or "_hall_" in line
    ]
    assert [line.removeprefix("pi_controller_") for line in lines] == [
        'link_state{state="no_broker"} 0',
        'link_state{state="leading"} 1',
        'link_state{state="refused"} 0',
        'link_state{state="divided"} 0',
        'link_state{state="looking"} 0',
        'link_state{state="following"} 0',
        'link_state{state="lost"} 0',
        "link_term 3",
        'hall_online{hall="east"} 1',
        'hall_online{hall="west"} 0',
        'hall_boards{hall="east"} 14',
        'hall_boards{hall="west"} 0',
    ]
    assert [name for name in game_figures(typed()) if "link" in name or "hall" in name] == [], (
        "a hall of its own"
    )
