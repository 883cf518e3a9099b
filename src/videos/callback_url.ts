/**
 * Which `callback_url` a caller may give.
 *
 * @module
 */

import { kindOfHost } from "../providers/transport/public_address.ts";

const MAX_CHARACTERS = 2_048;

/**
 * What is wrong with a callback URL, fit for the caller; `undefined` when nothing
 * is. A name is not looked up here: its address is checked when it is called.
 */
export function faultOfCallbackUrl(
  text: string,
  { allowsPrivate }: { readonly allowsPrivate: boolean },
): string | undefined {
  if (text.length > MAX_CHARACTERS) return `it is longer than ${MAX_CHARACTERS} characters`;
  if (!URL.canParse(text)) return "it is no absolute URL";
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") return "it is not http or https";
  if (url.username !== "" || url.password !== "") {
    return "it must not carry a user name or password";
  }
  if (!allowsPrivate && kindOfHost(url.hostname) === "private") {
    return "it does not lead to the open internet, which is all that the operator allows";
  }
  return undefined;
}
