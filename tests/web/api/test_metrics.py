"""Figures of core and of the web side as Prometheus text."""

from pathlib import Path

import pytest

from pi_controller.web.api.metrics import exposition
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
