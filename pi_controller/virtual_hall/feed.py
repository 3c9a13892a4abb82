"""What the virtual tables are asked over their own socket: hands and faults, and news to who watches."""

from collections.abc import Callable
from dataclasses import dataclass, field

from pi_controller.protocol.answer_types import DoneAnswer
from pi_controller.protocol.errors import Malformed
from pi_controller.protocol.messages import encode, encode_malformed
from pi_controller.protocol.server import Client
from pi_controller.protocol.virtual_tables import Do, TablesNews, Watch
from pi_controller.virtual_hall.hall import VirtualHall

NEWS_US = 100_000
"""Between two news to the same watcher."""


class TablesFeed:
    """`now_us` is the hall's time; `tell` is called when news are due."""

    def __init__(self, hall: VirtualHall, now_us: Callable[[], int]) -> None:
        self._hall = hall
        self._now_us = now_us
        self._watchers: dict[Client, _Watcher] = {}

    def answer(self, client: Client, request: Watch | Do) -> None:
        if isinstance(request, Watch):
            self._watchers[client] = _Watcher(due_us=self._now_us())
            client.on_close.append(lambda: self._watchers.pop(client, None))
            return
        try:
            self._hall.do(request, self._now_us())
        except Malformed as error:
            client.send(encode_malformed(request.id, error.sentence))
        else:
            client.send(encode(DoneAnswer(id=request.id)))

    def next_us(self) -> int | None:
        """When `tell` is due; None while nobody watches."""
        return min((watcher.due_us for watcher in self._watchers.values()), default=None)

    def tell(self) -> None:
        """News to the watchers that are due and have read what they got before."""
        now_us = self._now_us()
        for client, watcher in self._watchers.items():
            if watcher.due_us <= now_us:
                watcher.due_us = now_us + NEWS_US
                if not client.lags:
                    self._tell(client, watcher)

    def _tell(self, client: Client, watcher: "_Watcher") -> None:
        looks = {uid: self._hall.look(uid) for uid in self._hall.tables}
        changed = [uid for uid, look in looks.items() if watcher.seen.get(uid) != look]
        if changed:
            watcher.seen = looks
            news = TablesNews(tables=[self._hall.picture(uid) for uid in changed])
            client.stream("tables", encode(news))


@dataclass
class _Watcher:
    due_us: int
    seen: dict[str, tuple[object, ...]] = field(default_factory=dict)
    """How each table looked when it was told of last."""
