"""A small scripted feed server: serves the pages and plays pictures at will, to stage every situation."""

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

from aiohttp import WSCloseCode, WSMsgType, web
from aiohttp.typedefs import Handler
from msgspec import Raw

from pi_controller.protocol.changes import NewestPicture
from pi_controller.protocol.question import CoreLine
from pi_controller.roster.seat_codes import WrongCode
from pi_controller.web.http.guard import LOG_IN_ENDED
from pi_controller.web.http.routes import LANGUAGE, RequestLanguages
from pi_controller.web.http.static_files import Pages
from pi_controller.web.live.broadcaster import phone_picture
from tests.browser import stage_files
from tests.browser.stage_files import DESK, ENGLISH, FEED, FEEDS, HARDWARE, PAGES, PHONES, pages_in_english
from tests.patience import DEADLINE_S

SCREEN = "/api/screen"
ACCEPTED: tuple[int, dict[str, Any]] = (200, {"accepted": True, "seq": 1, "reasons": []})
CUT = 0
"""In the place of a status: the connection is cut and nothing is answered."""
Json = dict[str, Any]


class Stage:
    """A server on loopback in a thread of its own.

    `play` and `panel` show something, `posts` are the requests that came, `answers` what they get by name.
    `documents` are what GET below /api finds by path. `pages` is the folder with the pages' files: those of the
    package, or the same with bundles of their own.
    """

    def __init__(self, pages: Path = PAGES) -> None:
        self._pages = pages
        self.posts: list[Json] = []
        self.drafts: list[Json] = []
        self.answers: dict[str, tuple[int, Json]] = {}
        self.games: list[Json] = [stage_files.ENDED]
        self.actions: Json = stage_files.NO_ACTIONS
        """What is told of the last actions; with `replace` in the address `outcome` is its own."""
        self.feeds = 0
        self.pictures_asked = 0
        """By pages that lacked the one on which a change rests."""
        self.feed_addresses: list[str] = []
        """With which each of them was opened."""
        self.roster: Json = stage_files.NO_ROSTER
        self.join = stage_files.JOIN
        """How phones come in."""
        self.pin = True
        self.director = False
        """Whether whoever opens a page is logged in."""
        self.documents: dict[str, Json | list[Json]] = {}
        self.stands: set[str] = set()
        """What a request to one of these is answered is the document from then on."""
        self.not_started: str | None = None
        """Why core does not start."""
        self.taken = 0
        """How often a hardware test was taken over."""
        self._languages, self._files = ENGLISH, pages_in_english(pages)
        self.refuses = False
        """Whether nobody finds a place on a feed."""
        self.screens: Json = stage_files.NO_SCREENS
        """What `GET /api/screens` answers."""
        self.screen_said: list[Json] = []
        """What screens have said of themselves."""
        self._screen: Json = stage_files.STRANGER
        self._newest: dict[str, Json] = {}
        self._picture: Json | None = None
        self._sockets: dict[str, set[web.WebSocketResponse]] = {path: set() for path in (*FEEDS, SCREEN)}
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
        self._files = Pages(self._pages, self._languages)

    def play(self, picture: Json) -> None:
        """Show this picture to everybody on the feed, now and on connect."""
        self._picture = picture
        newest = NewestPicture()
        newest.take(CoreLine(picture=Raw(json.dumps(picture).encode())))
        for path in (FEED, DESK):
            self.show(path, {"picture": picture})
        self.show(PHONES, {"picture": json.loads(phone_picture(newest))})

    def fall_silent(self) -> None:
        """Whoever connects from now on is told nothing before the next picture."""
        self._picture = None
        for path in (FEED, PHONES, DESK):
            self._newest.pop(path, None)

    @property
    def has_picture(self) -> bool:
        return self._picture is not None

    def beat(self, as_of_ms: int) -> None:
        """A beat of the picture that is on."""
        picture = self._picture or {}
        beat = {
            "version": 1,
            "beat": picture["seq"],
            "session": picture["session"],
            "as_of_ms": as_of_ms,
        }
        self.send(beat)

    def send(self, message: Json) -> None:
        """Anything at all over the feeds."""
        for feed in (FEED, PHONES, DESK):
            self._call(self._send(feed, message))

    def panel(self, panel: Json) -> None:
        """Show this panel on the virtual hall."""
        self.show("/api/sim", {"panel": panel})

    def tables(self, roster: Json, snapshot: Json) -> None:
        """This roster from now on, and this snapshot on the tables' feed."""
        self.roster = roster
        self.show("/api/tables/feed", snapshot)

    def virtual(self, tables: list[Json], sentence: str | None = None) -> None:
        """All virtual tables, now and on connect."""
        self.show("/api/sim/tables", {"all": True, "tables": tables, "sentence": sentence})

    def virtual_change(self, *tables: Json) -> None:
        """These virtual tables have changed."""
        change = {"all": False, "tables": list(tables), "sentence": None}
        self._call(self._send("/api/sim/tables", change))

    def notes(self, *notes: Json) -> None:
        """All notes from the director to the moderator, now and on connect."""
        self.show(stage_files.NOTES, {"notes": list(notes)})

    def screen(self, message: Json) -> None:
        """Every screen is told this, those that come later too when it says how they stand."""
        if "screen" in message:
            self._screen = message
        self._call(self._send(SCREEN, message))

    def wait_for_screen(self) -> Json:
        """What the newest screen has said first."""
        return self._wait(lambda: bool(self.screen_said), "a screen", lambda: self.screen_said)[-1]

    def sheets(self, *drafts: Json) -> None:
        """Claim sheets that are being filled in, now and on connect."""
        self.show(stage_files.SHEETS, {"sheets": list(drafts)})

    def directing(self, view: Json) -> None:
        """Who directs, now and on connect."""
        self.show(stage_files.DIRECTING, view)

    def selftest(self, snapshot: Json) -> None:
        """This self-test, now and on connect."""
        self.show("/api/selftest/feed", snapshot)

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
        self._picture = None
        self._newest, self.pin, self.director, self.not_started = {}, True, False, None
        self._call(self._hang_up())
        self.posts, self.drafts, self.answers, self.games = [], [], {}, [stage_files.ENDED]
        self.feed_addresses = []
        self.pictures_asked = 0
        self.feeds, self.roster = 0, stage_files.NO_ROSTER
        self.join = stage_files.JOIN
        self.documents, self.stands = {}, set()
        self.taken, self.actions = 0, stage_files.NO_ACTIONS
        self.screens, self.screen_said, self._screen = stage_files.NO_SCREENS, [], stage_files.STRANGER
        self._languages, self._files = ENGLISH, pages_in_english(self._pages)

    def hang_up(self) -> None:
        """Cut every feed."""
        self._call(self._hang_up())

    def end_log_ins(self) -> None:
        """Close every feed as the controller does when the log-in behind it has ended."""
        self._call(self._hang_up(LOG_IN_ENDED))

    def wait_for_posts(self, count: int) -> list[Json]:
        """The first `count` requests, in order; fails after a generous deadline."""
        return self._wait(lambda: len(self.posts) >= count, f"{count} posts, came {self.posts}")[:count]

    def wait_for_drafts(self, count: int) -> list[Json]:
        """The first `count` sheets that were sent while they were filled in."""
        return self._wait(lambda: len(self.drafts) >= count, f"{count} drafts", lambda: self.drafts)[:count]

    def wait_for_feeds(self, count: int) -> None:
        """Until so many feeds have been opened since the last `clear`."""
        self._wait(lambda: self.feeds >= count, f"{count} feeds")

    def close(self) -> None:
        self._call(self._hang_up())
        self._call(self._runner.cleanup())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(DEADLINE_S)
        self._loop.close()

    def show(self, path: str, message: Json) -> None:
        """This on the feed of this path, now and on connect."""
        self._newest[path] = message
        self._call(self._send(path, message))

    def _wait(
        self, ready: Callable[[], bool], what: str, of: Callable[[], list[Json]] | None = None
    ) -> list[Json]:
        with self._changed:
            if not self._changed.wait_for(ready, DEADLINE_S):
                raise AssertionError(f"waited in vain for {what}")
            return list(self.posts if of is None else of())

    def _note(self, change: Callable[[], None]) -> None:
        with self._changed:
            change()
            self._changed.notify_all()

    def _call(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(DEADLINE_S)

    async def _open(self) -> tuple[web.AppRunner, int]:
        app = web.Application()
        for path, page in stage_files.PATHS.items():
            app.router.add_get(path, self._page(page))
        app.router.add_get("/verify.html", stage_files.verifying)
        app.router.add_get("/verify.svg", stage_files.drawing)
        app.router.add_post("/login", self._enter)
        app.router.add_get("/static/words/{language}.json", self._all_words)
        app.router.add_get("/static/words/{page}/{language}.json", self._words)
        app.router.add_get("/api/join", _told(lambda: self.join))
        app.router.add_get("/join/{name}.svg", stage_files.code)
        app.router.add_get("/api/seat", self._seat)
        app.router.add_get("/static/{name:.+}", self._static)
        for path in FEEDS:
            app.router.add_get(path, self._socket)
        app.router.add_get("/event/logo", stage_files.logo)
        app.router.add_get(SCREEN, self._hold_screen)
        app.router.add_get("/api/screens", _told(lambda: self.screens))
        app.router.add_get("/api/games", _told(lambda: {"games": self.games}))
        app.router.add_get("/api/{path:games/.+}", self._document)
        app.router.add_get("/api/actions", _told(lambda: self.actions))
        app.router.add_get("/api/roster", _told(lambda: self.roster))
        app.router.add_get("/api/session", self._session)
        app.router.add_get("/api/{path:selftest/.+}", self._document)
        app.router.add_get("/api/tables", _told(lambda: self._newest["/api/tables/feed"]))
        app.router.add_get("/api/state", self._state)
        app.router.add_get("/api/{path:links|settings|stick|button|firmware}", self._document)
        app.router.add_post(
            "/api/{name:roster|pin|sheets|login-link|links/revoke|settings|settings/restart|stick|button|firmware}",
            self._post,
        )
        app.router.add_post(
            "/api/{kind:commands|directing|halls|screens|sim/tables|sim|tables|selftest|sound|notes}/{name}",
            self._post,
        )
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        return runner, runner.addresses[0][1]

    def _page(self, name: str) -> Any:
        async def answer(request: web.Request) -> web.Response:
            request[LANGUAGE] = self._languages.of(request)
            page = self._files.page(request, f"{name}.html")
            page.headers["Content-Security-Policy"] = stage_files.POLICY
            return page

        return answer

    async def _static(self, request: web.Request) -> web.Response:
        return stage_files.part(self._files, request.match_info["name"])

    async def _words(self, request: web.Request) -> web.StreamResponse:
        return await self._files.words_of_page(request)

    async def _all_words(self, request: web.Request) -> web.StreamResponse:
        return await self._files.words_of_language(request)

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        if self.refuses:
            raise web.HTTPServiceUnavailable
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        members = self._sockets[request.path]
        members.add(socket)
        first = self._newest.get(request.path)
        self.taken += request.query.get("take") == "1"
        if request.path in (FEED, PHONES, DESK):
            self.feed_addresses.append(request.path_qs)
            self._note(lambda: setattr(self, "feeds", self.feeds + 1))
        if first is not None:
            await socket.send_json(first)
        async for message in socket:
            assert message.type is WSMsgType.TEXT
            asked = message.json()
            if asked == {"ask": "picture"}:
                self._note(lambda: setattr(self, "pictures_asked", self.pictures_asked + 1))
                await socket.send_json({"picture": self._picture})
            elif "command" in asked:
                await self._commanded(socket, asked)
            else:
                await self._probed(socket, asked)
        self._note(lambda: members.discard(socket))
        return socket

    async def _seat(self, request: web.Request) -> web.WebSocketResponse:
        """Every code is that of A8, Moon's, but for a name of what is wrong with it; a claim is noted like a
        request."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            said = message.json()
            if said.get("code") in get_args(WrongCode):
                await socket.close(code=4403, message=said["code"].encode())
            elif "code" in said:
                await socket.send_json({"seat": {"board": "A8", "side": "moon"}})
            elif "ping" in said:
                await socket.send_json({"pong": said["ping"], "at_us": said["ping"] + 7_000_000})
            else:
                _, answer = self.answers.get(
                    "seat", (200, {"accepted": True, "reasons": [], "reason_keys": []})
                )
                await socket.send_json({"claim": said["claim"], **answer})
                post = {"kind": "seat", "name": "claim", "body": said}
                self._note(lambda post=post: self.posts.append(post))
        return socket

    async def _hold_screen(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self._sockets[SCREEN].add(socket)
        await socket.send_json(self._screen)
        async for message in socket:
            said = {"key": request.query.get("key"), **message.json()}
            self._note(lambda said=said: self.screen_said.append(said))
        self._note(lambda: self._sockets[SCREEN].discard(socket))
        return socket

    async def _commanded(self, socket: web.WebSocketResponse, asked: Json) -> None:
        """A command over a desk's socket: noted and answered as one over HTTP; without an answer it is cut."""
        name, seen = asked["command"], (asked.get("if_session"), asked.get("if_seq"))
        seen = tuple(None if one is None else str(one) for one in seen)
        post = {"kind": "commands", "name": name, "body": asked["body"], "key": asked["key"], "seen": seen}
        self._note(lambda: self.posts.append(post))
        status, answer = self.answers.get(name, ACCEPTED)
        if status == CUT:
            await socket.close()
        else:
            await socket.send_json({"id": asked["id"], "status": status, "answer": answer})

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
        self._note(lambda: (self.drafts if name == "sheets" else self.posts).append(post))
        status, answer = self.answers.get(name, ACCEPTED)
        if name in self.stands:
            self.documents[name] = answer
        return web.json_response(answer, status=status)

    async def _enter(self, request: web.Request) -> web.Response:
        post = {"kind": "login", "name": request.query["token"], "body": await request.text()}
        self._note(lambda: self.posts.append(post))
        raise web.HTTPSeeOther("/director")

    async def _session(self, _request: web.Request) -> web.Response:
        told = {
            "director": self.director,
            "role": "director" if self.director else None,
            "name": "",
            "ends_in_s": None,
            "pin": self.pin,
        }
        return web.json_response(told | {"hall": "Town hall", "software": stage_files.SOFTWARE})

    async def _document(self, request: web.Request) -> web.Response:
        """Lists are given as JSON lines."""
        found = (stage_files.DOCUMENTS | self.documents).get(request.match_info["path"])
        if isinstance(found, list):
            return web.Response(text="".join(f"{json.dumps(one)}\n" for one in found))
        return web.json_response(found or {"error": "There is no such game."}, status=200 if found else 404)

    async def _state(self, _request: web.Request) -> web.Response:
        """Only pages without news ask for it."""
        if self.not_started is None:
            return web.json_response(self._picture)
        told = {
            "error": f"The controller does not start: {self.not_started}",
            "not_started": self.not_started,
        }
        return web.json_response(told, status=503)


def _told(what: Callable[[], Any]) -> Handler:
    async def answer(_request: web.Request) -> web.Response:
        return web.json_response(what())

    return answer
