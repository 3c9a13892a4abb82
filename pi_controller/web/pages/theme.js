// Dark hall or bright projector: `?theme=light`, the button, or the key T. The choice is remembered on this screen.

const KEY = "theme";
const THEMES = ["dark", "light"];

function stored() {
  const asked = new URLSearchParams(location.search).get("theme");
  const choice = asked ?? localStorage.getItem(KEY) ?? "";
  return THEMES.includes(choice) ? choice : "dark";
}

/** @param {string} theme */
function apply(theme) {
  document.documentElement.dataset.theme = theme;
}

function toggle() {
  const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  localStorage.setItem(KEY, theme);
  apply(theme);
}

/**
 * @param {EventTarget | null} target
 * @param {string} selector
 */
const isIn = (target, selector) => target instanceof Element && target.closest(selector) !== null;

/** Sets the theme and lets the page's theme button change it. */
export function startTheme() {
  apply(stored());
  document.addEventListener("click", (event) => isIn(event.target, '[data-is="theme"]') && toggle());
  document.addEventListener("keydown", (event) => {
    const typing = isIn(event.target, "input, textarea, select");
    if (event.key.toLowerCase() === "t" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) toggle();
  });
}
