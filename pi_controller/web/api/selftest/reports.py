"""Reports of earlier self-tests, as core keeps them: the list, and each as JSON and as a printed page."""

import asyncio
from typing import Any

import msgspec
from aiohttp import web

from pi_controller.language.words import speaking
from pi_controller.protocol import messages
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.errors import CoreTrouble, Malformed
from pi_controller.protocol.probe_results import ReportEntry
from pi_controller.protocol.probes import ReportProbe, ReportsProbe
from pi_controller.protocol.sentences import view
from pi_controller.selftest.report import BadReport, Report, convert
from pi_controller.sentence import Sentence
from pi_controller.web.api.selftest.views import ReportsView, ReportView, in_words
from pi_controller.web.http.bodies import Refusal, json_answer
from pi_controller.web.http.language import LANGUAGE, language_headers
from pi_controller.web.http.routes import Route, get
from pi_controller.web.live.core_link import CoreLink

READS = (200, 401, 429)
MOST_READ = 12
"""Of so many, the newest, the list says what stands in them."""


class ReportsApi:
    def __init__(self, link: CoreLink) -> None:
        self._link = link
        self._read: dict[str, ReportView] = {}
        """A report never changes once it is kept."""

    def routes(self) -> tuple[Route, ...]:
        return (
            get(
                path="/api/selftest/reports",
                handler=self.list,
                access="technician",
                summary="The reports that are kept, newest first",
                answers=(*READS, 503),
                answer_schema="selftest.reports",
            ),
            get(
                path="/api/selftest/reports/{name}",
                handler=self.report,
                access="technician",
                kind="text",
                summary="A report: NAME.json as it is kept, NAME.pdf printed",
                answers=(*READS, 404, 422, 503),
                media_type="*/*",
            ),
        )

    async def list(self, request: web.Request) -> web.StreamResponse:
        """`GET /api/selftest/reports`."""
        entries = await _entries(self._link.client)
        for entry in entries[:MOST_READ]:
            if entry.name not in self._read:
                self._read[entry.name] = await self._view(entry)
        self._read = {entry.name: self._read[entry.name] for entry in entries if entry.name in self._read}
        views = tuple(
            self._read.get(entry.name, ReportView(name=entry.name, level=entry.level)) for entry in entries
        )
        language = request[LANGUAGE]
        shown = ReportsView(reports=tuple(in_words(one, language) for one in views))
        return json_answer(shown, headers=language_headers(language))

    async def report(self, request: web.Request) -> web.StreamResponse:
        """`GET /api/selftest/reports/{name}`: NAME.json as it is kept, NAME.pdf printed."""
        asked = request.match_info["name"]
        stem, dot, kind = asked.rpartition(".")
        if not dot or kind not in {"json", "pdf"}:
            raise Refusal(404, Sentence("web.name_of_a_report"))
        value = await self._value(f"{stem}.json")
        if kind == "json":
            return _download(msgspec.json.encode(value) + b"\n", asked, "application/json")
        try:
            report = convert(value)
        except BadReport as problem:
            raise Refusal(422, problem.sentence) from problem
        return _download(
            await asyncio.to_thread(_printed, report, request[LANGUAGE]), asked, "application/pdf"
        )

    async def _value(self, name: str) -> Any:
        asked = messages.AskProbe(probe=ReportProbe(name=name))
        try:
            answer = await self._link.client.ask(asked)
        except (CoreTrouble, Malformed) as problem:
            raise Refusal(404, problem.sentence) from problem
        return answer.result["report"]

    async def _view(self, entry: ReportEntry) -> ReportView:
        plain = ReportView(name=entry.name, level=entry.level)
        try:
            report = convert(await self._value(entry.name))
        except BadReport as problem:
            return msgspec.structs.replace(plain, sentence_key=view(problem.sentence))
        except Refusal as problem:
            return msgspec.structs.replace(plain, sentence_key=view(problem.sentence))
        return msgspec.structs.replace(
            plain, when=report.when, operator=report.operator, verdict=report.verdict
        )


async def _entries(client: AsyncClient) -> list[ReportEntry]:
    """The reports that core has, newest first."""
    answer = await client.ask(messages.AskProbe(probe=ReportsProbe()))
    return msgspec.convert(answer.result["reports"], list[ReportEntry])


def _printed(report: Report, language: str) -> bytes:
    # Imported here: the libraries behind it take their time, and most starts never print.
    from pi_controller.selftest.printed import print_report  # noqa: PLC0415

    with speaking(language):
        return print_report(report)


def _download(body: bytes, name: str, media_type: str) -> web.Response:
    headers = {
        "Content-Type": media_type,
        "Content-Disposition": f'attachment; filename="{name}"',
        "Cache-Control": "no-store",
    }
    return web.Response(body=body, headers=headers)
