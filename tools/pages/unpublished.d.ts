// What the pages hear that is in no published schema.

declare namespace Api {
  /** The simulated panel, as `WS /api/sim` tells it. */
  type Panel = {
    sun: boolean;
    moon: boolean;
    pause_lamp: boolean;
    buzzer: boolean;
    display: { width: number; height: number; on: boolean; bits: string };
    button: { pressed: boolean; wire: "nc_broken" | "no_broken" | "ok" };
  };
  type Lamps = { sun: boolean; moon: boolean; pause: boolean };
  /** A line of `GET /api/games/{id}/replay`. */
  type ReplayLine = { since_ms: number; picture: Picture; lamps: [Lamps, Lamps] };
  /** Since when in ms, left half, right half, and the names in it: indices, or -1. */
  type ShownFrom = [number, number, number, number];
  /** `GET /api/games/{id}/replay/tables`. */
  type TablesShown = {
    boards: string[];
    halves: string[];
    names: Record<string, [number, number]>[];
    places: { board: string; side: "moon" | "sun"; shown: ShownFrom[] }[];
  };
  /** A game of `GET /api/games`. */
  type Game = { game_id: string; armed_at: string; rule_set: string; ended: boolean; rounds: number };
}

/** Of the Battery Status API what is read; in few browsers. */
interface Navigator {
  getBattery?(): Promise<{ level: number }>;
}
