"""All benchmarks by name: the product's, and those that only a checkout has."""

from functools import partial

from benchmarks import beside_hobby, connections, hall, journal, links, press, scale, sound
from pi_controller.bench import catalogue
from pi_controller.bench.catalogue import Bench

MORE = {
    "press.stalled": Bench(
        "the same while every sync of the disk takes 0.5 s",
        partial(press.stalled, presses=100, stall_s=0.5),
        partial(press.stalled, presses=10, stall_s=0.5),
    ),
    "press.many": Bench(
        "10,000 presses with real-time priority beside busy cores: is the loop ever silent?",
        partial(press.many, presses=10_000),
        partial(press.many, presses=500),
        long=True,
    ),
    "memory": Bench(
        "core and web after a minute of play",
        partial(hall.memory, seconds=60.0),
        partial(hall.memory, seconds=10.0),
    ),
    "journal.long": Bench(
        "a long game restored, and an undo at its end",
        partial(journal.long, lines=(10_000, 100_000), restores=5, actions=10_000, undos=100),
        partial(journal.long, lines=(1000, 10_000), restores=3, actions=1000, undos=20),
    ),
    "connections": Bench(
        "memory of a connection before and after its handshake; 1,000 phones and 600 seats over TLS",
        partial(connections.connections, count=1000, phones=1000, seats=600),
        partial(connections.connections, count=200, phones=200, seats=100),
    ),
    "feed.command": Bench(
        "a command to the last of 1, 50 and 200 listeners",
        partial(hall.command, counts=(1, 50, 200), commands=30, in_blocks=100),
        partial(hall.command, counts=(1, 50), commands=3, in_blocks=20),
    ),
    "hall.traffic": Bench(
        "bytes a second to 200 listeners while a round runs, with 256 virtual tables",
        partial(hall.traffic, listeners=200, nodes=256, seconds=20.0),
        partial(hall.traffic, listeners=50, nodes=16, seconds=5.0),
    ),
    "hall.processor": Bench(
        "processor of core and web with 200 listeners and 256 virtual tables in play",
        partial(hall.processor, listeners=200, nodes=256, seconds=30.0),
        partial(hall.processor, listeners=50, nodes=16, seconds=5.0),
    ),
    "hall.memory": Bench(
        "memory of core and web there",
        partial(hall.memory_in_play, listeners=200, nodes=256, seconds=30.0),
        partial(hall.memory_in_play, listeners=50, nodes=16, seconds=5.0),
    ),
    "hall.growth": Bench(
        "growth of that memory in 8 hours of play at 240 times the speed, with 16 tables",
        partial(hall.growth, listeners=200, nodes=16, hours=8.0, speed=240.0),
        partial(hall.growth, listeners=50, nodes=16, hours=0.5, speed=240.0),
        long=True,
    ),
    "hall.stalled": Bench(
        "pauses over HTTP to 199 listeners beside one that does not read",
        partial(hall.stalled, listeners=200, pauses=60, in_blocks=500),
        partial(hall.stalled, listeners=50, pauses=6, in_blocks=50),
    ),
    "hall.idle": Bench(
        "wake-ups and processor while a round runs and nothing happens, with 0 and 200 listeners",
        partial(hall.idle, counts=(0, 200), looks=30),
        partial(hall.idle, counts=(0, 50), looks=3),
    ),
    "links.pause": Bench(
        "a pause in the leading hall to lamps and bus of one that follows, over Mosquitto",
        partial(links.pause, pauses=60, in_blocks=500),
        partial(links.pause, pauses=6, in_blocks=50),
    ),
    "links.fan_out": Bench(
        "a picture to 20 links processes, beside as many bare subscribers, over Mosquitto",
        partial(links.fan_out, halls=20, pictures=1000),
        partial(links.fan_out, halls=5, pictures=100),
    ),
    "links.scale": Bench(
        "a game of many halls: some real ones with 16 tables each, and more by a load model until one breaks",
        partial(
            scale.halls, real=4, tables=16, nodes=250, levels=(16, 50, 100, 200, 400), seconds=6.0, pauses=15
        ),
        partial(scale.halls, real=1, tables=2, nodes=3, levels=(2,), seconds=1.0, pauses=2),
        long=True,
    ),
    "hobby": Bench(
        "rounds, pauses, a worn button and a kill, beside the program of an evening with gpiozero and luma",
        partial(beside_hobby.beside, rounds=60, pauses=100, presses=100),
        partial(beside_hobby.beside, rounds=5, pauses=5, presses=5),
    ),
    "sound.start": Bench(
        "a picture to its call-out in two languages, on PipeWire's null sink",
        partial(sound.start, callouts=1000),
        partial(sound.start, callouts=10),
    ),
    "sound.tone": Bench(
        "tones at their moments, on PipeWire's null sink",
        partial(sound.tones, tones=300),
        partial(sound.tones, tones=6),
    ),
}

BENCHES = {**catalogue.BENCHES, **MORE}
