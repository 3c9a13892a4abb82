"""A person's hands at a page, the same in every browser: what is clicked is found by what is written on it."""

from typing import Any, Protocol

from playwright.sync_api import Error, Page

LEFT = "Execution context was destroyed"
"""The page was left for another one meanwhile: then that one is asked."""
TRIES = 30
"""Each looks for two seconds: a page that is left for another one meanwhile may never answer."""
FIND = """
async ([texts, selector, within]) => {
  const wanted = new Set(texts);
  const said = (element) => (element.getAttribute("aria-label") ?? element.innerText).trim().replace(/\\s+/g, " ");
  const seen = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.matches(":disabled, [aria-disabled=true]");
  const end = performance.now() + 2_000;
  while (performance.now() < end) {
    const root = within === "" ? document : document.querySelector(within);
    const found = [...(root?.querySelectorAll(selector) ?? [])].find((element) => seen(element) && (wanted.size === 0 || wanted.has(said(element))));
    if (found !== undefined) {
      found.scrollIntoView({ block: "center", behavior: "instant" });
      const before = found.getBoundingClientRect();
      await new Promise((done) => setTimeout(done, 200)); // what moves now is not aimed at
      const box = found.getBoundingClientRect();
      if (box.top !== before.top || box.left !== before.left) continue;
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      const top = document.elementFromPoint(x, y);
      if (found.isConnected && (found === top || found.contains(top))) return [x, y];
    }
    await new Promise((done) => setTimeout(done, 50));
  }
  return [...document.querySelectorAll("button, summary, a")].filter(seen).map(said).join(" | ");
}
"""
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
IS_SEEN = """
async ([selector]) => [...document.querySelectorAll(selector)].some((element) => element.checkVisibility({ visibilityProperty: true }))
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
        page.set_default_timeout(120_000)
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

    def click(self, *texts: str, on: str = "button, summary, a", within: str = "") -> None:
        """The first thing that can be used and says exactly one of these texts, or of no text at all."""
        found: Any = None
        for _ in range(TRIES):
            found = self.tab.run(FIND, [list(texts), on, within])
            if isinstance(found, list):
                break
        assert isinstance(found, list), f"{texts or on} is not there; there is: {found}"
        self.tab.click_at(*found)

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

    def comes(self, selector: str, part: str) -> bool:
        """Whether something visible there says this within two seconds."""
        return self.tab.run(WAIT, [selector, part]) is True

    def text(self, selector: str) -> str:
        """What the first one of these says now."""
        return str(self.tab.run("([selector]) => document.querySelector(selector).innerText", [selector]))

    def sees(self, selector: str) -> bool:
        """Whether there is something visible there now."""
        return bool(self.tab.run(IS_SEEN, [selector]))
