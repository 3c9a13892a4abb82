"""`GET /metrics`: core's figures and the web side's own, as Prometheus text."""

import re
from collections.abc import Iterator, Mapping

from aiohttp import web

from pi_controller.web.audience import Audience
from pi_controller.web.core_link import CoreLink

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PREFIX = "pi_controller_"

Figures = Mapping[str, float | Mapping[str, float]]


class Metrics:
    def __init__(self, link: CoreLink, audiences: Mapping[str, Audience]) -> None:
        """`audiences` by the name of their feed."""
        self._link = link
        self._audiences = audiences

    async def text(self, _request: web.Request) -> web.StreamResponse:
        figures = await self._link.metrics()
        lines = "".join([*exposition(figures), *exposition(self._own())])
        return web.Response(
            body=lines.encode(), headers={"Content-Type": MEDIA_TYPE, "Cache-Control": "no-store"}
        )

    def _own(self) -> Figures:
        feeds = {f'feed="{name}"': audience for name, audience in self._audiences.items()}
        return {
            "web_clients": {name: len(audience) for name, audience in feeds.items()},
            "web_clients_cut_total": {name: audience.cut for name, audience in feeds.items()},
        }


def exposition(figures: Figures) -> Iterator[str]:
    """One line for each figure; a name that Prometheus does not take is a ValueError.

    In a family a text such as `segment="1"` is a label, `le="0.01"` a histogram's bucket, and a plain word
    such as `count` the end of a name.
    """
    for name, value in figures.items():
        full = _checked(name if name.startswith(PREFIX) else PREFIX + name)
        if not isinstance(value, Mapping):
            yield f"{full} {value!r}\n"
            continue
        if any(label.startswith("le=") for label in value):
            yield f"# TYPE {full} histogram\n"
        for label, number in value.items():
            yield f"{_series(full, label)} {number!r}\n"


def _series(name: str, label: str) -> str:
    if not label:
        return name
    if "=" not in label:
        return _checked(f"{name}_{label}")
    return f"{name}_bucket{{{label}}}" if label.startswith("le=") else f"{name}{{{label}}}"


def _checked(name: str) -> str:
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a metric name")
    return name
