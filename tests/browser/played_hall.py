"""A game as the hall screen gets it in real time: every kind of picture, one after the other."""

from collections.abc import Iterator
from itertools import count, cycle
from typing import Any

from tests.browser import pictures

Json = dict[str, Any]

DICE = [(5, 3), (6, 5), (1, 2), (4, 2), (6, 6), (2, 3), (5, 5)]
SHOWN_ROLLS = 12
LOST = "no news"
"""The name of a phase in which nothing comes: the page is covered."""
LEFT_MS = 20_000
ENDING_MS = 5_500


def phases() -> Iterator[tuple[str, Json]]:
    """Game after game: phases by their names, each the picture at its beginning."""
    numbers = count(1)
    for game in count(1):
        for name, picture in _game():
            number = next(numbers)
            yield (
                name,
                picture
                | {"seq": number, "saved_seq": number, "game_id": f"g{game}", "as_of_ms": pictures.now_ms()},
            )


def _game() -> Iterator[tuple[str, Json]]:
    history: list[Json] = [
        pictures.roll(n, ("sun", "moon")[n % 2], DICE[n % len(DICE)]) for n in range(12, 0, -1)
    ]
    rounds = zip(count(13), cycle(("moon", "sun")), cycle(DICE), strict=False)

    def play(**changes: Any) -> Json:
        number, side, dice = next(rounds)
        history.insert(0, pictures.roll(number, side, dice))
        other = {"sun": "moon", "moon": "sun"}[side]
        fields = {"round": number, "side": side, "next_side": other, "dice": list(dice), "sum": sum(dice)}
        return pictures.picture(
            **fields | {"history": history[:SHOWN_ROLLS], "remaining_ms": LEFT_MS} | changes
        )

    yield "ready", pictures.ready()
    yield "start", pictures.ready(resume_in_ms=3_000)
    for name in ("round", "round after round", "round again"):
        yield name, play()
    robber = pictures.robber_roll(15, 9)
    yield "robber", pictures.robber_phase(history=[robber, *history[: SHOWN_ROLLS - 1]], remaining_ms=LEFT_MS)
    history.insert(0, robber)
    yield "robber warned of", play(notices=["robber_possible"], last_round=18)
    yield "last seconds", play(remaining_ms=ENDING_MS)
    yield "pause", pictures.paused("button", history=history[:SHOWN_ROLLS])
    yield "claims", pictures.claims_pause(history=history[:SHOWN_ROLLS])
    yield (
        "many claims",
        pictures.paused("button", "claim", claims=pictures.asked(6), history=history[:SHOWN_ROLLS]),
    )
    yield "count-in", pictures.count_in(history=history[:SHOWN_ROLLS])
    yield "round with a claim", play(claims=pictures.asked(1))
    yield "round with many claims", play(claims=pictures.asked(6))
    yield "message", play(message={"text": "Please take your seats", "until_ms": None})
    yield "fault", _fault(history[:SHOWN_ROLLS])
    yield "round after a fault", play()
    yield "black", play(cover="black")
    yield "test picture", play(cover="test")
    yield "round after covers", play()
    yield LOST, play()
    yield "news again", play()
    yield "collecting", pictures.collecting()
    yield "ended", pictures.ended()


def _fault(history: list[Json]) -> Json:
    health = pictures.picture()["health"] | {"level": "fault", "messages": ["The disk does not answer"]}
    return pictures.paused("fault", health=health, history=history)
