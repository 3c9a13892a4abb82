"""The core of two bare processes: for each line that comes over a Unix socket it writes a picture.

python -m pi_controller.bench.web.bare_core 1500 PATH     (bytes of a picture)

Tells on its standard output when it listens. Ends when its standard input does.
"""

import asyncio
import sys
from functools import partial
from pathlib import Path


async def serve(picture_bytes: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A line says what the picture begins with."""
    async for line in reader:
        writer.write(line.rstrip(b"\n").ljust(picture_bytes) + b"\n")
    writer.close()


async def main(picture_bytes: int, path: Path) -> None:
    async with await asyncio.start_unix_server(partial(serve, picture_bytes), path):
        print("listens", flush=True)
        over = asyncio.Event()
        asyncio.get_running_loop().add_reader(sys.stdin.fileno(), over.set)
        await over.wait()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), Path(sys.argv[2])))
