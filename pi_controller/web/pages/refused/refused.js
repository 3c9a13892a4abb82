// Of the page that says why something is refused, which the server writes whole: the theme that this browser has chosen.

import { startTheme } from "../lib/dom.js";

startTheme();
