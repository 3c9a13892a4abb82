"""A small scripted feed server: serves the pages and plays pictures at will, to stage every situation."""

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aiohttp import WSCloseCode, WSMsgType, web

import pi_controller.web
from pi_controller.web.http.language import LANGUAGE, RequestLanguages
from pi_controller.web.http.logged_in import LOG_IN_ENDED
from pi_controller.web.http.static_files import Pages, words_of_language

PAGES = Path(pi_controller.web.__file__).parent / "pages"
ENGLISH = RequestLanguages(("en",))
FILES = Pages(PAGES, ENGLISH)
PATIENCE_S = 120.0
POLICY = "default-src 'self'; frame-ancestors 'self'"

PATHS = {
    "/": "hall",
    "/director": "director",
    "/technician": "technician",
    "/technician/selftest": "selftest",
    "/technician/hardware": "hardware",
    "/sim": "sim",
    "/login": "login",
}
HARDWARE = "/api/hardware/feed"
FEEDS = ("/api/feed", "/api/sim", "/api/tables/feed", "/api/sim/tables", "/api/selftest/feed", HARDWARE)
HELD = {"held": True, "settings": {}}
NO_ROSTER: dict[str, Any] = {"version": 1, "rows": []}

Json = dict[str, Any]


class Stage:
    """A server on loopback in a thread of its own.

    `play` and `panel` show something, `posts` are the requests that came, `answers` what they get by name.
    `documents` are what GET below /api finds by path.
    """

    def __init__(self) -> None:
        self.posts: list[Json] = []
        self.answers: dict[str, tuple[int, Json]] = {}
        self.games: list[Json] = []
        self.feeds = 0
        self.roster: Json = NO_ROSTER
        self.pin = True
        self.documents: dict[str, Json] = {}
        self.not_started: str | None = None
        """Why core does not start."""
        self.taken = 0
        """How often a hardware test was taken over."""
        self._languages, self._files = ENGLISH, FILES
        self._newest: dict[str, Json] = {}
        self._sockets: dict[str, set[web.WebSocketResponse]] = {path: set() for path in FEEDS}
        self._changed = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="stage")
        self._thread.start()
        self._runner, self.port = self._call(self._open())

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def speak(self, *languages: str) -> None:
        """From now on these are the languages of the hall."""
        self._languages = RequestLanguages(languages)
        self._files = Pages(PAGES, self._languages)

    def play(self, picture: Json) -> None:
        """Show this picture to everybody on the feed, now and on connect."""
        self._show("/api/feed", picture)

    def beat(self, as_of_ms: int) -> None:
        """A beat of the picture that is on."""
        picture = self._newest["/api/feed"]
        beat = {
            "version": 1,
            "beat": picture["seq"],
            "session": picture["session"],
            "as_of_ms": as_of_ms,
        }
        self._call(self._send("/api/feed", beat))

    def send(self, message: Json) -> None:
        """Anything at all over the feed."""
        self._call(self._send("/api/feed", message))

    def panel(self, panel: Json) -> None:
        """Show this panel on the virtual hall."""
        self._show("/api/sim", {"panel": panel})

    def tables(self, roster: Json, snapshot: Json) -> None:
        """This roster from now on, and this snapshot on the tables' feed."""
        self.roster = roster
        self._show("/api/tables/feed", snapshot)

    def virtual(self, tables: list[Json], sentence: str | None = None) -> None:
        """All virtual tables, now and on connect."""
        self._show("/api/sim/tables", {"all": True, "tables": tables, "sentence": sentence})

    def virtual_change(self, *tables: Json) -> None:
        """These virtual tables have changed."""
        change = {"all": False, "tables": list(tables), "sentence": None}
        self._call(self._send("/api/sim/tables", change))

    def selftest(self, snapshot: Json) -> None:
        """This self-test, now and on connect."""
        self._show("/api/selftest/feed", snapshot)

    def hardware(self, message: Json) -> None:
        """What whoever begins a hardware test is told first."""
        self._newest[HARDWARE] = message

    def hardware_news(self, news: Json) -> None:
        """To the page that holds the hardware test."""
        self._call(self._send(HARDWARE, news))

    @property
    def holds(self) -> int:
        """Pages that hold a hardware test now."""
        return len(self._sockets[HARDWARE])

    def wait_for_holds(self, count: int) -> None:
        self._wait(lambda: self.holds == count, f"{count} pages with a hardware test")

    def clear(self) -> None:
        """Back to an empty stage for the next test; whoever still listens is sent away."""
        self._newest, self.pin, self.not_started = {}, True, None
        self._call(self._hang_up())
        self.posts, self.answers, self.games, self.feeds, self.roster = [], {}, [], 0, NO_ROSTER
        self.documents, self.taken = {}, 0
        self._languages, self._files = ENGLISH, FILES

    def hang_up(self) -> None:
        """Cut every feed."""
        self._call(self._hang_up())

    def end_log_ins(self) -> None:
        """Close every feed as the controller does when the log-in behind it has ended."""
        self._call(self._hang_up(LOG_IN_ENDED))

    def wait_for_posts(self, count: int) -> list[Json]:
        """The first `count` requests, in order; fails after a generous deadline."""
        return self._wait(lambda: len(self.posts) >= count, f"{count} posts, came {self.posts}")[:count]

    def wait_for_feeds(self, count: int) -> None:
        """Until so many feeds have been opened since the last `clear`."""
        self._wait(lambda: self.feeds >= count, f"{count} feeds")

    def close(self) -> None:
        self._call(self._hang_up())
        self._call(self._runner.cleanup())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE_S)
        self._loop.close()

    def _show(self, path: str, message: Json) -> None:
        self._newest[path] = message
        self._call(self._send(path, message))

    def _wait(self, ready: Callable[[], bool], what: str) -> list[Json]:
        with self._changed:
            if not self._changed.wait_for(ready, PATIENCE_S):
                raise AssertionError(f"waited in vain for {what}")
            return list(self.posts)

    def _note(self, change: Callable[[], None]) -> None:
        with self._changed:
            change()
            self._changed.notify_all()

    def _call(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    async def _open(self) -> tuple[web.AppRunner, int]:
        app = web.Application()
        for path, page in PATHS.items():
            app.router.add_get(path, self._page(page))
        app.router.add_post("/login", self._enter)
        app.router.add_get("/static/words/{language}.json", words_of_language)
        app.router.add_get("/static/{name:.+}", _static)
        for path in FEEDS:
            app.router.add_get(path, self._socket)
        app.router.add_get("/api/games", self._list_games)
        app.router.add_get("/api/roster", self._give_roster)
        app.router.add_get("/api/session", self._session)
        app.router.add_get("/api/{path:selftest/.+}", self._document)
        app.router.add_get("/api/tables", self._give_tables)
        app.router.add_get("/api/state", self._state)
        app.router.add_post("/api/{name:roster|pin}", self._post)
        app.router.add_post("/api/{kind:commands|sim/tables|sim|tables|selftest|sound}/{name}", self._post)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        return runner, runner.addresses[0][1]

    def _page(self, name: str) -> Any:
        async def answer(request: web.Request) -> web.Response:
            request[LANGUAGE] = self._languages.of(request)
            page = self._files.page(request, f"{name}.html")
            page.headers["Content-Security-Policy"] = POLICY
            return page

        return answer

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        members = self._sockets[request.path]
        members.add(socket)
        first = self._newest.get(request.path)
        self.taken += request.query.get("take") == "1"
        if request.path == "/api/feed":
            self._note(lambda: setattr(self, "feeds", self.feeds + 1))
        if first is not None:
            await socket.send_json(first)
        async for message in socket:
            assert message.type is WSMsgType.TEXT
            await self._probed(socket, message.json())
        self._note(lambda: members.discard(socket))
        return socket

    async def _probed(self, socket: web.WebSocketResponse, asked: Json) -> None:
        """A probe of the hardware test: noted like a request, answered by what `answers` has for it."""
        probe = asked["probe"]
        _, answer = self.answers.get(probe["do"], (200, {"result": {}}))
        await socket.send_json({"id": asked["id"], **answer})
        self._note(lambda: self.posts.append({"kind": "probe", "name": probe["do"], "body": probe}))

    async def _send(self, path: str, message: Json) -> None:
        for socket in list(self._sockets[path]):
            with contextlib.suppress(ConnectionResetError):  # its page has just been closed
                await socket.send_json(message)

    async def _hang_up(self, code: int = WSCloseCode.OK) -> None:
        for members in self._sockets.values():
            for socket in list(members):
                await socket.close(code=code)

    async def _post(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        text = await request.text()
        post = {
            "kind": request.match_info.get("kind", ""),
            "name": name,
            "body": json.loads(text) if text else None,
            "key": request.headers.get("Idempotency-Key"),
            "seen": (request.headers.get("If-Session"), request.headers.get("If-Seq")),
        }
        self._note(lambda: self.posts.append(post))
        status, answer = self.answers.get(name, (200, {"accepted": True, "seq": 1, "reasons": []}))
        return web.json_response(answer, status=status)

    async def _enter(self, request: web.Request) -> web.Response:
        post = {"kind": "login", "name": request.query["token"], "body": await request.text()}
        self._note(lambda: self.posts.append(post))
        raise web.HTTPSeeOther("/director")

    async def _session(self, _request: web.Request) -> web.Response:
        return web.json_response({"director": False, "pin": self.pin, "hall": "Town hall"})

    async def _give_roster(self, _request: web.Request) -> web.Response:
        return web.json_response(self.roster)

    async def _document(self, request: web.Request) -> web.Response:
        return web.json_response(self.documents[request.match_info["path"]])

    async def _give_tables(self, _request: web.Request) -> web.Response:
        return web.json_response(self._newest["/api/tables/feed"])

    async def _state(self, _request: web.Request) -> web.Response:
        """Only pages without news ask for it."""
        if self.not_started is None:
            return web.json_response(self._newest.get("/api/feed"))
        told = {
            "error": f"The controller does not start: {self.not_started}",
            "not_started": self.not_started,
        }
        return web.json_response(told, status=503)

    async def _list_games(self, _request: web.Request) -> web.Response:
        return web.json_response({"games": self.games})


async def _static(request: web.Request) -> web.Response:
    return _file(request.match_info["name"])


def _file(name: str) -> web.Response:
    file = FILES.file(name)
    if file is None:
        raise web.HTTPNotFound
    headers = {
        "Content-Security-Policy": POLICY,
        "Cache-Control": "no-cache",
        "X-Content-Type-Options": "nosniff",
    }
    return web.Response(body=file.body, headers=headers | {"Content-Type": file.media_type})


def now_ms() -> int:
    """A core clock for pictures that are played in real time."""
    return time.monotonic_ns() // 1_000_000
