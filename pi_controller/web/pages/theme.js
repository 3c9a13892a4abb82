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
 * Sets the theme and lets `button` change it.
 * @param {HTMLElement} button
 */
export function startTheme(button) {
  apply(stored());
  button.addEventListener("click", toggle);
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof Element && event.target.closest("input, textarea, select");
    if (event.key.toLowerCase() === "t" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) toggle();
  });
}
