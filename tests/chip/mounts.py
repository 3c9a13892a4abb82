"""Mounts a Pico's file system as it is when power fails in the middle of each operation, in MicroPython:
mounts.py IMAGE WRITES prints for each what `slot` says, and a sum of each folder's files."""

import hashlib
import os
import sys
from struct import unpack

import vfs

BLOCK = 4096


class Memory:
    def __init__(self, data):
        self.data = data

    def readblocks(self, block, buffer, offset=0):
        start = block * BLOCK + offset
        buffer[:] = self.data[start : start + len(buffer)]

    def writeblocks(self, block, buffer, offset=None):
        raise OSError(30)

    def ioctl(self, what, block):
        return {4: len(self.data) // BLOCK, 5: BLOCK}.get(what, 0)


def content(path):
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - MicroPython has no pathlib
            return file.read()
    except OSError:
        return b""


def total(folder):
    """Of all its files; "-" when there is none."""
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208
    except OSError:
        return "-"
    found = hashlib.sha256()
    for name in names:
        found.update(name.encode())
        found.update(content(folder + "/" + name))
    return found.digest().hex()


def look(flash, number):
    vfs.mount(vfs.VfsLfs2(flash, progsize=256), "/pico")
    try:
        line = content("/pico/slot").decode().replace(" ", "_")
        print(number, line or "-", total("/pico/a/table_node"), total("/pico/b/table_node"))
    finally:
        vfs.umount("/pico")


with open(sys.argv[1], "rb") as file:  # noqa: PTH123
    flash = Memory(bytearray(file.read()))
number = 0
with open(sys.argv[2], "rb") as file:  # noqa: PTH123
    while True:
        head = file.read(8)
        if not head:
            break
        place, size = unpack("<II", head)
        data = file.read(size)
        middle = place + size // 2
        flash.data[place:middle] = data[: size // 2]
        look(flash, number)
        flash.data[middle : place + size] = data[size // 2 :]
        number += 1
look(flash, number)
