"""From a command to the last of many listeners, through the real core and web processes."""

import asyncio
import time
from pathlib import Path

from pi_controller.bench.figures import Figure, Say, summary
from pi_controller.bench.processes import ANSWER_WITHIN_S, BenchError, pages
from pi_controller.bench.web.listeners import Listeners
from pi_controller.protocol.async_client import AsyncClient
from pi_controller.protocol.paths import socket_path

PICTURE_BYTES = 1500
"""Size of a picture in the middle of a game, for the floor."""


def command(*, counts: tuple[int, ...], commands: int, folder: Path, say: Say) -> list[Figure]:
    """A row for each number of listeners."""
    with pages(folder) as (_pid, port):
        return asyncio.run(_measure_commands(folder, port, counts, commands, say))


async def _measure_commands(
    state_dir: Path, port: int, counts: tuple[int, ...], commands: int, say: Say
) -> list[Figure]:
    listeners = Listeners(port)
    client = AsyncClient(socket_path(state_dir))
    figures = []
    there = 0
    try:
        for count in sorted(counts):
            await listeners.join(count - there)
            there = count
            say(f"feed.command: {commands} commands to {count} listeners")
            took = [await _once(listeners, client, f"line {count}-{number}.") for number in range(commands)]
            figures.append(
                Figure(
                    name=f"feed.{count}",
                    what=f"command to the last of {count} listeners",
                    unit="ms",
                    measured=summary(took),
                    floor=summary(await bare_broadcast(count, commands)),
                    floor_is=f"asyncio writes {PICTURE_BYTES} bytes to as many sockets of its own process",
                )
            )
    finally:
        await listeners.leave()
        await client.aclose()
    return figures


async def _once(listeners: Listeners, client: AsyncClient, text: str) -> float:
    heard = listeners.listen_for(text.encode())
    begun = time.monotonic()
    answer = await client.command("say", {"text": text}, source="bench")
    if not answer.accepted:
        raise BenchError(f"The line was refused: {' '.join(answer.reasons)}")
    async with asyncio.timeout(ANSWER_WITHIN_S):
        return (await heard - begun) * 1000


async def bare_broadcast(count: int, times: int) -> list[float]:
    """The same by asyncio alone, from the first write to the last reader; milliseconds."""
    writers: list[asyncio.StreamWriter] = []
    ready = asyncio.Event()

    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        if len(writers) == count:
            ready.set()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=max(100, count))
    address = server.sockets[0].getsockname()
    ends = [await asyncio.open_connection(*address) for _ in range(count)]
    await ready.wait()
    took = []
    for _ in range(times):
        begun = time.monotonic()
        for writer in writers:
            writer.write(bytes(PICTURE_BYTES))
        await asyncio.gather(*(reader.readexactly(PICTURE_BYTES) for reader, _ in ends))
        took.append((time.monotonic() - begun) * 1000)
    for writer in [*writers, *(writer for _, writer in ends)]:
        writer.close()
    server.close()
    await server.wait_closed()
    return took
