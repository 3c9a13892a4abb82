"""What a hall hears of a game, on a clock moved by hand."""

import pytest

from pi_controller.core.sound.phrases import GAP_MS
from pi_controller.core.sound.speaker import Loudness, Manner
from pi_controller.core.sound.voice import RenderOrder
from pi_controller.hal.sound.orders import LevelOrder, PlayerReport, SayOrder
from pi_controller.language.words import words
from pi_controller.protocol.sentences import sentence
from tests.core.hall import accepted
from tests.core.hand import MS, HandTimers, S
from tests.core.sound.sound_hall import SoundHall


@pytest.fixture
def made() -> SoundHall:
    return SoundHall()


def test_a_game_begins(made: SoundHall) -> None:
    made.start()
    assert made.said() == [["en/count_3"]]
    assert made.planned() == [("en/count_2", 1.0), ("en/count_1", 2.0)]
    made.hall.move(3 * S)
    (first,) = made.said()
    assert first[0].startswith("en/round_sun_")
    assert made.planned() == [
        ("last_ten", 25.0),
        ("last_three", 32.0),
        ("last_three", 33.0),
        ("last_three", 34.0),
    ]
    number = made.hall.loop.picture().sum
    assert made.captions() == [f"{number}, Sun."]


def test_the_caption_is_told_soon_without_any_other_change(made: SoundHall) -> None:
    made.start()
    made.hall.move(3 * S + 200 * MS)
    assert made.hall.pictures[-1].sound is not None
    assert made.hall.pictures[-1].sound.captions


def test_each_number_of_the_3_2_1_is_read_while_it_is_heard(made: SoundHall) -> None:
    made.start()
    made.hall.move(0)
    seen = [made.captions()]
    for _ in range(3):
        made.hall.move(1 * S)
        seen.append(made.captions())
    number = made.hall.loop.picture().sum
    assert seen == [["3"], ["2"], ["1"], [f"{number}, Sun."]]
    assert accepted(made.hall.ask("pause"))
    made.hall.move(0)
    assert accepted(made.hall.ask("resume"))
    made.hall.move(2 * S + 200 * MS)
    assert made.hall.pictures[-1].sound is not None
    assert [words(sentence(seen)) for seen in made.hall.pictures[-1].sound.captions] == ["1"]
    made.hall.move(1 * S)
    assert made.captions() == [], "the 3-2-1 is over, and nothing is said in the middle of a round"


def test_a_side_that_is_named_early_is_read_from_then_on() -> None:
    made = SoundHall(early_ms=4_000)
    made.start()
    made.hall.move(3 * S)
    made.hall.move(30 * S)
    number = made.hall.loop.picture().sum
    assert made.captions() == [f"{number}, Sun."]
    made.hall.move(1 * S)
    assert made.captions() == ["Next: Moon."]
    assert accepted(made.hall.ask("pause"))
    made.hall.move(5 * S)
    assert made.captions() == ["Pause."], "what is no longer foreseen is not read either"


def test_a_press_is_heard_at_once_and_the_plan_is_empty(made: SoundHall) -> None:
    made.start()
    made.hall.move(5 * S)
    made.said()
    made.hall.press()
    assert made.said() == [["en/pause", "en/claim"]]
    assert made.planned() == []
    assert made.captions() == ["Pause.", "A claim is being checked."]
    picture = made.hall.loop.picture()
    assert picture.sound is not None
    assert picture.caption is not None
    assert picture.caption.key == picture.sound.captions[0].key
    lengths_ms = sum(made.voice.lengths["en", name] for name in ("pause", "claim"))
    assert picture.caption.until_ms == made.hall.timers.boot_ns() // MS + lengths_ms + GAP_MS


def test_the_press_itself_waits_for_no_sound(made: SoundHall) -> None:
    made.start()
    made.hall.move(5 * S)
    made.said()
    count = len(made.player.orders)
    made.hall.loop.press(made.hall.timers.boot_ns())
    assert len(made.player.orders) == count


def test_both_languages_and_the_next_side_early() -> None:
    made = SoundHall(languages=("pt", "en"), early_ms=4_000)
    made.start()
    assert made.said() == [["pt/count_3"]], "two would not fit into a second"
    made.hall.move(3 * S)
    (first,) = made.said()
    assert [part.split("/")[0] for part in first] == ["pt", "en"]
    assert ("pt/next_moon", 31.0) in made.planned()


def test_a_kind_that_is_off_is_neither_said_nor_shown() -> None:
    made = SoundHall(off=frozenset({"round", "last_ten", "count"}))
    made.start()
    made.hall.move(3 * S)
    assert made.said() == []
    assert [name for name, _ in made.planned()] == ["last_three"] * 3
    assert made.captions() == []


def test_nothing_is_said_twice_when_only_the_disk_moves(made: SoundHall) -> None:
    made.start()
    made.hall.move(3 * S)
    assert len(made.said()) == 2
    made.hall.loop.changed()
    made.hall.loop.changed()
    assert made.said() == []


def test_a_mute_stands_in_the_picture_and_warns(made: SoundHall) -> None:
    made.speaker.do("mute", minutes=1, loudspeaker="both")
    assert made.hall.loop.picture().sound.muted.until_ms is not None  # type: ignore[union-attr]
    made.hall.move(30 * S)
    assert made.hall.loop.picture().health.messages == ["The sound is muted; it comes back in half a minute."]
    made.hall.move(31 * S)
    assert made.hall.loop.picture().health.messages == []
    levels = [order.permille for order in made.player.orders if isinstance(order, LevelOrder)]
    assert [level for level in levels if level in {0, 1000}][-1] == 1000


def test_the_loudspeakers_are_named_on_themselves(made: SoundHall) -> None:
    made.speaker.do("test", minutes=None, loudspeaker="left")
    (order,) = [order for order in made.player.orders if isinstance(order, SayOrder)]
    assert (order.loudspeaker, order.groups) == ("left", (("en/test_left",),))
    assert made.captions() == ["Left loudspeaker."]


def test_a_card_that_is_gone_is_one_warning_and_heals_by_itself(made: SoundHall) -> None:
    made.speaker.heard_of(PlayerReport(trouble="No such device", late=0, underruns=0))
    picture = made.hall.loop.picture()
    assert (picture.health.level, len(picture.health.messages)) == ("warning", 1)
    made.speaker.heard_of(None)
    assert len(made.hall.loop.picture().health.messages) == 1
    made.speaker.heard_of(PlayerReport(trouble=None, late=0, underruns=0))
    assert made.hall.loop.picture().health.messages == []


def test_a_closed_speaker_says_nothing(made: SoundHall) -> None:
    made.speaker.close()
    made.start()
    assert made.player.closed
    assert made.said() == []


MIN = 60 * S


class Heard:
    def __init__(self, loudness: Loudness) -> None:
        self.loudness = loudness
        self.seen: list[tuple[int, bool]] = []
        loudness.tell(self)

    def loudness_changed(self) -> None:
        self.seen.append((self.loudness.permille, self.loudness.back_soon()))


def loudness_made() -> tuple[Loudness, HandTimers, Heard]:
    timers = HandTimers()
    loudness = Loudness(volume_percent=80, ducking_db=12, timers=timers)
    return loudness, timers, Heard(loudness)


def test_a_mute_comes_back_by_itself_and_says_so_before() -> None:
    loudness, timers, heard = loudness_made()
    loudness.mute(5)
    assert loudness.muted() is not None
    assert loudness.muted().until_ms == (timers.boot_ns() + 5 * MIN) // 1_000_000  # type: ignore[union-attr]
    timers.move(4 * MIN + 29 * S)
    assert heard.seen == [(0, False)]
    timers.move(1 * S)
    assert heard.seen == [(0, False), (0, True)]
    timers.move(30 * S)
    assert heard.seen == [(0, False), (0, True), (800, False)]
    assert loudness.muted() is None


def test_a_mute_until_it_is_released() -> None:
    loudness, timers, heard = loudness_made()
    loudness.mute(None)
    timers.move(600 * MIN)
    assert loudness.permille == 0
    assert loudness.muted().until_ms is None  # type: ignore[union-attr]
    loudness.release()
    assert heard.seen[-1] == (800, False)
    assert timers.waiting() == 0


def test_the_newest_mute_counts() -> None:
    loudness, timers, _ = loudness_made()
    loudness.mute(1)
    loudness.mute(3)
    timers.move(2 * MIN)
    assert loudness.permille == 0
    timers.move(1 * MIN)
    assert loudness.permille == 800


def test_softer_while_the_director_speaks_and_never_for_long() -> None:
    loudness, timers, _ = loudness_made()
    loudness.duck(on=True)
    assert (loudness.permille, loudness.ducked) == (201, True)
    loudness.duck(on=False)
    assert (loudness.permille, loudness.ducked) == (800, False)
    loudness.duck(on=True)
    timers.move(2 * MIN)
    assert (loudness.permille, loudness.ducked) == (800, False)


def test_another_loudness_counts_at_once_also_while_the_director_speaks() -> None:
    loudness, _, heard = loudness_made()
    loudness.duck(on=True)
    loudness.use(volume_percent=40, ducking_db=20)
    assert heard.seen[-1] == (40, False)
    loudness.duck(on=False)
    assert heard.seen[-1] == (400, False)


def test_what_is_left_out_and_spoken_changes_at_once(made: SoundHall) -> None:
    manner = Manner(
        device="default",
        languages=("en",),
        voice=True,
        off=frozenset({"count"}),
        name_side_early_ns=0,
    )
    order = RenderOrder(state_dir="/nowhere", languages=("en",), rule_set="connect", targets=())
    made.speaker.use(manner, order, volume_percent=50, ducking_db=6)
    made.start()
    assert made.said() == []
    levels = [order.permille for order in made.player.orders if isinstance(order, LevelOrder)]
    assert levels == [1000, 500]
