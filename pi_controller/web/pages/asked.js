// What a page asks the controller for, beside its feed.

/**
 * The JSON of a good answer; null for any other, and where there is no connection or the page is being left.
 * @param {string} path
 * @param {RequestInit} [options]
 */
export async function jsonOf(path, options = {}) {
  try {
    const response = await fetch(path, options);
    return response.ok ? await response.json() : null;
  } catch (problem) {
    if (!(problem instanceof TypeError || problem instanceof DOMException)) throw problem;
    return null;
  }
}
