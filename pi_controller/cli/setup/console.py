"""Asks at the terminal. Enter takes the answer in brackets; a wrong one is told and asked again."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from pi_controller.cli.setup.questions import NO, NONE, YES, Answers, NoAnswer, Option, Question, convert
from pi_controller.cli.typed import plain
from pi_controller.language.words import speak, words
from pi_controller.sentence import Sentence, as_told

SEGMENTS_AFTER = "sound"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ENGLISH_WORDS = {"y": True, "yes": True, "true": True, "n": False, "no": False, "false": False}
"""Understood in every language, besides its own words and their first letters."""


class Console:
    """`read` takes a prompt and gives a line; it raises EOFError when there are no more."""

    def __init__(self, read: Callable[[str], str], say: Callable[[str], None]) -> None:
        self._read = read
        self._say = say

    def ask_all(self, questions: Iterable[Question], ports: tuple[str, ...], before: Answers) -> Answers:
        """Every question that applies; `before` are the answers that stand in brackets."""
        answers = before
        for question in questions:
            if question.applies(answers):
                answers = self._answered(question, answers)
            if question.name == "language":
                speak(answers.language)
            if question.name == SEGMENTS_AFTER:
                answers = replace(answers, segments=self._ask_segments(ports, answers.segments))
        return answers

    def _answered(self, question: Question, answers: Answers) -> Answers:
        """With an answer that has no problem beside the others."""
        while True:
            value = self._ask(question, getattr(answers, question.name))
            answered = replace(answers, **{question.name: value})
            problem = question.problem(answered)
            if problem is None:
                return answered
            self._say(f"  {words(problem)}")

    def yes(self, text: str) -> bool:
        """Whether the answer is yes, which Enter means, too."""
        while True:
            said = plain(self._read(f"{text} [{words(YES)}]: "))
            if not said or said in _yes_and_no():
                return _yes_and_no().get(said, True)
            self._say(f"  {words(Sentence('setup.yes_or_no', yes=YES, no=NO))}")

    def _ask(self, question: Question, default: Any) -> Any:
        options = question.options
        if options and default not in [option.value for option in options]:
            kept = Option(default, Sentence("setup.as_it_is_now")) if question.free else options[0]
            options, default = ((*options, kept) if question.free else options), kept.value
        self._say(f"\n{words(question.text)}")
        for number, option in enumerate(options, 1):
            self._say(f"  {number}  {_shown(option)}")
        while True:
            said = self._read(f"  [{_default(options, default)}]: ").strip()
            if not said:
                return default
            try:
                return _chosen(question, options, said)
            except NoAnswer as problem:
                self._say(f"  {problem}")

    def _ask_segments(self, ports: tuple[str, ...], before: Mapping[str, str]) -> dict[str, str]:
        """A letter for each port that is there or was named before."""
        self._say(f"\n{words(Sentence('setup.segments'))}")
        named = {port: letter for letter, port in before.items()}
        offered = [*ports, *(port for port in named if port not in ports)]
        if not offered:
            self._say(f"  {words(Sentence('setup.no_adapter'))}")
        found: dict[str, str] = {}
        for port in offered:
            told = as_told(port) if port in ports else Sentence("setup.not_plugged_in", port=port)
            letter = self._ask_letter(f"  {words(told)}", named.get(port) or _next(found, before), found)
            if letter is not None:
                found[letter] = port
        return found

    def _ask_letter(self, text: str, default: str, taken: Mapping[str, str]) -> str | None:
        while True:
            said = self._read(f"{text} [{default}]: ").strip().upper() or default
            if said == "-":
                return None
            if len(said) == 1 and said in LETTERS and said not in taken:
                return said
            self._say(f"  {words(_wanted_letter(taken))}")


def _shown(option: Option) -> str:
    plain = (
        isinstance(option.value, bool) or option.value == NONE or len(str(option.value)) <= len("simulated")
    )
    label = words(option.label)
    return label if plain else f"{option.value}  ({label})"


def _default(options: tuple[Option, ...], default: Any) -> str:
    for number, option in enumerate(options, 1):
        if option.value == default:
            return str(number)
    return str(default)


def _chosen(question: Question, options: tuple[Option, ...], said: str) -> Any:
    """The value that a number, a word or a text stands for; NoAnswer when it stands for none."""
    if options and said.isdigit() and 1 <= int(said) <= len(options):
        return options[int(said) - 1].value
    if options and not question.free:
        for option in options:
            if plain(said) in {plain(str(option.value)), plain(words(option.label))}:
                return option.value
        if isinstance(options[0].value, bool) and plain(said) in _yes_and_no():
            return _yes_and_no()[plain(said)]
    if options and (said.isdigit() or not question.free):
        raise NoAnswer(Sentence("setup.type_a_number", most=len(options)))
    if said == "-" and not options:
        return ""
    return convert(question.name, int(said) if question.name == "port" and said.isdigit() else said)


def _next(found: Mapping[str, str], before: Mapping[str, str]) -> str:
    return next((letter for letter in LETTERS if letter not in found and letter not in before), "-")


def _wanted_letter(taken: Mapping[str, str]) -> Sentence:
    if not taken:
        return Sentence("setup.type_a_letter")
    return Sentence("setup.type_another_letter", count=len(taken), taken=", ".join(sorted(taken)))


def _yes_and_no() -> Mapping[str, bool]:
    yes, no = plain(words(YES)), plain(words(NO))
    return {yes[0]: True, no[0]: False, yes: True, no: False} | ENGLISH_WORDS
