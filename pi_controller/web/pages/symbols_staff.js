// The symbols of nodes, tests and parts: only the pages of the staff load them.

import { takeSymbols } from "./symbols.js";

await takeSymbols(new URL("./symbols_staff.svg", import.meta.url));
