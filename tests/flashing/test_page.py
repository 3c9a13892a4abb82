import json
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from pi_controller.flashing.build import FlashingError
from pi_controller.flashing.picos import FlashingProgress, served
from pi_controller.language.languages import PSEUDO
from pi_controller.language.words import speak, words
from pi_controller.sentence import Sentence, as_told
from tests.patience import DEADLINE_S


def get(address: str) -> bytes:
    with urlopen(address, timeout=DEADLINE_S) as answer:  # noqa: S310 - the page's own address
        body: bytes = answer.read()
    return body


def test_the_page_tells_what_to_do_now() -> None:
    bench = FlashingProgress()
    with served(bench, 0) as address:
        assert b"<title>Table nodes</title>" in get(address)
        assert json.loads(get(address + "state")) == {
            "now": "Plug in the first Pico.",
            "mood": "",
            "done": [],
        }
        bench.finished(as_told("Pico a is a table node now."), good=True)
        assert json.loads(get(address + "state")) == {
            "now": "Unplug it and plug in the next one.",
            "mood": "good",
            "done": ["Pico a is a table node now."],
        }
        bench.finished(as_told("It was unplugged."), good=False)
        state = json.loads(get(address + "state"))
        assert (state["now"], state["mood"]) == ("It was unplugged.", "bad")
        with pytest.raises(HTTPError, match="404"):
            get(address + "other")


def test_the_page_is_in_the_language_of_who_flashes() -> None:
    speak(PSEUDO)
    bench = FlashingProgress()
    with served(bench, 0) as address:
        page = get(address).decode()
        assert '<html lang="en-XA">' in page
        for text in ("firmware.page_title", "firmware.page_sound_on", "firmware.page_ended"):
            assert words(Sentence.of(text, {})) in page
        bench.finished(Sentence("firmware.no_pico"), good=True)
        state = json.loads(get(address + "state"))
        assert state["now"] == words(Sentence("firmware.plug_in_the_next"))
        assert state["done"] == [words(Sentence("firmware.no_pico"))]


def test_a_port_that_is_taken_is_told() -> None:
    with (
        served(FlashingProgress(), 0) as address,
        pytest.raises(FlashingError, match="cannot be used for the page: Address already in use"),
        served(FlashingProgress(), int(address.rstrip("/").rpartition(":")[2])),
    ):
        pass
