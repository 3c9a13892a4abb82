"""Settings that the staff changes on its pages; core checks and keeps them."""

from collections.abc import Callable
from typing import Annotated

from aiohttp import web
from msgspec import Meta, field

from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.messages import AskRestart, AskSetSettings, AskSettings, ChangeAnswer
from pi_controller.protocol.settings import SettingChanges, SettingsView
from pi_controller.web.api.seats import SeatsApi
from pi_controller.web.http.routes import LANGUAGE, ChangeView, get, json_answer, language_headers, post

SEAT_CODES = "tables.seat_codes"


class SettingsChangeView(ChangeView):
    """What is answered to it."""

    mistakes: Annotated[dict[str, list[str]], Meta(description="The reasons by the key they are about.")] = (
        field(default_factory=dict)
    )


class SettingsApi:
    def __init__(self, core: AsyncClient, seats: SeatsApi, start_again: Callable[[], None]) -> None:
        """`start_again` ends this process, which its supervisor starts again."""
        self._core = core
        self._seats = seats
        self._start_again = start_again

    @get("/api/settings", "technician", also=(503,))
    async def all(self, request: web.Request) -> SettingsView:
        """The settings that pages may change, with where each value comes from and when it counts."""
        return (await self._core.ask(AskSettings(lang=request[LANGUAGE]))).settings

    @post("/api/settings", "technician", also=(409, 503), answer=SettingsChangeView)
    async def change(self, request: web.Request, body: SettingChanges) -> web.StreamResponse:
        """Change settings: all of these or none.

        A `value` of null puts it back to that of the settings file. 409 with each mistake by its key.
        """
        language = request[LANGUAGE]
        said = await self._core.ask(AskSetSettings(changes=body, lang=language))
        if said.accepted and any(change.key == SEAT_CODES for change in body):
            await self._let_phones_claim()
        view = SettingsChangeView(said.accepted, said.reasons, said.reason_keys, said.mistakes)
        return json_answer(view, 200 if said.accepted else 409, language_headers(language))

    async def _let_phones_claim(self) -> None:
        """Or not, as the settings are now: this process reads them at its start, and phones stand outside."""
        told = (await self._core.ask(AskSettings())).settings
        self._seats.allowed = next(view.value is True for view in told.settings if view.key == SEAT_CODES)

    @post("/api/settings/restart", "technician", also=(409, 503))
    async def restart(self, request: web.Request) -> ChangeAnswer:
        """Start the controller again, so that all settings count.

        Core and pages are away for some seconds; log-ins stay. 409 during a game.
        """
        said = await self._core.ask(AskRestart(lang=request[LANGUAGE]))
        if said.accepted:
            self._start_again()
        return said
