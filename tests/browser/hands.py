"""A person's hands at a page, the same in every browser: what is clicked is found by what is written on it.

Each look waits until what it looks at is there: on a busy machine a page may be drawn anew between two looks, or cover
what it has no news of.
"""

from typing import Any, Protocol

from playwright.sync_api import Error, Page

from tests.patience import DEADLINE_MS

LEFT = "Execution context was destroyed"
"""The page was left for another one meanwhile: then that one is asked."""
TRIES = 30
"""Each looks for two seconds: a page that is left for another one meanwhile may never answer."""
FIND = """
async ([texts, part, selector, within]) => {
  const wanted = new Set(texts);
  const said = (element) => (element.getAttribute("aria-label") ?? element.innerText).trim().replace(/\\s+/g, " ");
  const seen = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.matches(":disabled, [aria-disabled=true]");
  const end = performance.now() + 2_000;
  while (performance.now() < end) {
    const root = within === "" ? document : document.querySelector(within);
    const found = [...(root?.querySelectorAll(selector) ?? [])].find((element) => seen(element) && (wanted.size === 0 || wanted.has(said(element))) && said(element).includes(part));
    if (found !== undefined) {
      found.scrollIntoView({ block: "center", behavior: "instant" });
      const before = found.getBoundingClientRect();
      await new Promise((done) => setTimeout(done, 200)); // what moves now is not aimed at
      const box = found.getBoundingClientRect();
      if (box.top !== before.top || box.left !== before.left) continue;
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      const top = document.elementFromPoint(x, y);
      if (found.isConnected && (found === top || found.contains(top))) {
        window.aim?.abort();
        window.aim = new AbortController();
        document.addEventListener("click", ({ target }) => { window.aim.hit = found.contains(target); }, { capture: true, signal: window.aim.signal });
        return [x, y];
      }
    }
    await new Promise((done) => setTimeout(done, 50));
  }
  return [...document.querySelectorAll("button, summary, a")].filter(seen).map(said).join(" | ");
}
"""
MISSED = "() => window.aim !== undefined && window.aim.hit !== true"
"""Whether what was found last has not got the click: it moved or was disabled in between. A click may leave the page."""
WAIT = """
async ([selector, part]) => {
  const end = performance.now() + 2_000;
  while (performance.now() < end) {
    const found = [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility({ visibilityProperty: true }));
    if (found.some((element) => element.innerText.replace(/\\s+/g, " ").includes(part))) return true;
    await new Promise((done) => setTimeout(done, 50));
  }
  return [...document.querySelectorAll(selector)].map((element) => element.innerText).join(" | ") || document.body.innerText;
}
"""
READ = """
async ([selectors]) => {
  const end = performance.now() + 2_000;
  while (performance.now() < end) {
    for (const selector of selectors) {
      const found = [...document.querySelectorAll(selector)].find((element) => element.checkVisibility({ visibilityProperty: true }));
      if (found !== undefined) return [selector, found.innerText];
    }
    await new Promise((done) => setTimeout(done, 50));
  }
  return document.body.innerText;
}
"""


class Tab(Protocol):
    """A page of a browser."""

    @property
    def complaints(self) -> list[str]: ...
    def open(self, address: str) -> None: ...
    def resize(self, width: int, height: int) -> None: ...
    def run(self, function: str, *values: Any) -> Any: ...
    def click_at(self, x: float, y: float) -> None: ...
    def type(self, text: str) -> None: ...


class ChromiumTab:
    def __init__(self, page: Page) -> None:
        self._page = page
        self._complaints: list[str] = []
        page.set_default_timeout(DEADLINE_MS)
        page.on("console", lambda said: self._note(said.type, said.text))
        page.on("pageerror", lambda error: self._complaints.append(str(error)))

    @property
    def complaints(self) -> list[str]:
        return self._complaints

    def _note(self, kind: str, text: str) -> None:
        if kind in {"error", "warning"}:
            self._complaints.append(f"{kind}: {text}")

    def open(self, address: str) -> None:
        self._page.goto(address)

    def resize(self, width: int, height: int) -> None:
        self._page.set_viewport_size({"width": width, "height": height})

    def run(self, function: str, *values: Any) -> Any:
        try:
            return self._page.evaluate(f"(given) => ({function})(...given)", list(values))
        except Error as problem:
            if LEFT not in problem.message:
                raise
            return self.run(function, *values)

    def click_at(self, x: float, y: float) -> None:
        self._page.mouse.click(x, y)

    def type(self, text: str) -> None:
        self._page.keyboard.type(text)


class Hands:
    def __init__(self, tab: Tab) -> None:
        self.tab = tab

    def click(self, *texts: str, on: str = "button, summary, a", within: str = "", part: str = "") -> None:
        """The first thing that can be used and says exactly one of these texts, or of no text at all; and has `part` in what it says."""
        for _ in range(TRIES):
            found = self.tab.run(FIND, [list(texts), part, on, within])
            if isinstance(found, list):
                self.tab.click_at(*found)
                if not self.tab.run(MISSED):
                    return
        raise AssertionError(f"{texts or part or on} could not be clicked; there is: {found}")

    def write(self, selector: str, text: str) -> None:
        self.click(on=selector)
        self.tab.type(text)

    def see(self, selector: str, part: str = "") -> None:
        """Wait until something visible there says this."""
        found: Any = None
        for _ in range(TRIES):
            found = self.tab.run(WAIT, [selector, part])
            if found is True:
                break
        assert found is True, f"{part!r} is not at {selector}; there is: {found}"

    def text(self, selector: str) -> str:
        """What the first visible one of these says, once there is one."""
        return self._read(selector)[1]

    def which(self, *selectors: str) -> str:
        """The first of these at which there is something visible, once there is."""
        return self._read(*selectors)[0]

    def _read(self, *selectors: str) -> tuple[str, str]:
        found: Any = None
        for _ in range(TRIES):
            found = self.tab.run(READ, [selectors])
            if isinstance(found, list):
                return found[0], found[1]
        raise AssertionError(f"nothing is seen at {' or '.join(selectors)}; there is: {found}")
