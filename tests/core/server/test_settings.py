"""Settings from pages: all or none, kept on the disk before they count, a new start only between games."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pi_controller.protocol.messages import AskRestart, AskSetSettings, AskSettings
from pi_controller.protocol.settings import SettingChange
from pi_controller.settings.overlay import FILE_NAME, layered
from pi_controller.settings.sections import Settings
from tests.core.hand import S
from tests.protocol.test_server import Desk, run


async def change(at: Desk, **changes: Any) -> Any:
    """Keys with two underscores in place of the point."""
    asked = [SettingChange(key.replace("__", "."), value) for key, value in changes.items()]
    return await at.client().ask(AskSetSettings(changes=asked))


def test_changes_are_kept_and_taken(tmp_path: Path) -> None:
    async def talk(at: Desk) -> None:
        assert (await change(at, event__name="Fair", hall__languages=["de"])).accepted
        (settings,) = at.taken
        assert (settings.event.name, settings.hall.languages) == ("Fair", ("de",))
        assert layered(Settings(), tmp_path)[0].settings == settings
        assert (await change(at, event__name=None)).accepted
        assert at.taken[-1].event.name == ""
        told = (await at.client().ask(AskSettings(lang="de"))).settings
        found = {view.key: (view.value, view.source) for view in told.settings}
        assert found["hall.languages"] == (["de"], "page")
        assert found["event.name"] == ("", "default")

    run(tmp_path, talk)


def test_one_mistake_and_nothing_is_changed(tmp_path: Path) -> None:
    async def talk(at: Desk) -> None:
        answer = await change(at, event__name="Fair", sound__volume_percent=300, web__port=1)
        assert (answer.accepted, answer.mistakes.keys()) == (False, {"sound.volume_percent", "web.port"})
        assert [reason.key for reason in answer.reason_keys] == [
            "settings.value_unusable",
            "settings.not_from_pages",
        ]
        assert (at.taken, (tmp_path / FILE_NAME).exists()) == ([], False)

    run(tmp_path, talk)


def test_what_the_disk_does_not_take_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_given: object) -> None:
        raise OSError(28, "No space left on device")

    async def talk(at: Desk) -> None:
        with monkeypatch.context() as patch:
            patch.setattr("pi_controller.core.server.settings.keep", full)
            answer = await change(at, event__name="Fair")
        assert [reason.key for reason in answer.reason_keys] == ["settings.not_saved"]
        assert at.taken == []
        assert (await change(at, event__name="Fair")).accepted

    run(tmp_path, talk)


def test_two_at_a_time_are_not_mixed(tmp_path: Path) -> None:
    async def talk(at: Desk) -> None:
        answers = await asyncio.gather(change(at, event__name="Fair"), change(at, hall__name="North"))
        refused = [reason.key for answer in answers for reason in answer.reason_keys]
        assert (sorted(answer.accepted for answer in answers), refused) == (
            [False, True],
            ["settings.being_saved"],
        )

    run(tmp_path, talk)


def test_the_controller_starts_again_between_games_only(tmp_path: Path) -> None:
    async def talk(at: Desk) -> None:
        client = at.client()
        assert (await client.ask(AskRestart())).accepted
        assert at.started_again == [True]
        for command, body in (("start", None), ("pause", None), ("end", {"confirm": True})):
            assert (await client.command(command, body)).accepted
            answer = await client.ask(AskRestart())
            assert [reason.key for reason in answer.reason_keys] == ["settings.restart_between_games"], (
                command
            )
            at.hall.timers.move(4 * S)
            assert (await client.ask(AskSettings())).settings.restart_reasons != []
        assert (await client.command("close", {"confirm": True})).accepted
        assert (await client.ask(AskRestart())).accepted
        assert at.started_again == [True, True]

    run(tmp_path, talk)
