// A page without a browser, as the modules of the pages find it: its languages, and the texts that the server has.

import { readFile } from "node:fs/promises";

/** @param {string} lang */
export function openPage(lang, languages) {
  globalThis.document = { documentElement: { lang, dataset: { page: "any", ...(languages === undefined ? {} : { languages }) } } };
  globalThis.fetch = async (path) => {
    const text = await readFile(new URL(path.replace("/static/words/any", "words"), import.meta.url), "utf-8");
    return { ok: true, json: async () => JSON.parse(text) };
  };
}
