"""How many bytes of heap 200 good frames cost the receiver, in MicroPython: memory_check.py FRAME (hex)."""

import gc
import sys

from table_node.frame import Receiver

text = sys.argv[1]
wire = bytes([int(text[at : at + 2], 16) for at in range(0, len(text), 2)])
receiver = Receiver()


def hear(count):
    good = 0
    for _ in range(count):
        for byte in wire:
            if receiver.take(byte):
                good += 1
    return good


hear(3)
gc.collect()
gc.disable()
before = gc.mem_alloc()
heard = hear(200)
cost = gc.mem_alloc() - before
print(heard, cost)
