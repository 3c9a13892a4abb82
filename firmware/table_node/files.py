"""The Pico's flash, as the chapter of new firmware wants it (update.py says what it is)."""

import os


class Files:
    def open(self, path, mode):
        return open("/" + path, mode)

    def rename(self, old, new):
        os.rename("/" + old, "/" + new)

    def remove(self, path):
        os.remove("/" + path)

    def make(self, folder):
        os.mkdir("/" + folder)

    def names(self, folder):
        try:
            return os.listdir("/" + folder)
        except OSError:
            return []

    def free(self):
        """Bytes."""
        about = os.statvfs("/")
        return about[0] * about[3]

    def inflate(self, file):
        from deflate import ZLIB, DeflateIO  # noqa: PLC0415 - MicroPython alone has it

        return DeflateIO(file, ZLIB)
