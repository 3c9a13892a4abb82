// The page for whoever is not logged in: the link that was opened, the PIN, where there is one, or the way to the
// printed link. A link is used up by the form that sends its token, never by being looked at.

import { html, render } from "../vendor/lit-html/lit-html.js";
import { languageMenu, themeButton, transportWarning } from "../lib/components.js";
import { part, sayWords, setText, show, startTheme } from "../lib/dom.js";
import { answerOf, jsonOf } from "../lib/feed.js";
import { wayTo, word } from "../lib/words.js";

const WAYS = ["/director", "/judge", "/technician", "/technician/selftest", "/technician/hardware", "/moderator", "/sim"];

/**
 * The page that was asked for before the log-in came between, otherwise the own one of this role.
 * @param {string} role
 */
function destination(role) {
  const asked = new URLSearchParams(location.search).get("to") ?? "";
  return [asked, `/${role}`].find((way) => WAYS.includes(way)) ?? "/";
}

/** @param {SubmitEvent} event */
async function logIn(event) {
  event.preventDefault();
  part("go").disabled = true;
  setText(part("mistake"), "");
  const { problem } = await answerOf("/api/pin", { body: { pin: part("pin").value }, unanswered: word("pin_failed") });
  part("go").disabled = false;
  if (problem === "") return location.assign(wayTo(destination("director")));
  setText(part("mistake"), problem);
  part("pin").value = "";
  part("pin").focus();
}

function onlyDigits() {
  const digits = part("pin").value.replace(/\D/g, "").slice(0, 6);
  if (part("pin").value !== digits) part("pin").value = digits;
}

startTheme();
sayWords(word);
render(html`${transportWarning()}<a href=${wayTo("/")}>${word("to_hall")}</a>${languageMenu()}${themeButton()}`, part("ways"));
part("form").addEventListener("submit", logIn);
part("pin").addEventListener("input", onlyDigits);

part("link-form").addEventListener("submit", () => (part("link-go").disabled = true));

const opened = new URLSearchParams(location.search).has("token");
show(part("link-form"), opened);
show(part("way"), !opened);
if (opened) part("link-go").focus();

const { pin: withPin = false, hall = "", role = null } = (await jsonOf("/api/session", { headers: { Accept: "application/json" } })) ?? {};
if (role !== null && !opened) location.replace(wayTo(destination(role)));
setText(part("hall"), hall);
show(part("form"), withPin && !opened);
setText(part("lead"), word(withPin ? "pin_lead" : "login_lead"));
if (withPin && !opened) {
  document.body.dataset.pin = "";
  part("pin").focus();
}
