// The drawn symbols, taken into the page once: so one is there at once when it is needed, with or without a server.

/** @param {URL} address */
export async function takeSymbols(address) {
  const symbols = new DOMParser().parseFromString(await (await fetch(address)).text(), "image/svg+xml").documentElement;
  symbols.setAttribute("hidden", "");
  document.body.append(document.adoptNode(symbols));
}

await takeSymbols(new URL("./symbols.svg", import.meta.url));
