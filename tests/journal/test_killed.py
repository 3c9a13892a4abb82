"""kill -9 at any moment: everything that was told saved is found, nothing is invented."""

import os
import random
import subprocess
import sys
from pathlib import Path

from pi_controller.journal.recovery import recover

KILLS = 10
SCRIPT = Path(__file__).with_name("killed.py")


def run_until_killed(state_dir, acknowledgements):
    with subprocess.Popen(
        [sys.executable, str(SCRIPT), str(state_dir)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        told = [process.stdout.readline() for _ in range(acknowledgements)]
        process.kill()
        told += process.stdout.readlines()
    whole = [line.split() for line in told if line.endswith("\n")]
    return {int(tag): head for tag, head in whole}


def test_nothing_saved_is_lost_and_nothing_invented(tmp_path):
    chance = random.Random(20261120)
    told = {}
    for _ in range(KILLS):
        told |= run_until_killed(tmp_path, chance.randint(1, 60))
        records = recover(tmp_path).records
        assert len(records) > max(told)
        for tag, head in told.items():
            assert records[tag].hash == head
        assert [record.data.get("n", 0) for record in records] == list(range(len(records)))
