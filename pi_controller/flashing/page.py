"""A page for the bench on this machine: what to do now, large, with a tone when the next Pico may come."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from string import Template

from pi_controller.flashing.build import FlashingError
from pi_controller.language.system_errors import why
from pi_controller.language.words import spoken, words
from pi_controller.sentence import Sentence

HOST = "127.0.0.1"
_HTML = """<!doctype html>
<html lang="$language"><meta charset="utf-8"><title>$title</title>
<style>
body { font: 5vmin/1.4 system-ui, sans-serif; margin: 0; padding: 5vmin; background: #10141c; color: #fff }
#now { font-size: 9vmin; font-weight: 700; padding: 4vmin; border-radius: 2vmin; background: #2a3342 }
.good #now { background: #0b6b3a } .bad #now { background: #9b1c1c }
li { font-size: 3.5vmin }
button { font: inherit }
</style>
<p id="now" data-ended="$ended"></p><button id="sound">$sound_on</button><ol id="done"></ol>
<script>
let audio = null, heard = -1
document.getElementById("sound").onclick = event => { audio = new AudioContext(); event.target.remove() }
function tone(hertz) {
  if (!audio) return
  const note = audio.createOscillator()
  note.frequency.value = hertz
  note.connect(audio.destination)
  note.start()
  note.stop(audio.currentTime + 0.4)
}
async function look() {
  let state = null
  try { state = await (await fetch("state")).json() } catch { }
  const now = document.getElementById("now")
  if (!state) { now.textContent = now.dataset.ended; document.body.className = ""; return }
  now.textContent = state.now
  document.body.className = state.mood
  const list = document.getElementById("done")
  while (list.children.length < state.done.length) {
    const line = document.createElement("li")
    line.textContent = state.done[list.children.length]
    list.append(line)
  }
  if (heard >= 0 && state.done.length > heard) tone(state.mood === "bad" ? 220 : 880)
  heard = state.done.length
  setTimeout(look, 500)
}
look()
</script></html>
"""


class Bench:
    """What the page shows; told by one thread, in its language, and read by the server's."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now = words(Sentence("firmware.plug_in_the_first"))
        self._mood = ""
        self._done: list[str] = []

    def finished(self, sentence: Sentence, *, good: bool) -> None:
        said, now = words(sentence), Sentence("firmware.plug_in_the_next") if good else sentence
        with self._lock:
            self._done.append(said)
            self._mood = "good" if good else "bad"
            self._now = words(now)

    def state(self) -> bytes:
        with self._lock:
            return json.dumps({"now": self._now, "mood": self._mood, "done": self._done}).encode()


def _page() -> str:
    texts = {
        "title": Sentence("firmware.page_title"),
        "sound_on": Sentence("firmware.page_sound_on"),
        "ended": Sentence("firmware.page_ended"),
    }
    shown = {name: escape(words(text)) for name, text in texts.items()}
    return Template(_HTML).substitute(shown, language=spoken())


@contextmanager
def served(bench: Bench, port: int) -> Iterator[str]:
    """The page's address while it is served, on this machine only, in the language of this thread; port 0
    chooses a free one. FlashingError when the port is taken.
    """
    page = _page().encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            pages = {
                "/": ("text/html; charset=utf-8", page),
                "/state": ("application/json", bench.state()),
            }
            kind, body = pages.get(self.path, ("text/plain", b""))
            self.send_response(HTTPStatus.OK if self.path in pages else HTTPStatus.NOT_FOUND)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """The terminal belongs to the installation."""

    try:
        server = ThreadingHTTPServer((HOST, port), Handler)
    except OSError as error:
        raise FlashingError(Sentence("flashing.port_taken", port=port, why=why(error))) from error
    thread = threading.Thread(target=server.serve_forever, name="bench page", kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
