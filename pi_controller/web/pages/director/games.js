// Earlier games: export, and how to check one.

import { make, part, setText } from "../dom.js";
import { word } from "../words.js";

/** @param {Api.Game} game */
function line(game) {
  const item = make("li", "game");
  const facts = [game.armed_at, game.rule_set, word(game.ended ? "gameEnded" : "gameOpen"), word("roundsPlayed", { n: game.rounds })];
  item.append(make("span", "game-id", game.game_id), make("span", "hint", facts.filter(Boolean).join(" · ")));
  const link = make("a", "", word("exportGame"));
  link.href = `/api/games/${encodeURIComponent(game.game_id)}/export`;
  link.download = `${game.game_id}.jsonl`;
  item.append(link);
  return item;
}

export function gamesCard() {
  const load = part("games-load");
  load.type = "button";
  load.addEventListener("click", async () => {
    const response = await fetch("/api/games");
    setText(part("games-mistake"), response.ok ? "" : word("gamesFailed", { status: response.status }));
    if (!response.ok) return;
    const { games } = await response.json();
    part("games").replaceChildren(...(games.length > 0 ? games.map(line) : [make("li", "hint", word("gamesEmpty"))]));
  });
}
