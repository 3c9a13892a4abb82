"""Whatever stands in a file, the answer is settings or a list of sentences."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as budget
from hypothesis import strategies as st

from pi_controller.language.words import all_words
from pi_controller.settings import Settings, SettingsFault, load, show
from pi_controller.settings.fault import key_text, toml_text
from pi_controller.settings.load import rows

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
LEAF = st.one_of(
    st.booleans(), st.integers(-3, 30), st.integers(), st.floats(), TEXT, st.sampled_from([row.default for row in rows()])
)  # fmt: skip
VALUE = st.recursive(
    LEAF, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3)
)
KEY = st.sampled_from([row.key for row in rows()]) | TEXT
SECTION = st.sampled_from(Settings.__struct_fields__) | TEXT
FILE = st.dictionaries(SECTION, st.dictionaries(KEY, VALUE, max_size=5) | VALUE, max_size=5)


def check_sentences(problems: tuple[str, ...]) -> None:
    assert problems
    assert all(problem.strip() and "\n" not in problem for problem in problems)


Reader = Callable[[bytes], Settings | None]


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    file: Path = tmp_path_factory.mktemp("fuzz") / "s.toml"

    def answer(data: bytes) -> Settings | None:
        file.write_bytes(data)
        try:
            return load(file)
        except SettingsFault as fault:
            check_sentences(tuple(all_words(fault.problems)))
            return None

    return answer


@given(table=FILE)
@budget(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
def test_any_table_is_settings_or_sentences(read: Reader, table: dict[str, Any]) -> None:
    text = "".join(f"{key_text(key)} = {toml_text(value)}\n" for key, value in table.items())
    settings = read(text.encode())
    if settings is not None:
        assert read(show(settings).encode()) == settings


@given(data=st.binary(max_size=200))
@budget(max_examples=100)
def test_any_bytes_are_settings_or_sentences(read: Reader, data: bytes) -> None:
    read(data)


@given(place=st.integers(0), byte=st.integers(0, 255))
@budget(max_examples=100)
def test_any_flipped_byte_of_a_true_file_is_settings_or_sentences(
    read: Reader, place: int, byte: int
) -> None:
    data = bytearray(show(Settings()).encode())
    data[place % len(data)] = byte
    read(bytes(data))
