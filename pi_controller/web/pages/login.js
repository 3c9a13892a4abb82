// The page for whoever is not logged in.

import { furnish } from "./dom.js";
import { word } from "./words.js";

furnish(word);
document.title = word("loginTitle");
