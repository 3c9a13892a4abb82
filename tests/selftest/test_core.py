"""The session over core's own socket: the real core, two tables that run the real firmware, and somebody who looks."""

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.probes import LampProbe, ReportProbe
from pi_controller.selftest.core import CannotRun, CoreUnderTest, DoesNotAnswer
from pi_controller.selftest.report import SelfTestReport
from pi_controller.selftest.session import run_selftest
from pi_controller.selftest.verdicts import Code
from tests.patience import DEADLINE_S
from tests.protocol.asking import Probing
from tests.selftest.real_hall import RealHall, real_hall
from tests.selftest.small_hall import SmallHall
from tests.selftest.somebody import Somebody
from tests.system.programs import wait_for_picture

GUIDED: tuple[Code, ...] = ("LMP", "HRN", "PSB", "BNC", "CLM", "LED", "OLD")


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealHall]:
    with real_hall(tmp_path_factory.mktemp("hall"), 2) as there:
        yield there


def look(hall: RealHall, *only: Code, patience_s: float = 3.0) -> SelfTestReport:
    """Who looks for what is missing waits in vain for as long as their patience lasts."""
    hall.patience_s = patience_s
    return asyncio.run(
        run_selftest(
            CoreUnderTest(hall.state_dir, pin_matches=lambda _pin: None),
            level="field",
            only=only,
            who="Ada",
            operator=Somebody(hall, look_until=hall.look_until),
        )
    )


def verdicts(report: SelfTestReport) -> dict[str, str]:
    return {result.code: result.verdict for result in report.results}


def look_again(
    hall: RealHall, *only: Code, patience_s: float, well: Callable[[SelfTestReport], bool]
) -> SelfTestReport:
    """Until it is well, for minutes at most, where nothing but the walk has found something, and that with no fix: how
    soon a press is acknowledged is the machine's."""
    end_s = time.monotonic() + DEADLINE_S
    while not well(report := look(hall, *only, patience_s=patience_s)):
        found = [result for result in report.results if result.verdict != "passed"]
        assert {result.code for result in found} <= {"CLM"}, found
        assert not [one for result in found for one in result.findings if one.fix is not None], found
        assert time.monotonic() < end_s, found
    return report


def test_a_healthy_hall_passes_and_core_keeps_the_report(hall: RealHall) -> None:
    report = look_again(
        hall,
        *(*GUIDED, "JRN", "SEC", "PRT", "PWR"),
        patience_s=DEADLINE_S,
        well=lambda report: set(verdicts(report).values()) == {"passed"},
    )
    assert report.simulated
    assert len(list((hall.state_dir / "selftest").glob("*-field.json"))) == 1
    assert look(hall, "TMP").compared_with == report.when


def test_faults_of_panel_and_tables_are_seen_by_somebody_who_looks(hall: RealHall) -> None:
    hall.sim("buzzer_dead")
    hall.table_action("dark", "A2", side="moon")
    found = {result.code: result for result in look(hall, "HRN", "OLD", "TMP").results}
    assert {code: result.verdict for code, result in found.items()} == {
        "HRN": "failed",
        "OLD": "failed",
        "TMP": "passed",
    }
    assert "the display of A2 Moon" in [finding.part for finding in found["OLD"].findings]
    hall.sim("buzzer_mend")
    hall.table_action("mended", "A2")


def test_a_broken_spare_wire_is_felt_by_the_firmware_and_told_by_its_own_check(hall: RealHall) -> None:
    assert verdicts(look(hall, "SPR", "NTP")) == {"SPR": "passed", "NTP": "passed"}
    hall.table_action("spare", "A2", value=1)
    (found,) = look(hall, "SPR").results
    assert [(finding.part, finding.where) for finding in found.findings] == [
        ("the cable between A1 and A2", "A2")
    ]
    hall.table_action("mend", "A2")
    hall.take_terminator()
    (found,) = look(hall, "SPR").results
    assert [(finding.part, finding.where) for finding in found.findings] == [
        ("the terminator of segment A", "A")
    ]
    hall.put_terminator()


def test_a_table_the_other_way_round_is_mended(hall: RealHall) -> None:
    hall.table_action("crossed", "A1")
    look_again(hall, "CLM", patience_s=3.0, well=lambda report: report.results[0].findings[0].mended)
    walked, lit = look(hall, "CLM", "LED", patience_s=DEADLINE_S).results
    # How soon a claim is acknowledged is the machine's; a side that is wrong comes with its fix.
    assert not [found for found in walked.findings if found.fix is not None], walked
    assert lit.verdict == "passed", lit
    hall.table_action("mended", "A1")
    hall.all_well()


def test_a_game_that_runs_is_not_disturbed(hall: RealHall) -> None:
    assert hall.client.command("start").accepted
    with pytest.raises(CannotRun, match="test the hardware before a game's start or after its end"):
        look(hall, "TMP")
    wait_for_picture(hall.client, lambda picture: picture.phase == "round")
    assert hall.client.command("end", {"confirm": True}).accepted


def test_what_does_not_answer_is_not_the_end(hall: RealHall) -> None:
    async def ask() -> None:
        core = CoreUnderTest(hall.state_dir)
        await core.begin("Ada")
        with pytest.raises(DoesNotAnswer, match="There is no report"):
            await core.probe(ReportProbe(name="20261121-180000-field.json"))
        await core.probe(LampProbe(lamp="sun", lit=False))
        await core.end()

    asyncio.run(ask())


def test_a_lease_that_was_taken_over_is_lost(hall: RealHall) -> None:
    async def ask() -> None:
        core = CoreUnderTest(hall.state_dir)
        await core.begin("Ada")
        with Probing(socket_path(hall.state_dir)) as other:
            assert other.begin("Bob", "hardware_test", take=True).accepted
            with pytest.raises(CannotRun, match="Bob has taken the hardware over"):
                await core.probe(LampProbe(lamp="sun", lit=True))
            other.probe(LampProbe(lamp="sun", lit=False))
        await core.end()

    asyncio.run(ask())


def test_no_core_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CannotRun, match=r"No controller answers at .*: start it with `pi-controller run`"):
        asyncio.run(
            run_selftest(CoreUnderTest(tmp_path), level="field", who="Ada", operator=Somebody(SmallHall()))
        )
    with pytest.raises(CannotRun, match="choose a shorter --state-dir"):
        CoreUnderTest(tmp_path / ("x" * 120))


def test_the_modes_of_secret_files_are_told(tmp_path: Path) -> None:
    for name in ("web/token", "games/g1/seed", "games/g1/journal.jsonl", "roster.json"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
        file.chmod(0o640)
    found = asyncio.run(CoreUnderTest(tmp_path).secrets())
    assert found.files == {"games/g1/seed": 0o640, "web/token": 0o640}
    assert (found.pin_guessable, found.pin_trouble) == (None, None)


@pytest.mark.parametrize(("pin", "guessable"), [("123456", True), ("904177", False), (None, None)])
def test_a_pin_that_everybody_tries_first_is_told(
    tmp_path: Path, pin: str | None, guessable: bool | None
) -> None:
    core = CoreUnderTest(tmp_path, pin_matches=lambda text: None if pin is None else text == pin)
    found = asyncio.run(core.secrets())
    assert found.pin_guessable is guessable


def test_a_pin_file_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    def damaged(_text: str) -> bool:
        raise ValueError("The PIN's file is damaged.")

    found = asyncio.run(CoreUnderTest(tmp_path, pin_matches=damaged).secrets())
    assert found.pin_trouble == "The PIN's file is damaged."
