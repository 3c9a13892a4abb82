"""What lamps and local display show at a moment, derived from the picture. Pure."""

from msgspec import Struct

from pi_controller.game.room import WinnerView
from pi_controller.hal.names import SymbolName
from pi_controller.hal.roles import StatusFace
from pi_controller.language.languages import ENGLISH
from pi_controller.language.words import words
from pi_controller.protocol.picture import LinkView, Picture, seat_said
from pi_controller.protocol.sentences import SentenceView, sentence
from pi_controller.sentence import Sentence, separated
from pi_controller.vocabulary import PauseReason

BLINK_HALF_NS = 500_000_000
"""Half a period of blinking lamps: 1 Hz, well below the 3 Hz at which flicker can harm people."""

OVER = ("collecting", "ended")
"""Phases after the last round."""

_SYMBOLS: dict[str | None, SymbolName] = {"sun": "sun", "moon": "moon"}
"""Signs of seats that the display can draw."""
_REASONS: dict[PauseReason, Sentence] = {
    "button": Sentence("display.for_button"),
    "director": Sentence("display.for_director"),
    "claim": Sentence("display.for_claim"),
    "fault": Sentence("display.for_fault"),
    "recovery": Sentence("display.for_recovery"),
}


class PanelView(Struct, frozen=True):
    """The part of the room picture that the panel needs, tied to the machine's clock.

    `remaining_us` and `resume_in_ms` are game time as of `as_of_ns` (CLOCK_BOOTTIME); they run `rate` times
    as fast as the machine's clock. `blink_from_ns` is when the phase or the pause began that blinks.
    """

    game_id: str
    phase: str
    round: int
    seat: int | None
    sign: str | None
    paused: bool
    running: bool
    duration_ms: int
    remaining_us: int
    resume_in_ms: int | None
    headline: str
    footer: str
    trouble: str | None
    code: str
    """Code of a shortfall at the start (`core/game_loop/recovery.py`), shown large."""
    total: str
    """Sum of the dice, shown large if there is no countdown."""
    as_of_ns: int
    blink_from_ns: int
    rate: float = 1.0

    @property
    def quiet(self) -> bool:
        """True before and after a game if nobody waits for anything."""
        return self.phase in ("ready", "ended") and not self.paused and self.resume_in_ms is None

    def remaining_at(self, now_ns: int) -> int:
        """Game time left in the phase at `now_ns`, in ns, at least 0."""
        left = self.remaining_us * 1_000
        return max(0, left - self._passed(now_ns)) if self.running else left

    def resume_in_at(self, now_ns: int) -> int | None:
        """Game time left of the 3-2-1 in ns; None if there is none."""
        if self.resume_in_ms is None:
            return None
        return max(0, self.resume_in_ms * 1_000_000 - self._passed(now_ns))

    def moment_of(self, countdown_ns: int, left_ns: int) -> int:
        """CLOCK_BOOTTIME at which a countdown that has `countdown_ns` left at `as_of_ns` has `left_ns`
        left."""
        return self.as_of_ns + -int(-(countdown_ns - left_ns) // self.rate)

    def _passed(self, now_ns: int) -> int:
        return max(0, int((now_ns - self.as_of_ns) * self.rate))


class PanelLevels(Struct, frozen=True):
    """Levels of all lamps and the display's face, valid until `next_change_ns` (None: until the view
    changes)."""

    sun: bool
    moon: bool
    pause_lamp: bool
    face: StatusFace
    next_change_ns: int | None


def view_of(
    picture: Picture, *, offset_ns: int, before: PanelView | None, language: str = ENGLISH
) -> PanelView:
    """The panel's view of a picture, in this language; `before` keeps blinking in step.

    `offset_ns`: how far this machine's clock is ahead of the clock of the core that made the picture; 0 on
    the same machine.
    """
    as_of_ns = picture.as_of_us * 1_000 + offset_ns
    same = before is not None and (before.game_id, before.phase, before.paused) == (
        picture.game_id,
        picture.phase,
        picture.paused,
    )
    health = picture.health
    ill = health.level != "ok" and bool(health.items)
    return PanelView(
        game_id=picture.game_id,
        phase=picture.phase,
        round=picture.round,
        seat=picture.seat,
        sign=None if picture.seat is None else picture.seats[picture.seat].sign,
        paused=picture.paused,
        running=picture.running,
        duration_ms=picture.duration_ms,
        remaining_us=picture.remaining_us,
        resume_in_ms=picture.resume_in_ms,
        headline=words(
            _headline(picture) if picture.link is None else _link_said(picture.link) or _headline(picture),
            language,
        ),
        footer=_footer(picture, language),
        trouble=words(sentence(health.items[0]), language) if ill else None,
        code=_code(health.items[0]) if ill else "",
        total="" if picture.sum is None else str(picture.sum),
        as_of_ns=as_of_ns,
        blink_from_ns=before.blink_from_ns if same and before is not None else as_of_ns,
        rate=picture.rate,
    )


def panel_at(view: PanelView, now_ns: int) -> PanelLevels:
    """What the panel shows at `now_ns` (CLOCK_BOOTTIME).

    The Sun lamp is that of the first seat, the Moon lamp that of the second. The acting seat's lamp is lit,
    also in a pause; both blink in the robber phase and are lit after the last round. The pause lamp is lit
    while the clock runs and blinks in a pause, starting dark, so that a press is visible at once.
    """
    since = max(0, now_ns - view.blink_from_ns)
    first_half = since // BLINK_HALF_NS % 2 == 0
    robber = view.phase == "robber"
    both = view.phase in OVER or (robber and (view.paused or first_half))
    blinks = view.paused or robber
    changes = [_next_second(view, now_ns)]
    if blinks:
        changes.append(view.blink_from_ns + (since // BLINK_HALF_NS + 1) * BLINK_HALF_NS)
    return PanelLevels(
        sun=both or view.seat == 0,
        moon=both or view.seat == 1,
        pause_lamp=not first_half if view.paused else view.running,
        face=_face(view, now_ns),
        next_change_ns=min((moment for moment in changes if moment is not None), default=None),
    )


def seconds_shown(left_ns: int) -> int:
    """Whole seconds to show: 1 until the last instant, 0 only when it is over."""
    return -(-left_ns // 1_000_000_000)


def _next_second(view: PanelView, now_ns: int) -> int | None:
    resume_in = view.resume_in_at(now_ns)
    if resume_in is not None:
        countdown, left = (view.resume_in_ms or 0) * 1_000_000, resume_in
    elif view.running:
        countdown, left = view.remaining_us * 1_000, view.remaining_at(now_ns)
    else:
        return None
    if left <= 0:
        return None
    return view.moment_of(countdown, (seconds_shown(left) - 1) * 1_000_000_000)


def _face(view: PanelView, now_ns: int) -> StatusFace:
    resume_in = view.resume_in_at(now_ns)
    if resume_in is not None:
        big = str(seconds_shown(resume_in))
    elif view.phase == "ready" or view.phase in OVER:
        big = view.code
    else:
        big = str(seconds_shown(view.remaining_at(now_ns))) if view.duration_ms > 0 else view.total
    return StatusFace(
        headline=view.headline, big=big, footer=view.trouble or view.footer, symbol=_symbol(view)
    )


def _code(item: SentenceView) -> str:
    """The code for the display; only sentences about shortfalls at the start have this parameter."""
    return str(item.params.get("code", ""))


def _symbol(view: PanelView) -> SymbolName:
    if view.trouble is not None and view.paused:
        return "fault"
    if view.paused:
        return "pause"
    if view.phase == "robber":
        return "robber"
    if view.phase in OVER:
        return "ended"
    return _SYMBOLS.get(view.sign, "ready")


def _link_said(link: LinkView) -> Sentence | None:
    """For a following hall: a sentence if the leading hall is not heard and the picture is old."""
    if link.role == "leader" or link.stopped:
        return None
    if link.heard_ms is None:
        return Sentence("display.no_hall_yet")
    return None if link.lost_ms is None else Sentence("display.no_link")


def _headline(picture: Picture) -> Sentence:
    if picture.resume_in_ms is not None:
        return Sentence("display.starting") if picture.phase == "ready" else Sentence("display.going_on")
    if picture.paused:
        reasons = [_REASONS[why] for why in picture.pause_reasons]
        return (
            Sentence("display.pause", reasons=separated(reasons)) if reasons else Sentence("display.paused")
        )
    match picture.phase:
        case "robber":
            return Sentence("display.robber")
        case "ready":
            return Sentence("display.ready")
        case "collecting":
            return Sentence("display.collecting")
        case "ended":
            return Sentence("display.game_over")
        case "founding":
            return Sentence("display.founding", seat=_seat(picture))
        case "turn":
            return Sentence("display.turn", seat=_seat(picture))
        case _:
            return Sentence("display.round", round=picture.round)


def _seat(picture: Picture) -> Sentence:
    """The acting seat by its given name; in a phase of nobody, that all others build."""
    return Sentence("display.others_build") if picture.side is None else seat_said(picture, picture.side)


def _footer(picture: Picture, language: str) -> str:
    if picture.phase == "robber":
        target = picture.robber_target
        to = Sentence("display.to_hex", hex=str(target))
        return words(Sentence("display.to_desert") if target == "desert" else to, language)
    if picture.dice is not None:
        first, second = picture.dice
        return f"{first} + {second} = {picture.sum}"
    if picture.phase == "collecting":
        return ", ".join(_winner(picture, leader, language) for leader in picture.ranking[:1])
    if picture.phase == "ended" and picture.winners:
        return ", ".join(_winner(picture, winner, language) for winner in picture.winners)
    return ""


def _winner(picture: Picture, winner: WinnerView, language: str) -> str:
    """The board, if there are several, and the side or seat."""
    name = "" if winner.side is None else words(seat_said(picture, winner.side), language)
    board = winner.board or ("?" if picture.rules.play == "rounds" else "")
    return f"{board} {name}".strip()
