"""The routes that programs and the pages' own scripts use, with who may and what they answer."""

from functools import partial

from pi_controller.web.commands import Commands
from pi_controller.web.feed import Feed
from pi_controller.web.games import Games
from pi_controller.web.login import Login
from pi_controller.web.metrics import Metrics
from pi_controller.web.openapi import OpenApi
from pi_controller.web.routes import COMMAND_PATH, Route
from pi_controller.web.sim import Sim
from pi_controller.web.tables import Tables
from pi_controller.web.virtual_tables import VirtualTables

REFUSALS = (401, 403, 413, 415, 429)
"""To whoever must not change anything, or sends what is no small JSON."""

get = partial(Route, method="GET")
post = partial(Route, method="POST")
socket = partial(get, kind="socket")


def public(feed: Feed, games: Games, metrics: Metrics) -> tuple[Route, ...]:
    return (
        get(
            path="/api/state",
            handler=feed.state,
            access="public",
            summary="The room picture of this moment",
            answers=(200, 503),
            answer_schema="picture",
        ),
        socket(
            path="/api/feed",
            handler=feed.socket,
            access="public",
            summary="WebSocket: the picture at once and on every change, a beat once a second between",
            answers=(101, 403, 426, 503),
        ),
        get(
            path="/api/games",
            handler=games.list,
            access="public",
            summary="All games of this controller",
            answers=(200, 503),
            answer_schema="games",
        ),
        get(
            path="/api/games/{id}/export",
            handler=games.export,
            access="public",
            summary="A game's journal as JSON lines",
            answers=(200, 404, 503),
            media_type="application/x-ndjson",
        ),
        get(
            path="/metrics",
            handler=metrics.text,
            access="public",
            kind="text",
            summary="Figures as Prometheus text",
            answers=(200, 503),
            media_type="text/plain",
        ),
    )


def director(commands: Commands, login: Login) -> tuple[Route, ...]:
    return (
        post(
            path=COMMAND_PATH,
            handler=commands.post,
            access="director",
            summary="A command to the game",
            answers=(200, 408, 409, 422, 503, 507, *REFUSALS),
        ),
        post(
            path="/api/login-link",
            handler=login.new_link,
            access="director",
            summary="A further one-time log-in link",
            answers=(200, *REFUSALS),
            answer_schema="login_link",
        ),
        post(
            path="/api/logout",
            handler=login.logout,
            access="director",
            summary="End this session",
            answers=(200, *REFUSALS),
            answer_schema="session",
        ),
        post(
            path="/api/pin",
            handler=login.pin,
            access="public",
            summary="Log in with the PIN",
            answers=(200, 403, 404, 408, 413, 415, 422, 429, 503),
            answer_schema="session",
            body_schema="pin_body",
        ),
        get(
            path="/api/session",
            handler=login.session,
            access="public",
            summary="Whether the one who asks is logged in",
            answers=(200, 401, 429),
            answer_schema="session",
        ),
    )


def tables(tables: Tables) -> tuple[Route, ...]:
    """The technician uses the director's log-in."""
    return (
        get(
            path="/api/tables",
            handler=tables.snapshot,
            access="director",
            summary="The table nodes of this moment",
            answers=(200, 401, 429, 503),
            answer_schema="tables",
        ),
        socket(
            path="/api/tables/feed",
            handler=tables.socket,
            access="director",
            summary="WebSocket: the table nodes at once and on each change, at most twice a second",
            answers=(101, 401, 403, 426, 429, 503),
        ),
        post(
            path="/api/tables/{deed:(?!feed$)[^/]+}",
            handler=tables.act,
            access="director",
            summary="Do something to a table",
            answers=(200, 404, 408, 409, 422, 503, *REFUSALS),
            answer_schema="change_answer",
            body_schema="table_body",
        ),
        get(
            path="/api/roster",
            handler=tables.roster,
            access="director",
            summary="Rows, boards and the node at each board",
            answers=(200, 401, 429, 503),
            answer_schema="roster",
        ),
        post(
            path="/api/roster",
            handler=tables.set_roster,
            access="director",
            summary="Put this roster in place of the present one",
            answers=(200, 408, 409, 422, 503, *REFUSALS),
            answer_schema="change_answer",
            body_schema="roster",
        ),
    )


def virtual_hall(sim: Sim, virtual: VirtualTables) -> tuple[Route, ...]:
    """Without log-in at this machine only: a simulated button does to the game what the real one does."""
    watch = partial(socket, access="here", only_simulated=True, answers=(101, 401, 403, 404, 426, 429, 503))
    act = partial(
        post,
        access="here",
        only_simulated=True,
        answers=(200, 404, 408, 422, 503, *REFUSALS),
        answer_schema="done",
    )
    return (
        watch(
            path="/api/sim",
            handler=sim.socket,
            summary="WebSocket: what the simulated panel shows, at once and on each change",
        ),
        watch(
            path="/api/sim/tables",
            handler=virtual.socket,
            summary="WebSocket: what the virtual tables show, all at once, then those that change",
        ),
        act(
            path="/api/sim/{action:(?!tables$)[^/]+}",
            handler=sim.act,
            summary="Do something to the simulated panel",
            body_schema="sim_body",
        ),
        act(
            path="/api/sim/tables/{action}",
            handler=virtual.act,
            summary="Do something to a virtual table",
            body_schema="sim_table_body",
        ),
    )


def openapi(description: OpenApi) -> Route:
    return get(
        path="/api/openapi.json",
        handler=description.get,
        access="public",
        summary="This description",
        answer_schema="openapi",
    )
