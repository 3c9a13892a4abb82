"""Puts a folder into an image of a Pico's file system, in MicroPython: files.py FOLDER IMAGE."""

import os
import sys

import vfs

BLOCK = 4096
BLOCKS = 352
"""1,408 kB, as on a Pico."""


class Memory:
    """A flash of this size in memory, for the file system."""

    def __init__(self):
        self.data = bytearray(b"\xff" * (BLOCK * BLOCKS))

    def readblocks(self, block, buffer, offset=0):
        start = block * BLOCK + offset
        buffer[:] = self.data[start : start + len(buffer)]

    def writeblocks(self, block, buffer, offset=None):
        if offset is None:
            self.ioctl(6, block)
            offset = 0
        start = block * BLOCK + offset
        self.data[start : start + len(buffer)] = buffer

    def ioctl(self, what, block):
        if what == 4:
            return BLOCKS
        if what == 5:
            return BLOCK
        if what == 6:
            start = block * BLOCK
            self.data[start : start + BLOCK] = b"\xff" * BLOCK
        return 0


def copy(source, target):
    for name, kind, *_ in os.ilistdir(source):
        if kind == 0x4000:
            os.mkdir(target + "/" + name)  # noqa: PTH102 - MicroPython has no pathlib
            copy(source + "/" + name, target + "/" + name)
            continue
        with open(source + "/" + name, "rb") as here, open(target + "/" + name, "wb") as there:  # noqa: PTH123
            there.write(here.read())


flash = Memory()
vfs.VfsLfs2.mkfs(flash, progsize=256)
vfs.mount(vfs.VfsLfs2(flash, progsize=256), "/pico")
copy(sys.argv[1], "/pico")
vfs.umount("/pico")
with open(sys.argv[2], "wb") as image:  # noqa: PTH123
    image.write(flash.data)
