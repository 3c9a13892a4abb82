"""Claims that are told to a follower's core as a table tells them, and what the leader's journal has of them."""

import contextlib
import json
import socket
from dataclasses import dataclass

from pi_controller.protocol.messages import AskWatchUplink
from pi_controller.protocol.paths import socket_path
from pi_controller.protocol.question import AskCommand, encode
from tests.system.halls import Hall


@dataclass(frozen=True)
class Made:
    """A claim or a withdrawal: by which hall and under which key."""

    hall: Hall
    key: str
    do: str
    body: dict[str, str]

    @property
    def journal_key(self) -> str:
        """Of the leader's journal."""
        return f"hall/{self.hall.name}/{self.key}"

    def tell(self) -> socket.socket:
        """Its core has it; nobody waits for the answer, and the connection stays as a table's does."""
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(socket_path(self.hall.state_dir)))
        asked = AskCommand(id="a", name=self.do, body=self.body, source="table", key=self.key)
        connection.sendall(encode(asked))
        return connection


def answered(leader: Hall) -> list[tuple[str, bool]]:
    """The key of each command of another hall in the leader's journal, and whether it was accepted."""
    game = leader.picture().game_id
    lines = (leader.state_dir / "games" / game / "journal.jsonl").read_text().splitlines()
    found = (json.loads(line)["data"] for line in lines if '"answered"' in line and '"hall/' in line)
    return [(data["key"], data["accepted"]) for data in found]


class Presses:
    """What each core told of its claims: the moment of the press, by key, on this computer's clock."""

    def __init__(self, halls: list[Hall]) -> None:
        self._halls = halls
        self._ends: list[socket.socket] = []
        for hall in halls:
            end = socket.socket(socket.AF_UNIX)
            end.connect(str(socket_path(hall.state_dir)))
            end.sendall(encode(AskWatchUplink(id="up")))
            self._ends.append(end)

    def moments_us(self) -> dict[str, int]:
        """Of all that were told so far; to be asked once."""
        found: dict[str, int] = {}
        for hall, end in zip(self._halls, self._ends, strict=True):
            end.setblocking(False)
            told = b""
            with contextlib.suppress(BlockingIOError):
                while data := end.recv(65536):
                    told += data
            news = (json.loads(line).get("uplink") for line in told.splitlines())
            found |= {one["key"]: hall.clock.right_us(one["at_us"]) for one in news if one is not None}
        return found

    def close(self) -> None:
        for end in self._ends:
            end.close()
