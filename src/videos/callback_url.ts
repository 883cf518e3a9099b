/**
 * Which `callback_url` a caller may give.
 *
 * @module
 */

const MAX_CHARACTERS = 2_048;

/** What is wrong with a callback URL, fit for the caller; `undefined` when nothing is. */
export function faultOfCallbackUrl(text: string): string | undefined {
  if (text.length > MAX_CHARACTERS) return `it is longer than ${MAX_CHARACTERS} characters`;
  if (!URL.canParse(text)) return "it is no absolute URL";
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return "it is not http or https";
  if (url.username !== "" || url.password !== "") {
    return "it must not carry a user name or password";
  }
  return undefined;
}
