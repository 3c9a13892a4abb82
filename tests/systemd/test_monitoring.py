"""Dashboard and alert rules beside a controller that really runs: every figure that they ask for is there."""

import json
import re
import ssl
import urllib.parse
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, Popen, run
from typing import Any

import msgspec
import promql_parser
import pytest
import yaml

from pi_controller.links.payloads import Status, topic
from pi_controller.protocol.messages import AskSim
from pi_controller.web.api.openapi import exposition
from tests.core.following.test_follower import TwoHalls
from tests.needs import program as installed
from tests.patience import DEADLINE_S
from tests.protocol.asking import watched_tables
from tests.system.broker import HOST, broker, free_port
from tests.system.programs import Lines, client_of, program, wait_for_picture, wait_until

FOLDER = Path(__file__).parents[2] / "systemd/monitoring"
EVERY_HALL = ".+"
OF_PROMETHEUS = {"up", "scrape_duration_seconds", "ALERTS"}
OF_EVERY_SCRAPE = {"job", "instance"}
Series = dict[str, dict[str, set[str]]]
"""Values of labels, by metric and label."""


@dataclass(frozen=True)
class Controller:
    address: str
    certificate: Path

    def metrics(self) -> str:
        return get(f"{self.address}/metrics", ssl.create_default_context(cafile=self.certificate))


def dashboard() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "dashboard.json").read_text(encoding="utf-8"))
    return found


def queries() -> list[str]:
    """Of all panels, as Grafana asks them with all halls chosen."""
    return [
        target["expr"].replace("$instance", EVERY_HALL)
        for panel in dashboard()["panels"]
        for target in panel.get("targets", [])
    ]


def rules() -> list[str]:
    (group,) = yaml.safe_load((FOLDER / "alerts.yml").read_text(encoding="utf-8"))["groups"]
    return [rule["expr"] for rule in group["rules"]]


def of_a_follower() -> str:
    """What only a core that follows another hall tells."""
    halls = TwoHalls()
    halls.hear()
    return "".join(exposition(halls.follower.figures()))


def said_by(metrics: str) -> Series:
    """Of Prometheus text."""
    found: Series = defaultdict(lambda: defaultdict(set))
    for line in metrics.splitlines():
        if not line.startswith("#"):
            name, labels = re.fullmatch(r"(\w+)(?:\{(.*)\})? \S+", line).groups()  # type: ignore[union-attr]
            found[name]
            for label, value in re.findall(r'(\w+)="([^"]*)"', labels or ""):
                found[name][label].add(value)
    return found


def parts(expression: str) -> list[Any]:
    seen: list[Any] = []
    promql_parser.walk(promql_parser.parse(expression), seen.append)
    return seen


def missing(expression: str, there: Series) -> Iterator[str]:
    """What the expression asks for and a scrape does not have; also labels by which it groups and matches."""
    selectors = [part for part in parts(expression) if isinstance(part, promql_parser.VectorSelector)]
    known = OF_EVERY_SCRAPE.union(*(there[one.name] for one in selectors if one.name in there))
    for one in selectors:
        if one.name not in there:
            if one.name not in OF_PROMETHEUS:
                yield one.name
            continue
        for matcher in one.matchers.matchers:
            values = there[one.name].get(matcher.name, set())
            if matcher.op == promql_parser.MatchOp.Equal and matcher.value not in values:
                yield f'{one.name}{{{matcher.name}="{matcher.value}"}}'
            elif matcher.name not in OF_EVERY_SCRAPE and not values:
                yield f"{one.name}{{{matcher.name}}}"
    for part in parts(expression):
        modifier = getattr(part, "modifier", None)
        labels = getattr(modifier, "labels", None) or getattr(
            getattr(modifier, "matching", None), "labels", []
        )
        yield from (f"label {label} in {expression}" for label in labels if label not in known)


@pytest.fixture(scope="module")
def controller(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Controller"]:
    """With two tables in a round that was paused, with a claim and something not in order, and the leader of
    another hall; as installed, the staff's address is encrypted."""
    folder = tmp_path_factory.mktemp("hall")
    settings, state = folder / "settings.toml", folder / "s"
    arguments = (f"--settings={settings}", f"--state-dir={state}")
    with ExitStack() as stack:
        mosquitto = stack.enter_context(broker(folder / "broker"))
        settings.write_text(
            f"[web]\nstaff_port = {free_port()}\nstaff_tls = true\n"
            f'[links]\nrole = "leader"\nhall = "main"\nport = {mosquitto.port}\n'
        )
        east = Status(
            state="online",
            hall="east",
            role="follower",
            leads=False,
            term=1,
            controller="c",
            id="e",
            boards=["E1"],
        )
        where = ("-h", HOST, "-p", str(mosquitto.port), "-r", "-t", topic("east", "status"))
        run([installed("mosquitto_pub"), *where, "-m", msgspec.json.encode(east)], check=True)
        running = stack.enter_context(program("run", "--hardware=sim", "--nodes=2", "--port=0", *arguments))
        url = running.said.wait_for("director https://").split()[1].partition("/login")[0]
        stack.enter_context(program("links", *arguments))
        client = client_of(state)
        assert client.command("start").accepted
        wait_for_picture(client, lambda picture: picture.running)
        client.ask(AskSim(do="tap"))
        wait_for_picture(client, lambda picture: picture.paused and bool(picture.claims))
        client.ask(AskSim(do="fact", name="temperature_c", value=78.0))
        wait_for_picture(client, lambda picture: any("warm" in item.key for item in picture.health.items))
        wait_for_picture(client, lambda picture: picture.link is not None and bool(picture.link.halls))
        with closing(watched_tables(client)) as news:
            next(tables for tables in news if sum(node.state == "good" for node in tables.nodes) == 2)
        yield Controller(url, state / "web" / "certificate.pem")


def test_every_expression_asks_for_what_there_is(controller: Controller) -> None:
    there = said_by(controller.metrics() + of_a_follower())
    assert len(there) > 50
    for expression in (*queries(), *rules()):
        assert list(missing(expression, there)) == []
    (choice,) = [one for one in dashboard()["templating"]["list"] if one["type"] == "query"]
    name = re.fullmatch(r"label_values\((\w+), instance\)", choice["query"]["query"])
    assert name is not None
    assert name[1] in there


def test_what_is_missing_is_found() -> None:
    there = said_by('a_total{le="1"} 2\nb 3.5\n')
    assert list(missing('a_total{le="1"} + ignoring (le) b', there)) == []
    assert list(missing("sum by (le, job) (rate(a_total[5m]))", there)) == []
    for wrong in (
        'a_total{le="2"}',
        'a_total{lf!="1"}',
        "rate(a[1m])",
        "sum by (lf) (a_total)",
        "max without (node) (b)",
        "b / on (node) b",
        "b / ignoring (node) b",
    ):
        assert len(list(missing(wrong, there))) == 1, wrong


def test_a_real_prometheus_answers_each_panel(controller: Controller, tmp_path: Path) -> None:
    with prometheus(tmp_path, controller) as asked:
        elsewhere = said_by(of_a_follower())
        for expression in queries():
            if list(missing(expression, elsewhere)) == []:
                continue
            wait_until(
                lambda query=expression: asked("query", query=query.replace("$__rate_interval", "1m"))[
                    "result"
                ]
            )
        (group,) = asked("rules")["groups"]
        wait_until(lambda: all(rule["health"] == "ok" for rule in asked("rules")["groups"][0]["rules"]))
        assert len(group["rules"]) == 6
        (hall,) = asked("query", query="pi_controller_game_paused")["result"]
        assert hall["value"][1] == "1"
        (claims,) = asked("query", query='pi_controller_game_claims{status="open"}')["result"]
        assert claims["value"][1] == "1"


def test_panels_do_not_overlap() -> None:
    taken: dict[tuple[int, int], str] = {}
    for panel in dashboard()["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                assert taken.setdefault((x, y), panel["title"]) == panel["title"]
    ids = [panel["id"] for panel in dashboard()["panels"]]
    assert len(ids) == len(set(ids))


@contextmanager
def prometheus(folder: Path, controller: Controller) -> Iterator[Any]:
    """One that asks this controller each second by the files as they are; called with a question's name."""
    config = (FOLDER / "prometheus.yml").read_text(encoding="utf-8")
    for written, here in (
        ("192.0.2.10:8443", controller.address.removeprefix("https://")),
        (": 5s", ": 1s"),
        ("ca_file: hall.pem", f"ca_file: {controller.certificate}"),
    ):
        assert written in config
        config = config.replace(written, here)
    (folder / "prometheus.yml").write_text(config)
    (folder / "alerts.yml").write_bytes((FOLDER / "alerts.yml").read_bytes())
    arguments = (f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}")
    with Popen(
        [installed("prometheus"), *arguments, "--web.listen-address=127.0.0.1:0"], stderr=PIPE, text=True
    ) as process:
        try:
            said = Lines(process.stderr)
            line = said.wait_for("Listening on")
            said.wait_for("ready to receive web requests")
            place = re.search(r"127\.0\.0\.1:\d+", line)
            assert place is not None, line

            def asked(what: str, **words: str) -> Any:
                return json.loads(get(f"http://{place[0]}/api/v1/{what}?{urllib.parse.urlencode(words)}"))[
                    "data"
                ]

            yield asked
        finally:
            process.kill()


def get(url: str, context: ssl.SSLContext | None = None) -> str:
    with urllib.request.urlopen(url, timeout=DEADLINE_S, context=context) as answer:  # noqa: S310 - on loopback
        text: str = answer.read().decode()
    return text
