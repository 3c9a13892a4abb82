// Where the hall screen stands in its window: all of it, a column beside a stage picture, a corner, or over another picture.

const LAYOUTS = ["side", "corner"];

function asked() {
  if (location.pathname === "/overlay") return "overlay";
  const layout = new URLSearchParams(location.search).get("layout") ?? "";
  return LAYOUTS.includes(layout) ? layout : "full";
}

/** What is painted around an overlay for a program or a mixer that cannot see through a page: a colour that it keys out. */
function ground() {
  return new URLSearchParams(location.search).get("ground") === "green" ? "green" : "";
}

/** Once, before anything is drawn. A column has the parts one below the other, as a phone held upright has. */
export function startLayout() {
  const layout = asked();
  document.documentElement.dataset.layout = layout;
  if (layout === "overlay") document.documentElement.dataset.ground = ground();
  if (layout !== "side") return;
  const narrow = document.querySelector('link[href$="hall_narrow.css"]');
  if (narrow instanceof HTMLLinkElement) narrow.media = "all";
}
