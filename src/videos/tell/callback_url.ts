/**
 * Which `callback_url` a caller may give.
 *
 * @module
 */

import { kindOfHost } from "../../providers/transport/public_address.ts";

const MAX_CHARACTERS = 2_048;
/** What `URL` leaves out or escapes without a word: no two readers agree on it. */
// deno-lint-ignore no-control-regex -- control characters are what it is to find
const UNESCAPED = /[\u0000-\u0020\u007f\\]/;

/**
 * What is wrong with a callback URL, fit for the caller; `undefined` when nothing
 * is. A name is not looked up here: its address is checked when it is called.
 */
export function faultOfCallbackUrl(
  text: string,
  { allowsPrivate }: { readonly allowsPrivate: boolean },
): string | undefined {
  if (text.length > MAX_CHARACTERS) return `it is longer than ${MAX_CHARACTERS} characters`;
  if (UNESCAPED.test(text)) return "it has blanks, backslashes or control characters";
  if (!/^https?:\/\//i.test(text)) return "it does not begin with https:// or http://";
  if (!URL.canParse(text)) return "it is no absolute URL";
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    return "it must not carry a user name or password";
  }
  if (!allowsPrivate && kindOfHost(url.hostname) === "private") {
    return "it does not lead to the open internet: to allow it, the operator sets " +
      "--webhook-private-addresses true";
  }
  return undefined;
}
