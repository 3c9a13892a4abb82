"""What a press of the big button will do and show, worked out while its contact is still proving that it is
one: the loop has nothing else to do in these milliseconds. Pure."""

from msgspec import Struct

from pi_controller.core.game_loop.game_time import GameTime
from pi_controller.core.game_loop.picture import Frame, picture_at
from pi_controller.game.commands import Press
from pi_controller.game.game import Decision, Game, foresee
from pi_controller.protocol.picture import Picture


class PressAhead(Struct, frozen=True):
    """Of a press at `at_ns` in the game `before`. Its picture holds as long as nothing around it changes."""

    at_ns: int
    before: Game
    decision: Decision
    frame: Frame
    picture: Picture

    def decided(self, at_ns: int, game: Game) -> Decision | None:
        """What the rules say to a press at this moment in this game; None: they have to be asked."""
        return self.decision if at_ns == self.at_ns and game is self.before else None

    def pictured(self, game: Game, frame: Frame) -> Picture | None:
        """The picture of this game in this frame; None: it has to be made."""
        return self.picture if game is self.decision.game and frame == self.frame else None


def work_out(game: Game, time: GameTime, frame: Frame, *, at_ns: int, counts_ns: int) -> PressAhead | None:
    """None for a press that changes nothing, and for one that rolls dice: nobody looks at a roll before the
    press counts. Both moments are CLOCK_BOOTTIME; the picture, in `frame`, is as
    of `counts_ns`, up to which the clock must not turn."""
    decision = foresee(
        game, Press(), at_ns=time.game_ns(at_ns), now_ns=time.game_ns(counts_ns), source="button"
    )
    if decision.game is None:
        return None
    picture = picture_at(decision.game, time, counts_ns, frame=frame)
    return PressAhead(at_ns, game, decision, frame, picture)
