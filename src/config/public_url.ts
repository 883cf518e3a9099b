/**
 * What a public base URL may look like.
 *
 * @module
 */

/** What is wrong with a base URL; `undefined` when nothing is. */
export function faultOfPublicUrl(text: string): string | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return "Expected a URL such as https://gateway.example.com";
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return "Expected a URL that starts with https:// or http://";
  }
  if (url.username !== "" || url.password !== "") return "Expected a URL without a password";
  if (/[?#]/.test(text)) return "Expected a URL without '?' and '#'";
  if (/\/v1\/*$/.test(url.pathname)) return "Expected the URL without /v1 at its end";
  return undefined;
}
