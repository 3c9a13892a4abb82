// Where the hall screen stands in its window: all of it, a column beside a stage picture, a corner, or over another picture.

const LAYOUTS = ["side", "corner"];

function asked() {
  if (location.pathname === "/overlay") return "overlay";
  const layout = new URLSearchParams(location.search).get("layout") ?? "";
  return LAYOUTS.includes(layout) ? layout : "full";
}

/** Once, before anything is drawn. A column has the parts one below the other, as a phone held upright has. */
export function startLayout() {
  const layout = asked();
  document.documentElement.dataset.layout = layout;
  if (layout !== "side") return;
  const narrow = document.querySelector('link[href$="hall_narrow.css"]');
  if (narrow instanceof HTMLLinkElement) narrow.media = "all";
}
