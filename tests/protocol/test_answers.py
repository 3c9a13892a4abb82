"""What both forms of the client share."""

from pathlib import Path

import pytest

from pi_controller.protocol import messages
from pi_controller.protocol.errors import CoreTrouble, Malformed
from pi_controller.protocol.messages import PictureAnswer, encode_error, encode_malformed
from pi_controller.protocol.paths import UNIT_STATE_DIR
from pi_controller.protocol.question import decode_answer, encode, unreachable
from pi_controller.protocol.sentences import SentenceView
from pi_controller.sentence import Sentence


def test_troubles_come_back_as_errors() -> None:
    with pytest.raises(Malformed, match=r"^add_time: no$"):
        decode_answer(encode(messages.MalformedAnswer(id=1, malformed="add_time: no")), PictureAnswer)
    with pytest.raises(CoreTrouble, match=r"^no panel here$"):
        decode_answer(encode(messages.ErrorAnswer(id=1, error="no panel here")), PictureAnswer)
    with pytest.raises(CoreTrouble) as keyed:
        decode_answer(encode_error(1, Sentence("pin.without_display")), PictureAnswer)
    assert keyed.value.sentence == Sentence("pin.without_display")
    with pytest.raises(Malformed) as wrong:
        decode_answer(encode_malformed(1, Sentence("request.without_id")), PictureAnswer)
    assert wrong.value.sentence == Sentence("request.without_id")
    later = messages.ErrorAnswer(id=1, error="of a later version", error_key=SentenceView(key="no.text"))
    with pytest.raises(CoreTrouble, match=r"^of a later version$"):
        decode_answer(encode(later), PictureAnswer)
    with pytest.raises(CoreTrouble, match="The controller's answer is not understood"):
        decode_answer(b'{"id":1}\n', PictureAnswer)
    with pytest.raises(CoreTrouble, match="The controller's answer is not understood"):
        decode_answer(b"oops\n", PictureAnswer)


def test_other_troubles_of_the_socket_are_sentences() -> None:
    path = Path("/s")
    assert str(unreachable(PermissionError(13, "Permission denied"), path)).startswith(
        "This user may not talk to"
    )
    assert str(unreachable(OSError(5, "Input/output error"), path)) == (
        "The controller at /s cannot be reached: Input/output error."
    )


def test_on_an_installed_computer_its_unit_is_named(tmp_path: Path) -> None:
    gone = FileNotFoundError(2, "No such file or directory")
    assert "systemctl start pi-controller-core" in str(unreachable(gone, UNIT_STATE_DIR / "control.sock"))
    assert "pi-controller run" in str(unreachable(gone, tmp_path / "control.sock"))
