// The page of a phone in the hall: countdown, roll and side in large print, and whether it is the turn of its own seat.

import { render } from "./vendor/lit-html/lit-html.js";
import { Feed } from "./feed.js";
import { startTheme } from "./theme.js";
import { OwnSeat } from "./phone/own_seat.js";
import { Senses } from "./phone/senses.js";
import { phoneView } from "./phone/view.js";

const FRAME_MS = 100; // a tenth is all that can be seen of whole seconds, and saves the phone's battery

startTheme();

const senses = new Senses();
const seat = new OwnSeat(senses, draw);
/** @type {Feed<Phone.PhonePicture>} */
const feed = new Feed({ onPicture: (picture) => senses.follow(picture, seat.seat?.side ?? null), onNews: draw, path: () => seat.keyed("/api/phone") });

function draw() {
  render(phoneView(feed, seat), document.body);
}

// What a hidden page showed last is painted first when it comes back: so it is drawn anew at once.
document.addEventListener("visibilitychange", draw);
setInterval(draw, FRAME_MS);
draw();
