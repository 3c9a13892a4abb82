"""The routes that people open: the pages and what belongs to them."""

from functools import partial

from aiohttp import web

from pi_controller.web.login import Login
from pi_controller.web.pages import Pages, StaticFile, file_answer
from pi_controller.web.routes import Access, Handler, Route

PAGES: tuple[tuple[str, str, Access, str], ...] = (
    ("/", "hall.html", "public", "Hall screen"),
    ("/director", "director.html", "director", "Director's page; without a log-in the way to it"),
    ("/technician", "technician.html", "director", "Technician's page; without a log-in the way to it"),
    ("/technician/selftest", "selftest.html", "director", "Self-test and walk of the rows"),
    ("/technician/hardware", "hardware.html", "director", "Hardware test"),
    ("/sim", "sim.html", "here", "Virtual hall; from another machine with the log-in"),
)
"""Path, file, who may open it, summary."""
ANSWERS: dict[Access, tuple[int, ...]] = {
    "public": (200, 304),
    "here": (200, 303, 304),
    "director": (200, 303, 304),
}


def page_routes(pages: Pages, verifier: StaticFile, login: Login) -> tuple[Route, ...]:
    page = partial(Route, method="GET", kind="page")
    public = partial(page, access="public")
    return (
        *(
            page(
                path=path,
                handler=_page(pages, name),
                access=access,
                summary=summary,
                answers=ANSWERS[access] + ((404,) if name == "sim.html" else ()),
                only_simulated=name == "sim.html",
            )
            for path, name, access, summary in PAGES
        ),
        public(
            path="/login",
            handler=login.page,
            summary="How to log in; with `?token=` it asks whether to use the one-time link",
            answers=(200, 304),
        ),
        Route(
            method="POST",
            path="/login",
            handler=login.enter,
            access="public",
            summary="Log in with the token of a one-time link, sent as JSON, as a form or in the address",
            takes_form=True,
            body_schema="login_body",
            answers=(303, 403, 408, 413, 415, 422, 429),
        ),
        public(
            path="/static/{name:.+}",
            handler=pages.static,
            summary="A part of the pages",
            answers=(200, 304, 404),
            media_type="*/*",
        ),
        public(
            path="/verify_game.py",
            handler=_download(verifier, "verify_game.py"),
            summary="The stand-alone verifier of exported games",
            answers=(200, 304),
            media_type="text/x-python",
        ),
    )


def _page(pages: Pages, name: str) -> Handler:
    async def page(request: web.Request) -> web.StreamResponse:
        return pages.answer(request, name)

    return page


def _download(file: StaticFile, name: str) -> Handler:
    async def download(request: web.Request) -> web.StreamResponse:
        answer = file_answer(request, file)
        answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        return answer

    return download
