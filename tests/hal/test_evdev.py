"""A USB key as the pause button: what the driver makes of the kernel's event devices."""

import itertools
import time
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

import pytest

from pi_controller.hal.debouncer import Debouncer, Held, Pressed, Released
from pi_controller.hal.evdev import SHORTEST_NS, EvdevButton, EventFiles, KeyChoice, may_be_button
from pi_controller.hal.roles import ContactChange, Contacts, HardwareError
from pi_controller.sentence import Sentence
from tests.hal.hand_clock import HandClock
from tests.hal.hand_inputs import (
    BLUETOOTH,
    DOWN,
    ENTER,
    I8042,
    KEY,
    LEFT_BUTTON,
    LETTER_B,
    PAGE_DOWN,
    QUEUE,
    REPEAT,
    SPACE,
    UP,
    HandFiles,
)
from tests.patience import DEADLINE_S

BY_ID = "by-id/usb-ACME_Big_Red_Button-event-kbd"
CHOICE = KeyChoice(BY_ID, SPACE, "Big Red Button")
MS = 1_000_000


class Bench:
    """A driver whose thread is the test: `turn` is one round of it."""

    def __init__(self, root: Path, choice: KeyChoice | None = CHOICE) -> None:
        self.files = HandFiles(root)
        self.clock = HandClock(self.files.now_ns)
        self.edges: list[ContactChange] = []
        self.errors: list[Exception] = []
        self.outcomes: list[KeyChoice | Sentence] = []
        self.button = EvdevButton(
            choice,
            clock=self.clock,
            on_error=self.errors.append,
            inputs=self.files,
            start=self._start,
        )
        self.button.listen(self.edges.append)

    def _start(self, run: Callable[[], None]) -> Callable[[], None]:
        self.run = run
        return lambda: None

    def move(self, ns: int) -> None:
        self.files.now_ns += ns
        self.clock.now_ns = self.files.now_ns

    def turn(self) -> "Bench":
        self.button.turn(0)
        return self

    def key(self, value: int, code: int = SPACE, node: str = "event5") -> None:
        self.files.key(node, code, value)
        self.turn()

    def seen(self) -> list[tuple[bool, int]]:
        return [(edge.closed, edge.at_ns) for edge in self.edges]

    def trouble(self) -> str | None:
        """The key of the sentence; None: the button can be read."""
        try:
            self.button.contacts()
        except HardwareError as error:
            return error.sentence.key
        return None

    def choose(self) -> None:
        self.button.choose(20.0, self.outcomes.append)
        self.turn()


@pytest.fixture
def at(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path)
    bench.files.plug("event5")
    return bench.turn()


# The chosen key.


def test_a_key_is_one_contact_with_the_kernels_stamp(at: Bench) -> None:
    began_ns = at.files.now_ns
    at.files.key("event5", SPACE, DOWN)
    at.move(3 * MS)
    at.turn()
    assert at.button.contacts() == Contacts(no_closed=True, nc_closed=None)
    at.move(80 * MS)
    at.key(UP)
    assert at.seen() == [(True, began_ns), (False, began_ns + 83 * MS)]
    assert all(edge.trusted and edge.contact == "no" for edge in at.edges)
    assert at.button.contacts() == Contacts(no_closed=False, nc_closed=None)
    assert at.button.presses == 1


def test_repeats_and_other_keys_of_the_device_are_nothing(at: Bench) -> None:
    at.key(DOWN)
    for _ in range(30):
        at.move(33 * MS)
        at.key(REPEAT)
    at.key(DOWN, ENTER)
    at.key(UP, ENTER)
    assert [edge.closed for edge in at.edges] == [True]


def test_only_the_chosen_device_is_opened_and_it_types_nowhere(tmp_path: Path) -> None:
    at = Bench(tmp_path)
    at.files.plug("event4", name="Keyboard", by_id="usb-Keyboard-event-kbd")
    at.files.plug("event5")
    at.turn()
    assert at.files.opened == ["event5"]
    assert (at.files.typed("event4"), at.files.typed("event5")) == (True, False)
    at.button.close()
    at.button.close()
    assert at.files.typed("event5")


def test_a_press_within_one_report_counts(at: Bench) -> None:
    """A device that debounces by itself may send both changes at once."""
    began_ns = at.files.now_ns
    at.files.emit("event5", (KEY, SPACE, DOWN), (KEY, SPACE, UP))
    at.turn()
    assert at.seen() == [(True, began_ns), (False, began_ns + SHORTEST_NS)]


def test_lost_events_are_replaced_by_the_keys_as_they_are(at: Bench) -> None:
    at.key(DOWN)
    for _ in range(QUEUE):
        at.files.key("event5", ENTER, DOWN)
        at.files.key("event5", ENTER, UP)
    at.files.key("event5", SPACE, UP)
    for _ in range(QUEUE // 3):  # these push the release out of the queue
        at.files.key("event5", LETTER_B, DOWN)
    at.move(MS)
    at.turn()
    assert [edge.closed for edge in at.edges] == [True, False]
    at.key(DOWN)
    assert [edge.closed for edge in at.edges] == [True, False, True]


def test_what_lies_behind_lost_events_is_not_told_twice(at: Bench) -> None:
    """The queue still holds a press that is over: the keys as they are say so already."""
    for _ in range(QUEUE):
        at.files.key("event5", ENTER, REPEAT)
    at.files.emit("event5", (KEY, SPACE, DOWN))
    at.files.emit("event5", (KEY, SPACE, UP))
    at.turn()
    at.turn()
    assert at.edges == []
    assert at.trouble() is None


@pytest.mark.parametrize(
    ("age_ns", "trusted"), [(0, True), (1000 * MS, True), (1001 * MS, False), (-MS, False)]
)
def test_a_stamp_of_another_clock_is_replaced(at: Bench, age_ns: int, trusted: bool) -> None:
    at.files.key("event5", SPACE, DOWN)
    at.clock.now_ns += age_ns
    at.turn()
    (edge,) = at.edges
    assert edge.trusted == trusted
    assert edge.at_ns == (at.files.now_ns if trusted else at.clock.now_ns)


def test_what_the_listener_raises_is_told_and_the_next_edge_comes(tmp_path: Path) -> None:
    at = Bench(tmp_path)
    at.files.plug("event5")

    def listener(edge: ContactChange) -> None:
        at.edges.append(edge)
        raise ZeroDivisionError

    at.button.listen(listener)
    at.turn()
    at.key(DOWN)
    at.key(UP)
    assert len(at.edges) == len(at.errors) == 2


def test_a_defect_ends_the_driver_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    at = Bench(tmp_path)
    at.files.plug("event5")
    monkeypatch.setattr(at.files, "devices", lambda: 1 / 0)
    at.button.stop_choosing()  # something to do
    at.run()
    assert "ZeroDivisionError" in caplog.text
    assert at.trouble() == "button.usb_broke_off"
    at.button.choose(20.0, at.outcomes.append)
    assert [each.key for each in at.outcomes if isinstance(each, Sentence)] == ["button.usb_broke_off"]
    assert not at.button.choosing


# A device that comes and goes.


def test_without_a_choice_the_button_rests_and_nothing_is_opened(tmp_path: Path) -> None:
    at = Bench(tmp_path, None)
    at.files.plug("event5")
    at.turn()
    assert at.button.contacts() == Contacts(no_closed=False, nc_closed=None)
    assert at.files.opened == []


def test_unplugged_while_pressed_it_is_let_go_and_told(at: Bench) -> None:
    at.key(DOWN)
    at.move(500 * MS)
    at.files.unplug("event5")
    at.turn()
    assert at.seen()[-1] == (False, at.files.now_ns)
    assert at.trouble() == "button.usb_away"


def test_plugged_in_again_under_another_number_it_is_found_by_its_identity(at: Bench) -> None:
    at.files.unplug("event5")
    at.turn()
    at.files.plug("event4", name="Keyboard", by_id="usb-Keyboard-event-kbd")
    at.turn()
    assert at.trouble() == "button.usb_away"
    at.files.plug("event9")
    at.turn()
    assert at.trouble() is None
    assert not at.files.typed("event9")
    at.key(DOWN, node="event9")
    assert [edge.closed for edge in at.edges] == [True]
    assert "event4" not in at.files.opened


@pytest.mark.parametrize("identity", ["Pedal @ usb-1/input0", "Pedal @ 00:1b:66:01:02:03"])
def test_a_device_without_a_name_by_id_is_known_by_its_number_or_place(tmp_path: Path, identity: str) -> None:
    at = Bench(tmp_path, KeyChoice(identity, LETTER_B))
    number = identity.removeprefix("Pedal @ ") if ":" in identity else ""
    at.files.plug("event3", name="Pedal", by_id=None, phys="usb-2/input0")
    at.files.plug("event6", name="Pedal", by_id=None, phys="usb-1/input0", uniq=number, bus=BLUETOOTH)
    at.turn()
    assert at.files.opened == ["event6"]


@pytest.mark.parametrize("again", [False, True])
def test_held_down_when_it_is_found_it_is_told_and_is_no_press(tmp_path: Path, again: bool) -> None:
    at = Bench(tmp_path)
    if again:
        at.files.plug("event5")
        at.turn()
        at.files.unplug("event5")
        at.turn()
    at.files.plug("event7", down=(SPACE,))
    at.turn()
    assert at.trouble() == "button.usb_held"
    assert at.files.typed("event7"), "a key that another program sees held is let go there, too"
    at.key(UP, node="event7")
    assert (at.trouble(), at.edges) == (None, [])
    assert not at.files.typed("event7")
    at.key(DOWN, node="event7")
    assert [edge.closed for edge in at.edges] == [True]


def test_another_program_has_it_until_it_lets_go(tmp_path: Path) -> None:
    at = Bench(tmp_path)
    device = at.files.plug("event5")
    device.taken = True
    at.turn()
    assert at.trouble() == "button.usb_unusable"
    device.taken = False
    at.turn()
    assert at.trouble() is None


def test_without_rights_one_sentence_with_the_command(tmp_path: Path) -> None:
    at = Bench(tmp_path)
    at.files.plug("event5").readable = False
    at.turn()
    assert at.trouble() == "button.usb_no_rights"
    at.files.devices_by_node["event5"].readable = True
    at.turn()
    assert at.trouble() is None


def test_its_own_thread_hears_the_key_and_ends(tmp_path: Path) -> None:
    files, edges = HandFiles(tmp_path), SimpleQueue[ContactChange]()
    files.plug("event5")
    clock = HandClock(files.now_ns)
    with EvdevButton(None, clock=clock, on_error=lambda _error: None, inputs=files) as button:
        button.listen(edges.put)
        outcomes = SimpleQueue[KeyChoice | Sentence]()
        button.choose(20.0, outcomes.put)
        while not files.opened or files.typed("event5"):
            time.sleep(0)
        files.key("event5", SPACE, DOWN)
        files.key("event5", SPACE, UP)
        assert outcomes.get(timeout=DEADLINE_S) == CHOICE
        while files.opened != ["event5", "event5"] or files.typed("event5"):
            time.sleep(0)
        files.key("event5", SPACE, DOWN)
        assert edges.get(timeout=DEADLINE_S).closed
    assert files.typed("event5")


# Choosing by pressing.


def test_the_first_key_pressed_and_let_go_is_the_button(tmp_path: Path) -> None:
    at = Bench(tmp_path, None)
    at.files.plug("event4", name="Keyboard", by_id="usb-Keyboard-event-kbd")
    at.files.plug("event5")
    at.choose()
    assert at.button.choosing
    assert (at.files.typed("event4"), at.files.typed("event5")) == (False, False)
    at.key(DOWN, ENTER)
    assert at.outcomes == []
    at.key(UP, ENTER)
    assert at.outcomes == [KeyChoice(BY_ID, ENTER, "Big Red Button")]
    assert at.button.choice == at.outcomes[0]
    assert not at.button.choosing
    assert (at.files.typed("event4"), at.files.typed("event5")) == (True, False)
    at.key(DOWN, ENTER)
    assert [edge.closed for edge in at.edges] == [True]


def test_a_key_that_was_held_before_is_not_chosen(tmp_path: Path) -> None:
    """Enter on the page's button, for example: other programs hear of its release."""
    at = Bench(tmp_path, None)
    at.files.plug("event5", down=(ENTER,))
    at.choose()
    assert at.files.typed("event5")
    at.key(UP, ENTER)
    assert at.outcomes == []
    assert not at.files.typed("event5")
    at.key(DOWN)
    at.key(UP)
    assert at.outcomes == [CHOICE]


def test_what_is_plugged_in_meanwhile_can_be_chosen(tmp_path: Path) -> None:
    at = Bench(tmp_path, None)
    at.choose()
    at.files.plug("event5")
    at.turn()
    at.key(DOWN)
    at.key(UP)
    assert at.outcomes == [CHOICE]


def test_mice_and_a_laptops_own_keys_are_left_alone(tmp_path: Path) -> None:
    at = Bench(tmp_path, None)
    at.files.plug("event0", name="AT keyboard", by_id=None, bus=I8042)
    at.files.plug("event1", name="Mouse", by_id="usb-Mouse-event-mouse", keys=(LEFT_BUTTON,), relative=0b11)
    at.files.plug("event2", name="Mouse with keys", by_id=None, keys=(LEFT_BUTTON, PAGE_DOWN), relative=0b11)
    at.files.plug("event3", name="Touchpad", by_id=None, keys=(LEFT_BUTTON, 0x14A))
    at.choose()
    assert at.files.opened == []
    at.files.plug("event5", keys=(SPACE, LEFT_BUTTON))
    at.turn()
    at.key(DOWN, LEFT_BUTTON)
    at.key(UP, LEFT_BUTTON)
    assert at.outcomes == []


def test_the_button_pauses_while_another_is_chosen(at: Bench) -> None:
    at.files.plug("event6", name="Pedal", by_id="usb-Pedal-event-kbd")
    at.choose()
    at.key(DOWN)
    assert [edge.closed for edge in at.edges] == [True]
    at.key(UP)
    assert at.outcomes == [CHOICE], "the same again is a choice, too"
    assert at.files.opened.count("event5") == 1
    at.choose()
    at.key(DOWN, LETTER_B, "event6")
    at.key(UP, LETTER_B, "event6")
    assert at.outcomes[1] == KeyChoice("by-id/usb-Pedal-event-kbd", LETTER_B, "Pedal")
    assert (at.files.typed("event5"), at.files.typed("event6")) == (True, False)


def test_after_its_time_choosing_ends_and_all_is_as_before(at: Bench) -> None:
    at.files.plug("event6", name="Pedal", by_id="usb-Pedal-event-kbd")
    at.choose()
    at.key(DOWN, LETTER_B, "event6")
    at.move(20_000 * MS)
    at.turn()
    (outcome,) = at.outcomes
    assert isinstance(outcome, Sentence)
    assert outcome.key == "button.usb_nothing_pressed"
    assert at.button.choice == CHOICE
    assert (at.files.typed("event5"), at.files.typed("event6")) == (False, True)
    at.key(UP, LETTER_B, "event6")
    assert len(at.outcomes) == 1


def test_choosing_can_be_stopped(at: Bench) -> None:
    at.files.plug("event6", name="Pedal", by_id="usb-Pedal-event-kbd")
    at.choose()
    at.button.stop_choosing()
    at.turn()
    assert (at.button.choosing, at.outcomes) == (False, [])
    assert at.files.typed("event6")
    assert not at.files.typed("event5")


@pytest.mark.parametrize("some", [False, True])
def test_choosing_without_rights_says_so(tmp_path: Path, some: bool) -> None:
    """At once where nothing can be read, at the end where something can and was not pressed."""
    at = Bench(tmp_path, None)
    at.files.plug("event5").readable = False
    if some:
        at.files.plug("event6", name="Pedal", by_id="usb-Pedal-event-kbd")
    at.choose()
    assert bool(at.outcomes) != some
    at.move(20_000 * MS)
    at.turn()
    assert [each.key for each in at.outcomes if isinstance(each, Sentence)] == ["button.usb_no_rights"]


def test_taken_away_while_pressed_it_is_let_go(at: Bench) -> None:
    at.key(DOWN)
    at.button.use(None)
    at.turn()
    assert [edge.closed for edge in at.edges] == [True, False]
    assert at.files.typed("event5")
    assert at.trouble() is None


def test_the_codes_that_may_be_buttons() -> None:
    assert all(map(may_be_button, (SPACE, PAGE_DOWN, 0x100, 0x120, 0x130, 0x2C0)))
    assert not any(map(may_be_button, (0, LEFT_BUTTON, 0x117, 0x14A, 0x150, 0x300)))


def test_a_kernel_without_input_devices_has_none(tmp_path: Path) -> None:
    assert EventFiles(tmp_path).devices() == []


# With the debouncer, as recorded streams of devices.


@pytest.mark.parametrize(
    ("ms", "presses"),
    [
        pytest.param([0, 95], 1, id="a key of a good keyboard"),
        pytest.param([0, 1], 1, id="a board that sends press and release in two polls"),
        pytest.param([0, 3, 5, 90], 1, id="chatter at the press"),
        pytest.param([0, 90, 96, 97, 99, 103], 1, id="chatter at the release"),
        pytest.param([0, 60, 140, 200], 2, id="two presses"),
    ],
)
def test_each_press_counts_once_from_its_first_edge(at: Bench, ms: list[int], presses: int) -> None:
    debouncer = Debouncer(contacts="no", hold_ns=3000 * MS, stable_ns=SHORTEST_NS // 2)
    debouncer.sample(at.button.contacts(), at.clock.now_ns)
    began_ns = at.files.now_ns
    for down, moment in zip(itertools.cycle([True, False]), ms, strict=False):
        at.move(began_ns + moment * MS - at.files.now_ns)
        at.key(DOWN if down else UP)
    for edge in at.edges:
        debouncer.change(edge)
    at.move(1000 * MS)
    events = debouncer.advance(at.clock.now_ns)
    assert next(event.at_ns for event in events if isinstance(event, Pressed)) == began_ns
    assert [type(event) for event in events] == [Pressed, Released] * presses


def test_holding_is_told_and_repeats_do_not_end_it(at: Bench) -> None:
    debouncer = Debouncer(contacts="no", hold_ns=3000 * MS, stable_ns=SHORTEST_NS // 2)
    debouncer.sample(at.button.contacts(), at.clock.now_ns)
    at.key(DOWN)
    for _ in range(100):
        at.move(33 * MS)
        at.key(REPEAT)
    for edge in at.edges:
        debouncer.change(edge)
    assert [type(event) for event in debouncer.advance(at.clock.now_ns)] == [Pressed, Held]
