import asyncio
import socket

from pi_controller.protocol.buffered import READ_AT_ONCE, Buffered, read_buffer


class Kept(Buffered):
    def __init__(self, buffer: memoryview) -> None:
        super().__init__(buffer)
        self.came: list[bytes] = []
        self.over = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self.came.append(data)

    def connection_lost(self, _exc: Exception | None) -> None:
        self.over.set()


def test_what_came_stays_as_it_was_when_more_comes_into_the_same_memory() -> None:
    async def test() -> None:
        loop, buffer = asyncio.get_running_loop(), read_buffer()
        for sent in ([b"first", b"second"], [b"x" * (READ_AT_ONCE + 5)]):
            near, far = socket.socketpair()
            with near, far:
                far.setblocking(False)
                transport, kept = await loop.create_unix_connection(lambda: Kept(buffer), sock=near)
                for each in sent:
                    before = len(b"".join(kept.came))
                    await loop.sock_sendall(far, each)
                    while len(b"".join(kept.came)) < before + len(each):  # noqa: ASYNC110 - it waits for the loop itself
                        await asyncio.sleep(0)
                far.close()
                await kept.over.wait()
                assert b"".join(kept.came) == b"".join(sent)
                assert max(map(len, kept.came)) <= READ_AT_ONCE
                transport.close()

    asyncio.run(test())
