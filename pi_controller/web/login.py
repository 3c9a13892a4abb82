"""Log-in: a one-time link becomes a session cookie; scripts send the bearer token. Guessing is throttled."""

from typing import Literal

from aiohttp import web

from pi_controller.web.answers import Refusal, json_answer
from pi_controller.web.keys import SESSION_LASTS_S, Keys
from pi_controller.web.pages import Pages
from pi_controller.web.throttle import Throttle

COOKIE = "pi_controller_session"
Credential = Literal["session", "bearer"]


class Login:
    """Says who asks, and serves the log-in routes."""

    def __init__(self, keys: Keys, throttle: Throttle, pages: Pages) -> None:
        self._keys = keys
        self._throttle = throttle
        self._pages = pages

    def credential(self, request: web.Request) -> Credential | None:
        """What shows that the director asks, or None.

        Raises a Refusal for a wrong bearer token (401) and for too many of them (429).
        """
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            self._check_throttle(request)
            if self._keys.is_bearer(token.strip()):
                return "bearer"
            self._throttle.wrong(request.remote or "")
            raise Refusal(
                401,
                "The bearer token is wrong: read it from the file web/token.",
                {"WWW-Authenticate": "Bearer"},
            )
        return "session" if self._keys.is_session(request.cookies.get(COOKIE, "")) else None

    async def page(self, request: web.Request) -> web.StreamResponse:
        """`GET /login`: the page that explains; with `?token=` the one-time link itself."""
        token = request.query.get("token")
        if token is None:
            return self._pages.answer(request, "login.html")
        if request.method == "HEAD":
            raise Refusal(405, "HEAD does not use a log-in link up: open it with GET.", {"Allow": "GET"})
        self._check_throttle(request)
        if not self._keys.redeem(token):
            self._throttle.wrong(request.remote or "")
            raise Refusal(403, "This log-in link is used up or too old: ask the controller for a new one.")
        answer = web.Response(status=303, headers={"Location": "/director", "Cache-Control": "no-store"})
        answer.set_cookie(
            COOKIE,
            self._keys.new_session(),
            max_age=int(SESSION_LASTS_S),
            path="/",
            httponly=True,
            samesite="Strict",
        )
        return answer

    async def session(self, request: web.Request) -> web.StreamResponse:
        """`GET /api/session`: whether this browser is logged in."""
        return json_answer({"director": self.credential(request) is not None})

    async def new_link(self, _request: web.Request) -> web.StreamResponse:
        """`POST /api/login-link`: a further one-time link, for a second device or the next log-in."""
        return json_answer({"path": f"/login?token={self._keys.new_link_token()}"})

    async def logout(self, request: web.Request) -> web.StreamResponse:
        """`POST /api/logout`: this session is over, also for a copy of its cookie."""
        cookie = request.cookies.get(COOKIE, "")
        if self._keys.is_session(cookie):
            self._keys.end_session(cookie)
        answer = json_answer({"director": False})
        answer.del_cookie(COOKIE, path="/")
        return answer

    def _check_throttle(self, request: web.Request) -> None:
        wait_s = self._throttle.wait_s(request.remote or "")
        if wait_s > 0:
            raise Refusal(
                429,
                f"Too many wrong tokens: wait {int(wait_s // 60) + 1} minutes, or use the controller itself.",
                {"Retry-After": str(int(wait_s) + 1)},
            )
