"""Closing an asyncio server without losing who comes at that moment."""

import asyncio


async def close_server(server: asyncio.Server) -> None:
    """No new connections; those that are just being accepted come in first, for their protocol to close.

    `Server.close` alone leaves such a connection half made, with an exception that nobody can catch when it
    is collected (CPython 3.11 to 3.13).
    """
    loop = asyncio.get_running_loop()
    for listening in server.sockets:
        loop.remove_reader(listening.fileno())
    await asyncio.sleep(0)
    server.close()
