"""Firefox over WebDriver BiDi (W3C): one page whose scripts run, whose elements are clicked, and whose complaints are kept.

Only what the tests of pages need: `https://www.w3.org/TR/webdriver-bidi/`.
"""

import asyncio
import contextlib
import json
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp

from tests.patience import DEADLINE_S

FIREFOX = "firefox-esr"
ANSWERS_WITHIN_S = 8.0
"""No script of a test runs for longer than two seconds."""
RESTS_WITHIN_S = 5.0
TRIES = 5
PREFERENCES = {
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "datareporting.policy.dataSubmissionEnabled": False,
    "media.volume_scale": "0.0",
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
}
"""Nothing is asked, nothing is fetched from elsewhere."""

EVENTS = ("log.entryAdded", "network.beforeRequestSent", "network.fetchError", "network.responseCompleted")
LEFT_BEHIND = {"NS_BINDING_ABORTED", "NS_ERROR_ABORT"}
"""How a load ends whose page is left meanwhile."""

Json = dict[str, Any]


class BidiError(AssertionError):
    """The browser refused a command."""


class Firefox:
    """Firefox without a window, for the length of a block; `page` is its one page."""

    def __init__(self, program: str, profile: Path) -> None:
        profile.mkdir(parents=True, exist_ok=True)
        lines = [
            f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()
        ]
        (profile / "user.js").write_text("\n".join(lines) + "\n", encoding="utf-8")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self._process = subprocess.Popen(
            [
                program,
                "--headless",
                "--no-remote",
                "--profile",
                profile,
                f"--remote-debugging-port={self._port}",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="bidi")
        self._thread.start()
        self._waiting: dict[int, asyncio.Future[Json]] = {}
        self._number = 0
        self.complaints: list[str] = []
        self._changed = threading.Condition()
        self._loading: set[str] = set()
        self._until_listening()
        self._call(self._connect())
        self.context: str = self.send("browsingContext.getTree")["contexts"][0]["context"]
        self.send("session.subscribe", events=list(EVENTS))

    def __enter__(self) -> "Firefox":
        return self

    def __exit__(self, *_: object) -> None:
        self._call(self._disconnect())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(DEADLINE_S)
        self._loop.close()
        self._process.terminate()
        self._process.wait(DEADLINE_S)
        self._reader.join(DEADLINE_S)
        assert self._process.stderr is not None
        self._process.stderr.close()

    def send(self, method: str, **params: Any) -> Json:
        """The result of a command; BidiError when there is none."""
        return self._call(self._ask(method, params))

    def ask_again(self, method: str, **params: Any) -> Json:
        """The same of what a page must answer: one that is left for another one meanwhile never does."""
        for _ in range(TRIES):
            with contextlib.suppress(TimeoutError):
                return self._call(self._ask(method, params), ANSWERS_WITHIN_S)
        raise BidiError(f"{method} was not answered")

    def _until_listening(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if "WebDriver BiDi listening" in line:
                break
        else:
            raise BidiError("Firefox ended before it listened")
        # What it says later must be read, or it waits for somebody who does.
        self._reader = threading.Thread(target=self._process.stderr.read, daemon=True)
        self._reader.start()

    def _call(self, work: Any, patience_s: float = DEADLINE_S) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(patience_s)

    async def _connect(self) -> None:
        self._http = aiohttp.ClientSession()
        self._socket = await self._http.ws_connect(f"ws://127.0.0.1:{self._port}/session", max_msg_size=0)
        self._listening = asyncio.create_task(self._listen())
        await self._ask("session.new", {"capabilities": {}})

    async def _disconnect(self) -> None:
        self._listening.cancel()
        await self._socket.close()
        await self._http.close()

    async def _ask(self, method: str, params: Json) -> Json:
        self._number += 1
        number = self._number
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": params})
        return await answer

    async def _listen(self) -> None:
        async for message in self._socket:
            said = message.json()
            if said["type"] == "event":
                self._note(said["method"], said["params"])
                continue
            waiting = self._waiting.pop(said["id"])
            if said["type"] == "success":
                waiting.set_result(said["result"])
            else:
                waiting.set_exception(BidiError(f"{said['error']}: {said['message']}"))

    def _note(self, method: str, told: Json) -> None:
        """Console and uncaught exceptions, and each load that fails: Firefox does not put these in its console."""
        if method == "log.entryAdded":
            if told["level"] in ("warn", "error"):
                self.complaints.append(f"{told['level']}: {told['text']} ({_place(told)})")
            return
        request = told["request"]["request"]
        with self._changed:
            (self._loading.add if method == "network.beforeRequestSent" else self._loading.discard)(request)
            self._changed.notify_all()
        if method == "network.fetchError" and told["errorText"] not in LEFT_BEHIND:
            self.complaints.append(f"load: {told['request']['url']}: {told['errorText']}")
        elif method == "network.responseCompleted" and told["response"]["status"] >= 400:
            self.complaints.append(f"load: {told['response']['url']}: {told['response']['status']}")

    def rest(self) -> None:
        """Wait until the page has all that it asked for: one that is left before that has something to complain of."""
        with self._changed:
            self._changed.wait_for(lambda: not self._loading, RESTS_WITHIN_S)
            self._loading.clear()


def _place(entry: Json) -> str:
    """Where the script stood that said it."""
    frames = (entry.get("stackTrace") or {}).get("callFrames") or [{}]
    return f"{entry.get('type')}, {frames[0].get('url', 'no script')}:{frames[0].get('lineNumber', 0)}"


class FirefoxTab:
    """The page of that Firefox, as `hands.Hands` drives it."""

    def __init__(self, firefox: Firefox) -> None:
        self._firefox = firefox

    @property
    def complaints(self) -> list[str]:
        return self._firefox.complaints

    def open(self, address: str) -> None:
        self._firefox.rest()
        self.run(
            "() => new Promise((done) => setTimeout(done, 200))"
        )  # what a page asks for with what it has got
        self._firefox.rest()
        while not self._navigated(address):
            self._firefox.rest()

    def _navigated(self, address: str) -> bool:
        """False where the page itself went somewhere else meanwhile, such as to its own new version."""
        context = self._firefox.context
        try:
            self._firefox.send("browsingContext.navigate", context=context, url=address, wait="complete")
        except BidiError as error:
            if "interrupted an unfinished navigation" not in str(error):
                raise
            return False
        return True

    @contextlib.contextmanager
    def begins_with(self, function: str) -> Iterator[None]:
        """For the length of the block this function runs in each page before its own scripts."""
        script = self._firefox.send("script.addPreloadScript", functionDeclaration=function)["script"]
        yield
        self._firefox.send("script.removePreloadScript", script=script)

    def resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height}
        self._firefox.send("browsingContext.setViewport", context=self._firefox.context, viewport=size)

    def run(self, function: str, *values: Any) -> Any:
        """What this function gives for these JSON values; it may be async."""
        result = self._firefox.ask_again(
            "script.callFunction",
            functionDeclaration=f"async (...given) => JSON.stringify(await ({function})(...given.map(JSON.parse)) ?? null)",
            arguments=[{"type": "string", "value": json.dumps(value)} for value in values],
            target={"context": self._firefox.context},
            awaitPromise=True,
            userActivation=True,
        )
        if result["type"] == "exception":
            raise BidiError(result["exceptionDetails"]["text"])
        return json.loads(result["result"]["value"])

    def click_at(self, x: float, y: float) -> None:
        move = {"type": "pointerMove", "x": round(x), "y": round(y)}
        down, up = {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}
        pointer = {"type": "pointer", "id": "mouse", "actions": [move, down, up]}
        self._firefox.send("input.performActions", context=self._firefox.context, actions=[pointer])

    def type(self, text: str) -> None:
        """Into the element that has the focus."""
        keys = [{"type": kind, "value": sign} for sign in text for kind in ("keyDown", "keyUp")]
        self._firefox.send(
            "input.performActions",
            context=self._firefox.context,
            actions=[{"type": "key", "id": "keyboard", "actions": keys}],
        )
