"""The pages say what the catalogue has, all of it, and nothing besides."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pi_controller.language.words import all_texts
from pi_controller.web.http.static_files import AT_ONE_TABLE, texts_of_page
from tests.pages.scripts import HOLE, texts_of

PAGES = Path(__file__).parents[2] / "pi_controller" / "web" / "pages"
NOT_OURS = {"bundles", "vendor"}
SCRIPTS = sorted(path for path in PAGES.rglob("*.js") if NOT_OURS.isdisjoint(path.parts))
DOCUMENTS = [*sorted(PAGES.glob("*.html")), PAGES / "verify" / "skeleton.txt"]
FILLED_IN = re.compile(r"<script.*?</script>|<style>.*?</style>|\{\w+\}", re.DOTALL)
"""What in that skeleton is no text of a person, or is put in from the catalogue."""
SPOKEN = (
    "alt",
    "aria-description",
    "aria-label",
    "aria-roledescription",
    "aria-valuetext",
    "label",
    "placeholder",
    "title",
)
"""Attributes that a person reads or hears."""
PROPERTY = re.compile(
    r"""\.(?:alt|ariaDescription|ariaLabel|innerText|placeholder|textContent|title)\s*\+?=\s*["'`]([^"'`\n]*)"""
    r"""|setAttribute\(\s*["'](?:alt|aria-(?:description|label|roledescription|valuetext)|label|placeholder|title)["']\s*,\s*["'`]([^"'`\n]*)"""
    r"""|setText\([^,\n]*,\s*["'`]([^"'`\n]*)"""
)
"""What a script writes into one, or into the page, as it stands."""
SHOWN_BY_CSS = re.compile(r"""(?<![\w-])content:[^;}"]*"[^"\n]*[^\W\d_][^"\n]*\"""")
DRAWN = re.compile(r"<(?:title|desc|text|tspan)\b")
"""Texts in drawings."""
LONE = re.compile(r"[A-Z][a-z]+[.!?…]?( [A-Za-z]+)?")
KEYS = {"Enter", "Space"}
"""Of keyboards, as browsers call them: texts that begin with a capital."""
VALUES = {"False", "Infinity", "None", "True"}
"""As JSON and Python write them."""
BESIDE_A_HOLE = re.compile(rf"{HOLE} [A-Za-z]{{3,}}|[A-Za-z]{{3,}} {HOLE}")
CLASSES = {
    "claim {}",
    "mushroom {}",
    "no {} for: {}",
    "notice {}",
    "pi-controller commitment {}",
    "pi-controller dice {}",
    "vt-claim {}",
}
"""Names of classes, of derivations, and of an error for developers, with a part that a script fills in."""
SAME_EVERYWHERE = {"s"}
"""The sign of the second (ISO 80000-3)."""
NO_PROSE = re.compile(r"[<>{}=]|^[.#][a-z]|data-|--|\dpx|\0px|^[\w.-]+(, [\w.-]+)+$|^[a-z]+ [a-z]+-[a-z]+$")
"""Selectors and styles."""


def own_keys() -> set[str]:
    return {key.removeprefix("page.") for key in all_texts("en") if key.startswith("page.")}


def said_keys() -> set[str]:
    """Every word of the scripts that could be a key, and what the documents name."""
    said = {text.text for path in SCRIPTS for text in texts_of(path.read_text())}
    for path in DOCUMENTS:
        page = path.read_text()
        said |= set(re.findall(r'data-(?:word|label)="(\w+)"', page)) | set(
            re.findall(r"\{page\.(\w+)\}", page)
        )
    return said


def made() -> tuple[str, ...]:
    """What a page says of one of several things, such as the state of a node, has a key of two parts: one of these,
    and the name that the controller has for the thing."""
    parts = {text.text.split(HOLE)[0] for path in SCRIPTS for text in texts_of(path.read_text())}
    return tuple(part for part in parts if re.fullmatch(r"[a-z_]+_", part))


def test_every_text_of_the_pages_is_said() -> None:
    said, of_two_parts = said_keys(), made()
    assert "decided_" in of_two_parts
    assert sorted(key for key in own_keys() - said if not key.startswith(of_two_parts)) == []


@pytest.mark.parametrize("page", sorted(path.stem for path in PAGES.glob("*.html") if path.stem != "head"))
def test_a_page_has_every_text_that_its_script_may_say(page: str) -> None:
    script = (PAGES / "bundles" / f"{page}.js").read_text()
    keys = [
        text.text for text in texts_of(script) if re.fullmatch(rf"(\w|{HOLE})*[a-z](\w|{HOLE})*", text.text)
    ]
    possible = re.compile("|".join(re.escape(key).replace(re.escape(HOLE), r"\w+") for key in keys))
    has = texts_of_page(page, script, (PAGES / f"{page}.html").read_text(), "en")
    may = [key for key in own_keys() if possible.fullmatch(key.removeprefix(AT_ONE_TABLE))]
    assert [key for key in may if f"page.{key}" not in has] == []


def test_what_the_documents_say_has_words() -> None:
    named = {
        key
        for path in DOCUMENTS
        for key in re.findall(r'(?:data-(?:word|label)="|\{page\.)(\w+)', path.read_text())
    }
    assert named - own_keys() == set()


class _Document(HTMLParser):
    """Collects what a person reads."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        button = tag == "input" and dict(attrs).get("type") in {"button", "reset", "submit"}
        spoken = {*SPOKEN, *(f".{name}" for name in SPOKEN), *(["value"] if button else [])}
        self.texts += [value for name, value in attrs if name in spoken and value is not None]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def prose_of(markup: str) -> list[str]:
    """What of it a person reads and no catalogue has said."""
    document = _Document()
    document.feed(re.sub(r"\{page\.\w+\}", "", markup).replace(HOLE, "\ufffc"))
    read = [re.sub(r"[^\w\s]", " ", text).split() for text in document.texts]
    return [
        " ".join(words)
        for words in read
        if any(re.search(r"[^\W\d_]", word) and word not in SAME_EVERYWHERE for word in words)
    ]


def reads_like_prose(text: str) -> bool:
    if BESIDE_A_HOLE.search(text):
        return text.replace(HOLE, "{}") not in CLASSES
    if LONE.fullmatch(text):
        return text not in KEYS | VALUES
    words = re.findall(r"[^\W\d_]{2,}", text.replace(HOLE, " "))
    if " " not in text.strip() or NO_PROSE.search(text):
        return False
    return len(words) > 2 or (len(words) == 2 and text[:1].isupper())


def unsaid() -> Iterator[str]:
    """Where a text stands that no catalogue knows, and the text."""
    for path in DOCUMENTS:
        for text in prose_of(FILLED_IN.sub("", path.read_text())):
            yield f"{path.name}: {text}"
    for path in SCRIPTS:
        script = re.sub(r"throw new Error\([^\n]*\)", "", path.read_text())
        for text in texts_of(script):
            found = prose_of(text.text) if text.markup else [text.text] if reads_like_prose(text.text) else []
            for one in found:
                yield f"{path.relative_to(PAGES)}:{text.line}: {one}"
        for one in written(script):
            yield f"{path.relative_to(PAGES)}: {one}"
    for path in sorted(PAGES.glob("[!b]*/*.css")):
        yield from (f"{path.name}: {found[0]}" for found in SHOWN_BY_CSS.finditer(path.read_text()))
    for path in sorted(PAGES.glob("*.svg")):
        yield from (f"{path.name}: {found[0]}" for found in DRAWN.finditer(path.read_text()))


def written(script: str) -> list[str]:
    """What it writes where a person reads, as it stands."""
    texts = ("".join(filter(None, found)) for found in PROPERTY.findall(script))
    return [text for text in texts if re.search(r"[^\W\d_]", re.sub(r"\$\{[^}]*\}?", "", text))]


def test_no_text_stands_in_the_pages() -> None:
    assert list(unsaid()) == []


def test_the_scan_finds_texts() -> None:
    script = 'html`<p title="No ${news}">${x ? html`<b>Wait a moment</b>` : "Not at all now"} s</p>`; // never mind'
    found = list(texts_of(script))
    assert [prose_of(text.text) for text in found if text.markup] == [["Wait a moment"], ["No"]]
    assert [reads_like_prose(text.text) for text in found if not text.markup] == [True]


@pytest.mark.parametrize(
    "script",
    [
        "const said = `${count} boards`;",
        "const said = `wait ${seconds}`;",
        'const said = "Done";',
        'button.title = "wait";',
        'field.setAttribute("aria-label", "wait");',
        "setText(part, `wait`);",
        'html`<input placeholder="name">`',
        'html`<input .placeholder="name">`',
        'html`<input type="submit" value="send">`',
        'html`<p aria-description="wait"></p>`',
        'html`<optgroup label="boards"></optgroup>`',
        'html`<p>${ready ? "Ready" : ""}</p>`',
    ],
)
def test_no_text_slips_past_the_scan(script: str) -> None:
    found = list(texts_of(script))
    said = [text for text in found if (prose_of if text.markup else reads_like_prose)(text.text)]
    assert said or written(script)
