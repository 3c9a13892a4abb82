"""What the hall screen shows is read from 20 m on a picture 2.5 m wide: what is played with in capitals of 20 cm and more,
what explains it in capitals of 8 cm and more. A letter is read from 200 times its height under good light; half of that here."""

from collections.abc import Callable, Iterator

import pytest

from pi_controller.language.languages import LANGUAGES
from tests.browser.screen import Screen
from tests.browser.situations import HALL
from tests.matrix import further

pytestmark = pytest.mark.browser

PICTURE_CM = 250
FAR_CM, NEAR_CM = 20, 8
HEX_OF_CLOCK = 2

FAR = {
    "number": '[data-is="sum"], .pause .token-chip',
    "clock": '[data-is="digits"], [data-is="exact-whole"], [data-is="countin-digit"], [data-is="ready-timer-digits"]',
    "side": ".side.acting:not(.nobody) .side-word, .countin-who > span, .pause .where .chip[data-colour]:not([data-colour=neutral]) > span",
    "hex": '[data-is="target-number"]',
    "board": ".claim.open .claim-who, .queued b, .winner-board",
}
NEAR = {
    "help": ".robber-help > li, .desert-word, .scene.play .nobody.acting .side-word",
    "claim": ".claim.open > :not(.claim-who, .claim-sign), .queued-place, .with-claims .where .chip",
    "winner": '.winners:not([data-count="many"]) .winner-points, .decided',
}
MEASURE = """
([selectors, pictureCm]) => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d');
  const capital = (style) => {
    canvas.font = `${style.fontWeight} 1000px ${style.fontFamily}`;
    return (canvas.measureText('H').actualBoundingBoxAscent / 1000) * parseFloat(style.fontSize);
  };
  const isSeen = (element) => element.textContent.trim() !== '' && element.getClientRects().length > 0
    && element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  return Object.entries(selectors).flatMap(([name, selector]) => [...document.querySelectorAll(selector)].filter(isSeen)
    .map((element) => [name, element.textContent.trim(), (capital(getComputedStyle(element)) / innerWidth) * pictureCm,
      element.closest('.with-claims .where') !== null]));
}
"""
"""Where boards claim in a pause, number and side of the round are details."""

MUST_SHOW = {
    "play": {"number", "clock", "side"},
    "pause": {"clock", "side"},
    "countin": {"clock", "side"},
    "ended": {"board", "winner"},
}
"""By scene; otherwise a renamed part would pass unseen."""


def must_show(name: str, scene: str | None) -> set[str]:
    match name.split("-"):
        case ["robber", *desert]:
            return {"clock", "help"} | (set() if desert else {"hex"})
        case ["pause", "claims", *_]:
            return {"board", "claim", "clock"}
        case ["asked", *_] if scene == "play":
            return {"board", "claim", "number", "clock", "side"}
        case ["ended", "nobody"] | ["start"]:
            return set()
        case ["pause", "recovery"]:  # of a robber phase
            return {"number", "clock"}
    return MUST_SHOW.get(scene or "", set())


def too_small(screen: Screen, language: str) -> Iterator[str]:
    page = screen.open(f"/?lang={language}")
    page.evaluate("document.fonts.ready.then(() => true)")
    for number, (name, picture) in enumerate(HALL.items()):
        screen.play(picture | {"seq": 100 + number, "saved_seq": 100 + number})
        found = page.evaluate(MEASURE, [FAR | NEAR, PICTURE_CM])
        sizes = {part: cm for part, _, cm, _ in found}
        yield from (f"{name}: there is no {part}" for part in must_show(name, screen.scene()) - {*sizes})
        for part, text, cm, is_detail in found:
            least = FAR_CM if part in FAR and not is_detail else NEAR_CM
            if cm < least:
                yield f"{name}: {part} {text!r} has capitals of {cm:.1f} cm, fewer than {least}"
        if "hex" in sizes and sizes["hex"] < HEX_OF_CLOCK * sizes["clock"]:
            yield f"{name}: the hex's number is {sizes['hex']:.1f} cm high, the clock {sizes['clock']:.1f}"


@pytest.mark.parametrize("language", ["pl", *further(*(one for one in LANGUAGES if one != "pl"))])
def test_what_is_played_with_is_read_from_twenty_metres(
    new_screen: Callable[..., Screen], language: str
) -> None:
    screen = new_screen(reduced_motion="reduce")
    assert list(too_small(screen, language)) == []
