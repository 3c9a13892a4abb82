"""The local display: one thread draws the newest face and survives every bus error.

display = OledDisplay(controller="sh1106", open_bus=i2c_bus(port=1, address=0x3C), clock=clock, contrast=128,
rotate_degrees=0)
"""

import functools
import importlib
import math
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, get_args

from luma.core.device import device as luma_device
from luma.core.error import Error as LumaError
from luma.core.interface import serial
from luma.oled.device import sh1106, ssd1306, ssd1309
from PIL import Image, ImageDraw, ImageFont

from pi_controller.bus.values import TestPattern
from pi_controller.hal.names import DisplayController, Rotation, SymbolName
from pi_controller.hal.roles import Clock, Closing, HardwareError, HardwareMissing, StatusFace
from pi_controller.language.system_errors import cause
from pi_controller.sentence import Sentence

# Drawing: the status face for a 128 × 64 display with one bit a pixel. Pure: face in, picture out.


SYMBOL_SIZE = 34
FONT = Path(__file__).parents[2] / "paper" / "fonts" / "archivo-regular.ttf"
"""The printed pages' font; it has the letters of all languages, which Pillow's own lacks."""

_Place = tuple[int, int]
"""The upper left corner of a symbol."""


def _sun(draw: ImageDraw.ImageDraw, place: _Place) -> None:
    x, y = place[0] + 16.5, place[1] + 16.5
    draw.ellipse((x - 8, y - 8, x + 8, y + 8), fill=1)
    for ray in range(8):
        sine, cosine = math.sin(ray * math.pi / 4), math.cos(ray * math.pi / 4)
        draw.line((x + 11 * cosine, y + 11 * sine, x + 16 * cosine, y + 16 * sine), fill=1, width=3)


def _moon(draw: ImageDraw.ImageDraw, place: _Place) -> None:
    x, y = place
    draw.ellipse((x + 2, y + 2, x + 31, y + 31), fill=1)
    draw.ellipse((x + 12, y - 1, x + 37, y + 24), fill=0)


def _robber(draw: ImageDraw.ImageDraw, place: _Place) -> None:
    x, y = place
    draw.polygon([(x + 4, y + 33), (x + 10, y + 15), (x + 23, y + 15), (x + 29, y + 33)], fill=1)
    draw.ellipse((x + 8, y + 1, x + 25, y + 18), fill=1)
    draw.rectangle((x + 8, y + 7, x + 25, y + 11), fill=0)
    draw.rectangle((x + 11, y + 8, x + 14, y + 10), fill=1)
    draw.rectangle((x + 19, y + 8, x + 22, y + 10), fill=1)


def _pause(draw: ImageDraw.ImageDraw, place: _Place) -> None:
    x, y = place
    draw.rectangle((x + 5, y + 3, x + 13, y + 30), fill=1)
    draw.rectangle((x + 20, y + 3, x + 28, y + 30), fill=1)


def _ready(draw: ImageDraw.ImageDraw, place: _Place) -> None:
    x, y = place
    draw.ellipse((x + 1, y + 1, x + 32, y + 32), outline=1, width=3)
    draw.line([(x + 9, y + 17), (x + 15, y + 23), (x + 25, y + 11)], fill=1, width=4)


def _ended(draw: ImageDraw.ImageDraw, place: _Place) -> None:
    x, y = place
    draw.rectangle((x + 4, y + 1, x + 6, y + 33), fill=1)
    draw.rectangle((x + 7, y + 2, x + 31, y + 19), outline=1)
    for column in range(4):
        for row in range(3):
            if (column + row) % 2 == 0:
                draw.rectangle(
                    (x + 7 + 6 * column, y + 2 + 6 * row, x + 12 + 6 * column, y + 7 + 6 * row), fill=1
                )


def _fault(draw: ImageDraw.ImageDraw, place: _Place) -> None:
    x, y = place
    draw.polygon([(x + 16, y + 1), (x + 33, y + 32), (x, y + 32)], fill=1)
    draw.rectangle((x + 15, y + 12, x + 18, y + 22), fill=0)
    draw.rectangle((x + 15, y + 25, x + 18, y + 28), fill=0)


_SYMBOLS: dict[SymbolName, Callable[[ImageDraw.ImageDraw, _Place], None]] = {
    "sun": _sun,
    "moon": _moon,
    "robber": _robber,
    "pause": _pause,
    "ready": _ready,
    "ended": _ended,
    "fault": _fault,
}


SIZE = (128, 64)
SQUARE = 8
DIGITS = "0123456789"
DIGIT_SIZES = (8, 10, 13, 20)


def draw_pattern(pattern: TestPattern) -> Image.Image:
    """The picture of this pattern, mode "1", to the last pixel of all four edges."""
    picture = Image.new("1", SIZE)
    draw = ImageDraw.Draw(picture)
    draw.fontmode = "1"
    right, bottom = SIZE[0] - 1, SIZE[1] - 1
    match pattern:
        case "black":
            pass  # as it is already
        case "white":
            draw.rectangle((0, 0, right, bottom), fill=1)
        case "border":
            draw.rectangle((0, 0, right, bottom), outline=1)
        case "checker":
            for left in range(0, SIZE[0], SQUARE):
                for top in range(left % (2 * SQUARE), SIZE[1], 2 * SQUARE):
                    draw.rectangle((left, top, left + SQUARE - 1, top + SQUARE - 1), fill=1)
        case "digits":
            # All digits in four sizes, which a display with a bad line or column shows cut.
            top = 0
            for size in DIGIT_SIZES:
                draw.text((0, top), DIGITS, fill=1, font=ImageFont.load_default(size))
                top += size + 3
    return picture


# The picture is shifted by up to this much in both directions against burn-in.
WANDER = 2
# All offsets in order, one step a minute; neighbours are one pixel apart.
_STEPS = tuple(
    (dx, dy)
    for row, dy in enumerate(range(-WANDER, WANDER + 1))
    for dx in (range(-WANDER, WANDER + 1) if row % 2 == 0 else range(WANDER, -WANDER - 1, -1))
)
_MINUTE_NS = 60_000_000_000

_LEFT, _RIGHT = WANDER, SIZE[0] - WANDER
_HEAD_BOTTOM = 15
_FOOT_TOP = 51
_GAP = 4
_SMALL = 13
_BIG_SIZES = (46, 42, 38, 34, 30, 26, 22, 18, 14, 10)
_SMALL_SIZES = (_SMALL, 11, 10, 9, 8)
_LINE_SIZES = (*range(22, 7, -1),)
_TALL = "0/"
"""Characters as tall as any in lines."""


def wander(boot_ns: int) -> tuple[int, int]:
    """Offset of the picture in pixels at this time; no step is longer than one pixel."""
    there_and_back = (*_STEPS, *_STEPS[-2:0:-1])
    return there_and_back[(boot_ns // _MINUTE_NS) % len(there_and_back)]


def draw_face(face: StatusFace, offset: tuple[int, int] = (0, 0)) -> Image.Image:
    """The picture of this face, mode "1".

    Texts that are too wide get smaller; at the smallest size they are cut after a word. A test pattern fills
    the whole glass and is not shifted.
    """
    if face.pattern is not None:
        return draw_pattern(face.pattern)
    picture = Image.new("1", SIZE)
    draw = ImageDraw.Draw(picture)
    draw.fontmode = "1"
    dx, dy = offset
    _write(draw, face.headline, (_LEFT + dx, WANDER + dy, _RIGHT + dx, _HEAD_BOTTOM + dy), _SMALL_SIZES)
    if face.lines:
        bottom = _FOOT_TOP if face.footer else SIZE[1] - WANDER
        _write_lines(draw, face.lines, (_LEFT + dx, _HEAD_BOTTOM + dy, _RIGHT + dx, bottom + dy))
    else:
        middle, big_left = (_HEAD_BOTTOM + _FOOT_TOP) // 2, _LEFT + SYMBOL_SIZE + _GAP
        _SYMBOLS[face.symbol](draw, (_LEFT + dx, middle - SYMBOL_SIZE // 2 + dy))
        _write(draw, face.big, (big_left + dx, _HEAD_BOTTOM + dy, _RIGHT + dx, _FOOT_TOP + dy), _BIG_SIZES)
    _write(draw, face.footer, (_LEFT + dx, _FOOT_TOP + dy, _RIGHT + dx, SIZE[1] - WANDER + dy), _SMALL_SIZES)
    return picture


def _write(
    draw: ImageDraw.ImageDraw, text: str, box: tuple[int, int, int, int], sizes: tuple[int, ...]
) -> None:
    """Centre one line of text in the box, in the largest size that fits."""
    if not text:
        return
    left, top, right, bottom = box
    weight = 1 if sizes is _BIG_SIZES else 0
    size = sizes[-1]
    for size in sizes:
        x0, y0, x1, y1 = _room(_level(text), size, weight)
        if x1 - x0 <= right - left and y1 - y0 <= bottom - top:
            break
    font = _font(size)
    if size == _SMALL_SIZES[-1]:
        text = _cut(text, right - left)
    while draw.textlength(text, font=font) > right - left and len(text) > 1:
        text = text[:-1]
    x0, y0, x1, y1 = _room(_level(text), size, weight)
    x = (left + right - (x1 - x0)) // 2 - x0
    y = (top + bottom - (y1 - y0)) // 2 - y0
    draw.bitmap((round(x) - _MARGIN, round(y) - _MARGIN), _letters(text, size, weight), fill=1)


def _write_lines(draw: ImageDraw.ImageDraw, lines: tuple[str, ...], box: tuple[int, int, int, int]) -> None:
    """Write lines below each other in the largest size that fits, with letters spaced apart, since people
    compare them letter by letter."""
    left, top, right, bottom = box
    height = (bottom - top) // len(lines)
    for size in _LINE_SIZES:
        _, y0, _, y1 = _room(_TALL, size, 0)
        if y1 - y0 < height and max(_spaced(line, size) for line in lines) <= right - left:
            break
    for number, line in enumerate(lines):
        x = (left + right - _spaced(line, size)) // 2
        for letter in line:
            draw.text((x, top + number * height + (height - y1 + y0) // 2 - y0), letter, 1, _font(size))
            x += _spaced(letter, size) + 1


def _spaced(text: str, size: int) -> int:
    """The width of this text with its letters spaced apart."""
    return sum(round(_font(size).getlength(letter)) + 1 for letter in text) - 1


def _cut(text: str, room: int) -> str:
    """The words of this text that fit in the smallest size, with wider spaces: a single space of the font is
    no wider there than the gap between two letters."""
    words = text.split(" ")
    count = len(words)
    while count > 1 and _font(_SMALL_SIZES[-1]).getlength("  ".join(words[:count])) > room:
        count -= 1
    return "  ".join(words[:count])


def _level(text: str) -> str:
    """The text with digits of equal width, so that a countdown neither jumps nor changes its size."""
    return re.sub(r"\d", "0", text)


_MARGIN = 4
"""Letters may begin before the place where their text does."""


@functools.lru_cache(64)
def _letters(text: str, size: int, weight: int) -> Image.Image:
    """This text at _MARGIN, _MARGIN. Cached: in a countdown two of a face's three texts stay, and drawing is
    half of what core does for a second of it."""
    picture = Image.new("1", (SIZE[0] + 2 * _MARGIN, SIZE[1] + 2 * _MARGIN))
    draw = ImageDraw.Draw(picture)
    draw.fontmode = "1"
    draw.text((_MARGIN, _MARGIN), text, fill=1, font=_font(size), stroke_width=weight)
    return picture


@functools.lru_cache(1024)
def _room(text: str, size: int, weight: int) -> tuple[float, float, float, float]:
    """The box of this text from 0, 0. Cached: measuring draws the text in up to ten sizes per face, while the
    processor is needed to show the change elsewhere."""
    ruler = ImageDraw.Draw(Image.new("1", (1, 1)))
    ruler.fontmode = "1"
    return ruler.textbbox((0, 0), text, font=_font(size), stroke_width=weight)


@functools.cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(FONT, size)


# Buses and drivers: I2C or SPI, opened again after each error; luma's drivers for the three controllers,
# changed to restart without a flicker and without an exit hook.


# Reset pulse: long enough for every controller (SSD1306: 3 us, SH1106: 10 us).
RESET_S = 0.001
# Both controller families are specified for it; SH1106 modules are marginal above.
SPI_HZ = 2_000_000


class Lines(Protocol):
    """Data/command and reset lines of an SPI display, as `GpioLines` has them."""

    LOW: int
    HIGH: int
    OUT: int

    def setup(self, pin: int, _direction: int) -> None: ...
    def output(self, pin: int, level: int) -> None: ...


class Serial(Protocol):
    """The part of luma's serial interfaces that its devices use."""

    def command(self, *cmd: int) -> None: ...
    def data(self, data: Any) -> None: ...
    def cleanup(self) -> None: ...


OpenBus = Callable[[], Serial]


def i2c_bus(*, port: int, address: int, wire: object | None = None) -> OpenBus:
    """A display at this I2C address. `wire` replaces the SMBus in the simulated hall."""

    def connect() -> Serial:
        bus: Serial = serial.i2c(bus=wire, port=port, address=address)
        return bus

    return connect


def spi_bus(
    *, port: int, device: int, dc_pin: int, reset_pin: int, lines: Lines, wire: object | None = None
) -> OpenBus:
    """A display on SPI; it is reset each time the bus is opened. `wire` replaces spidev in the simulated
    hall.

    Raises HardwareMissing if spidev is not installed.
    """
    new_wire: Callable[[], object] = _spidev() if wire is None else lambda: wire

    def connect() -> Serial:
        bus: Serial = serial.spi(
            spi=new_wire(),
            gpio=lines,
            port=port,
            device=device,
            bus_speed_hz=SPI_HZ,
            gpio_DC=dc_pin,
            gpio_RST=reset_pin,
            reset_hold_time=RESET_S,
            reset_release_time=RESET_S,
        )
        return bus

    return connect


def _spidev() -> Callable[[], object]:
    try:
        make: Callable[[], object] = importlib.import_module("spidev").SpiDev
    except ImportError as error:
        raise HardwareMissing(Sentence("display.spidev_not_installed", error=str(error))) from error
    return make


WIDTH = 128
HEIGHT = 64


class _Pixels:
    """Gives luma's drivers a picture's pixels; replaces `Image.getdata`, which Pillow 14 removes."""

    def __init__(self, image: Image.Image) -> None:
        self._image = image

    def getdata(self) -> bytes:
        """One byte a pixel, 0 or 255, rows from the top."""
        return self._image.convert("L").tobytes()


class _Startable(luma_device):  # type: ignore[misc]
    """Inserted between a luma driver and its base class.

    luma's base class registers an exit hook for every device; with a restart each minute these would
    accumulate and block the exit on a dead bus. And a driver's start ends with an empty picture: here with
    the wanted one.
    """

    first_picture: Image.Image

    def __init__(self, const: Any, serial_interface: Serial) -> None:  # luma's own would add the exit hook
        self._const = const
        self._serial_interface = serial_interface

    def clear(self) -> None:
        self.display(self.first_picture)

    def preprocess(self, image: Image.Image) -> "_Pixels":
        return _Pixels(super().preprocess(image))


class _Ssd1306(ssd1306, _Startable):  # type: ignore[misc]
    pass


class _Ssd1309(ssd1309, _Startable):  # type: ignore[misc]
    pass


class _Sh1106(sh1106, _Startable):  # type: ignore[misc]
    pass


_DRIVERS: dict[DisplayController, type[_Startable]] = {
    "ssd1306": _Ssd1306,
    "ssd1309": _Ssd1309,
    "sh1106": _Sh1106,
}


class OledPanel:
    """One start of a display controller. Every method may raise what the bus raises."""

    def __init__(
        self,
        controller: DisplayController,
        bus: Serial,
        *,
        picture: Image.Image,
        contrast: int,
        upside_down: bool,
    ) -> None:
        driver: Any = _DRIVERS[controller]
        # The constructor talks to the display at once and passes nothing on to its base class.
        self._device = driver.__new__(driver)
        self._device.first_picture = picture
        self._device.__init__(bus, width=WIDTH, height=HEIGHT, rotate=2 if upside_down else 0)
        self._device.contrast(contrast)

    def show(self, picture: Image.Image) -> None:
        self._device.display(picture)

    def switch_off(self) -> None:
        self._device.hide()


# A glitch on the supply garbles these controllers without any error, so they are restarted once a minute.
RESTART_NS = 60_000_000_000
# Pauses before the next try after the 1st, 2nd, … error in a row; the last one repeats. A display that comes
# back is on again within 2 s.
PAUSES_NS = (0, 100_000_000, 500_000_000, 1_000_000_000, 2_000_000_000)
# A full frame takes 0.1 s on the slowest I2C bus; without a sign of life for this long the bus hangs.
BLOCKED_NS = 5_000_000_000
# Delay before drawing a face. Drawing takes ms of processor time, which those who show the same change
# elsewhere need first; of two quick changes only the second is drawn.
REST_S = 0.02
CLOSE_S = 1.0

BUS_ERRORS = (OSError, LumaError, HardwareError)


class _Beating:
    """A bus that records the thread's sign of life with each transfer, so that a slow bus does not count as
    dead."""

    def __init__(self, bus: Serial, display: "OledDisplay") -> None:
        self._bus = bus
        self._display = display

    def command(self, *cmd: int) -> None:
        self._bus.command(*cmd)
        self._display.beat()

    def data(self, data: Any) -> None:
        self._bus.data(data)
        self._display.beat()

    def cleanup(self) -> None:
        self._bus.cleanup()


class OledDisplay(Closing):
    """Implements `roles.LocalDisplay` with a thread of its own. Dark until the first face is drawn. A missing
    display is reported by `trouble`, not raised. ValueError for a contrast outside 0 to 255 or a rotation
    other than 0 and 180 degrees."""

    def __init__(
        self,
        *,
        controller: DisplayController,
        open_bus: OpenBus,
        clock: Clock,
        contrast: int,
        rotate_degrees: int,
    ) -> None:
        if rotate_degrees not in get_args(Rotation):
            raise ValueError(f"The display cannot be turned by {rotate_degrees} degrees: only 0 and 180 fit.")
        if not 0 <= contrast <= 255:
            raise ValueError(f"The display's contrast is {contrast}: it must be 0 to 255.")
        self._controller: DisplayController = controller
        self._open_bus = open_bus
        self._clock = clock
        self._contrast = contrast
        self._upside_down = rotate_degrees == 180
        self._news = threading.Condition()
        self._wanted: StatusFace | None = None
        self._shown: tuple[StatusFace, tuple[int, int]] | None = None
        self._closing = False
        self._left_behind = False
        self._bus: Serial | None = None
        self._panel: OledPanel | None = None
        self._started_ns = 0
        self._errors = 0
        self._retry_ns = 0
        self._trouble: Sentence | None = None
        self._untold: Exception | None = None
        self._beat_ns = clock.boot_ns()
        self._resting = False
        """The thread waits for a face or for what is due by itself."""
        self._thread = threading.Thread(target=self._work, name="local-display", daemon=True)
        self._thread.start()

    def draw(self, face: StatusFace) -> None:
        with self._news:
            self._wanted = face
            self._news.notify()

    def shows(self, face: StatusFace) -> bool:
        return self._shown is not None and self._shown[0] == face

    def trouble(self) -> Sentence | None:
        if not self._closing and self._clock.boot_ns() - self.beat_ns() > BLOCKED_NS:
            return Sentence("display.bus_hangs")
        return self._trouble

    def beat_ns(self) -> int:
        rests = self._resting and self._thread.is_alive()
        return self._clock.boot_ns() if rests else self._beat_ns

    def beat(self) -> None:
        """The drawing thread's sign of life."""
        self._beat_ns = self._clock.boot_ns()

    def close(self) -> None:
        """Switch the display off and end the thread.

        A thread that hangs in the bus is left behind after 1 s; when it continues, it ends without touching
        the display, which may have another driver by then.
        """
        with self._news:
            self._closing = True
            self._news.notify()
        self._thread.join(CLOSE_S)
        self._left_behind = self._thread.is_alive()

    def _work(self) -> None:
        while not self._closing:
            self.beat()
            face = self._wanted
            if face is not None and self._is_due(face):
                self._attempt(face)
            with self._news:
                if not self._closing and (self._wanted is face or self._clock.boot_ns() < self._retry_ns):
                    self._rest(face)
                if self._wanted is not face:
                    self._news.wait_for(lambda: self._closing, REST_S)
        self._switch_off()

    def _rest(self, face: StatusFace | None) -> None:
        """Wait for news, or until something is due by itself: another try, the picture's next step, a
        restart."""
        now_ns = self._clock.boot_ns()
        due_ns = min(self._started_ns + RESTART_NS, (now_ns // _MINUTE_NS + 1) * _MINUTE_NS)
        if self._errors:
            due_ns = self._retry_ns
        self._resting = True
        self._news.wait(None if face is None else max(0, due_ns - now_ns) / 1e9)
        self.beat()
        self._resting = False

    def _is_due(self, face: StatusFace) -> bool:
        now_ns = self._clock.boot_ns()
        if now_ns < self._retry_ns:
            return False
        return self._shown != (face, wander(now_ns)) or now_ns - self._started_ns >= RESTART_NS

    def _attempt(self, face: StatusFace) -> None:
        now_ns = self._clock.boot_ns()
        offset = wander(now_ns)
        picture = draw_face(face, offset)
        try:
            if self._panel is None or now_ns - self._started_ns >= RESTART_NS:
                self._release_bus()
                self._bus = self._open_bus()
                bus = _Beating(self._bus, self)
                self._panel = OledPanel(
                    self._controller,
                    bus,
                    picture=picture,
                    contrast=self._contrast,
                    upside_down=self._upside_down,
                )
                self._started_ns = now_ns
            else:
                self._panel.show(picture)
        except BUS_ERRORS as error:
            self._failed(error)
        else:
            self._errors = 0
            self._retry_ns = 0
            self._trouble = self._untold = None
            self._shown = (face, offset)

    def _failed(self, error: Exception) -> None:
        """Restart after a pause. A single error is not reported, since the next try usually succeeds."""
        self._panel = None
        self._shown = None
        pause_ns = PAUSES_NS[min(self._errors, len(PAUSES_NS) - 1)]
        self._errors += 1
        self._retry_ns = self._clock.boot_ns() + pause_ns
        self._untold = error if self._errors == 1 else None
        if self._errors > 1:
            self._trouble = Sentence("display.no_answer", why=cause(error))

    def _release_bus(self) -> None:
        bus, self._bus, self._panel = self._bus, None, None
        if bus is not None:
            bus.cleanup()

    def _switch_off(self) -> None:
        try:
            if self._panel is not None and not self._left_behind:
                self._panel.switch_off()
            self._release_bus()
            if self._untold is not None:  # no further try will mend it: the last face may stay
                raise self._untold
        except BUS_ERRORS as error:
            self._trouble = Sentence("display.not_switched_off", why=cause(error))
