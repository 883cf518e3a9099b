/**
 * Which `callback_url` a caller may give: it leads somewhere, and its project has a secret to sign
 * the calls with.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";
import { kindOfHost } from "../../domain/public_address.ts";
import type { WebhookStore } from "../../storage/ports/storage.ts";
import type { CreateVideoRequest } from "../task/create_request.ts";

const MAX_CHARACTERS = 2_048;
/** What `URL` leaves out or escapes without a word: no two readers agree on it. */
// deno-lint-ignore no-control-regex -- control characters are what it is to find
const UNESCAPED = /[\u0000-\u0020\u007f\\]/;

/** What the answer depends on. */
export interface CallbackDeps {
  readonly webhooks: Pick<WebhookStore, "secret">;
  /** Whether `callback_url` may lead to loopback and private addresses. */
  readonly allowsPrivateCallbacks: boolean;
}

/**
 * Requires that a request's `callback_url`, if it has one, can be called and signed for.
 *
 * @throws {GatewayError} `invalid_value`
 */
export async function requireCallback(
  { webhooks, allowsPrivateCallbacks: allowsPrivate }: CallbackDeps,
  { callbackUrl, caller }: Pick<CreateVideoRequest, "callbackUrl" | "caller">,
): Promise<void> {
  if (callbackUrl === undefined) return;
  const fault = faultOfCallbackUrl(callbackUrl, { allowsPrivate });
  if (fault !== undefined) {
    throw new GatewayError("invalid_value", `Invalid value for 'callback_url': ${fault}`, {
      param: "callback_url",
    });
  }
  if (await webhooks.secret(caller.project.id) !== undefined) return;
  throw new GatewayError(
    "invalid_value",
    `Cannot sign calls to 'callback_url' as this project has no webhook secret: ask the operator for \`tollgate projects webhook-secret ${caller.project.id}\``,
    { param: "callback_url" },
  );
}

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
