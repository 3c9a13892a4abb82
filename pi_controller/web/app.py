"""Puts the web side together: the table of routes with the access each needs, and the gate before it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from aiohttp import web

from pi_controller.control.async_client import AsyncClient
from pi_controller.web.answers import BODY_LIMIT
from pi_controller.web.audience import Audience
from pi_controller.web.clocks import Clocks
from pi_controller.web.commands import Commands
from pi_controller.web.core_link import CoreLink
from pi_controller.web.feed import Feed
from pi_controller.web.games import Games
from pi_controller.web.guard import add_security_headers, make_gate
from pi_controller.web.keys import Keys
from pi_controller.web.login import Login
from pi_controller.web.metrics import Metrics
from pi_controller.web.openapi import OpenApi
from pi_controller.web.origin import HostList
from pi_controller.web.pages import Pages, StaticFile, file_answer
from pi_controller.web.routes import COMMAND_PATH, Handler, Route, RouteTable
from pi_controller.web.sim import Sim
from pi_controller.web.throttle import Throttle


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the web side is made of."""

    client: AsyncClient
    keys: Keys
    pages: Pages
    verifier: StaticFile
    """verify_game.py, for download."""
    hosts: HostList
    clocks: Clocks
    found_simulated: Callable[[], None]
    """Called once a session when core turns out to run with simulated hardware."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSide:
    """The application and what runs beside it."""

    app: web.Application
    table: RouteTable
    link: CoreLink
    feed: Audience
    panels: Audience

    def sweep(self) -> None:
        """To be called about once a second."""
        self.feed.sweep()
        self.panels.sweep()


def build_web(parts: Parts, *, request_came: Callable[[web.Request], None]) -> WebSide:
    """Everything wired; `request_came` is told of each request before anything else."""
    feed = Audience(parts.clocks.boot_s)
    panels = Audience(parts.clocks.boot_s)
    link = CoreLink(parts.client, feed=feed, panels=panels, found_simulated=parts.found_simulated)
    login = Login(parts.keys, Throttle(parts.clocks.boot_s), parts.pages)
    description = OpenApi()
    table = RouteTable(
        (
            *_page_routes(parts.pages, parts.verifier, login),
            *_public_routes(link, feed, Metrics(link, feed, panels)),
            *_director_routes(link, login),
            *_sim_routes(Sim(link, panels)),
            Route(
                method="GET",
                path="/api/openapi.json",
                handler=description.get,
                access="public",
                summary="This description",
                answer_schema="openapi",
            ),
        )
    )
    description.describe(table)
    gate = make_gate(
        table=table,
        hosts=parts.hosts,
        login=login,
        link=link,
        request_came=request_came,
    )
    app = web.Application(middlewares=[gate], client_max_size=BODY_LIMIT)
    table.add_to(app)
    app.on_response_prepare.append(add_security_headers)
    app.on_shutdown.append(_close_sockets(feed, panels))
    return WebSide(app=app, table=table, link=link, feed=feed, panels=panels)


def _page_routes(pages: Pages, verifier: StaticFile, login: Login) -> tuple[Route, ...]:
    async def download(request: web.Request) -> web.StreamResponse:
        answer = file_answer(request, verifier)
        answer.headers["Content-Disposition"] = 'attachment; filename="verify_game.py"'
        return answer

    page = partial(Route, method="GET", kind="page")
    return (
        page(path="/", handler=_page(pages, "hall.html"), access="public", summary="Hall screen"),
        page(
            path="/director",
            handler=_page(pages, "director.html"),
            access="director",
            summary="Director's page; without a log-in the way to it",
            answers=(200, 303, 304),
        ),
        page(
            path="/sim",
            handler=_page(pages, "sim.html"),
            access="public",
            summary="Virtual hall",
            answers=(200, 304, 404),
            only_simulated=True,
        ),
        page(
            path="/login",
            handler=login.page,
            access="public",
            summary="How to log in; with `?token=` the one-time link itself",
            answers=(200, 303, 403, 429),
        ),
        page(
            path="/static/{name:.+}",
            handler=pages.static,
            access="public",
            summary="A part of the pages",
            answers=(200, 304, 404),
            media_type="*/*",
        ),
        page(
            path="/verify_game.py",
            handler=download,
            access="public",
            summary="The stand-alone verifier of exported games",
            answers=(200, 304),
            media_type="text/x-python",
        ),
    )


def _public_routes(link: CoreLink, feed: Audience, metrics: Metrics) -> tuple[Route, ...]:
    picture, games = Feed(link, feed), Games(link)
    get = partial(Route, method="GET", access="public")
    return (
        get(
            path="/api/state",
            handler=picture.state,
            summary="The room picture of this moment",
            answers=(200, 503),
            answer_schema="picture",
        ),
        get(
            path="/api/feed",
            handler=picture.socket,
            kind="socket",
            summary="WebSocket: the picture at once and on every change, a beat once a second between",
            answers=(101, 403, 426, 503),
        ),
        get(
            path="/api/games",
            handler=games.list,
            summary="All games of this controller",
            answers=(200, 503),
            answer_schema="games",
        ),
        get(
            path="/api/games/{id}/export",
            handler=games.export,
            summary="A game's journal as JSON lines",
            answers=(200, 404, 503),
            media_type="application/x-ndjson",
        ),
        get(
            path="/metrics",
            handler=metrics.text,
            kind="text",
            summary="Figures as Prometheus text",
            answers=(200, 503),
            media_type="text/plain",
        ),
    )


def _director_routes(link: CoreLink, login: Login) -> tuple[Route, ...]:
    post = partial(Route, method="POST", access="director")
    refusals = (401, 403, 413, 415, 429)
    return (
        post(
            path=COMMAND_PATH,
            handler=Commands(link).post,
            summary="A command to the game",
            answers=(200, 408, 409, 422, 503, *refusals),
        ),
        post(
            path="/api/login-link",
            handler=login.new_link,
            summary="A further one-time log-in link",
            answers=(200, *refusals),
            answer_schema="login_link",
        ),
        post(
            path="/api/logout",
            handler=login.logout,
            summary="End this session",
            answers=(200, *refusals),
            answer_schema="session",
        ),
        Route(
            method="GET",
            path="/api/session",
            handler=login.session,
            access="public",
            summary="Whether the one who asks is logged in",
            answers=(200, 401, 429),
            answer_schema="session",
        ),
    )


def _sim_routes(sim: Sim) -> tuple[Route, ...]:
    """Without log-in: they touch nothing but the simulation, and foreign sites are kept out all the same."""
    route = partial(Route, access="public", only_simulated=True)
    return (
        route(
            method="GET",
            path="/api/sim",
            handler=sim.socket,
            kind="socket",
            summary="WebSocket: what the simulated panel shows, at once and on each change",
            answers=(101, 403, 404, 426, 503),
        ),
        route(
            method="POST",
            path="/api/sim/{action}",
            handler=sim.act,
            summary="Do something to the simulated panel",
            answers=(200, 403, 404, 408, 413, 415, 422, 503),
            answer_schema="done",
            body_schema="sim_body",
        ),
    )


def _page(pages: Pages, name: str) -> Handler:
    async def page(request: web.Request) -> web.StreamResponse:
        return pages.answer(request, name)

    return page


def _close_sockets(*audiences: Audience) -> Callable[[web.Application], Awaitable[None]]:
    async def close(_app: web.Application) -> None:
        await asyncio.gather(*(audience.close() for audience in audiences))

    return close
