/**
 * Whether calls to a `callback_url` can be made: it leads somewhere, and its project
 * has a secret to sign them with.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";
import type { WebhookStore } from "../../storage/ports/storage.ts";
import type { CreateVideoRequest } from "../task/create_request.ts";
import { faultOfCallbackUrl } from "./callback_url.ts";

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
