"""How much garbage the node's loop makes while it counts on: node_memory.py ROOT prints bytes for 1,000 passes."""

import gc
import sys

sys.path.append(sys.argv[1])

from tests.firmware.hall import playing

PASSES = 1000


def passes(hall):
    for _ in range(PASSES):
        hall.node.step()
        hall.board.now_us += 300


hall = playing()
hall.board.line = []
passes(hall)
gc.collect()
gc.disable()
before = gc.mem_alloc()
passes(hall)
print(gc.mem_alloc() - before)
