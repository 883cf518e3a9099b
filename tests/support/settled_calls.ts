/**
 * A gateway in this process with a project that pays, and what became of its calls.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { ClosedCall } from "../../src/domain/call.ts";
import { twoRoutes } from "./chat_bodies.ts";
import type { TestGateway } from "./gateway.ts";
import { startTestGateway } from "./gateway.ts";

/** A call of the cheap route. */
export const ask = {
  model: "m",
  messages: [{ role: "user", content: "Hello there" }],
  route: "a/m",
};

/** The call that was made last, which must have ended. */
export async function lastCall(gateway: TestGateway): Promise<ClosedCall> {
  const { calls } = gateway.admin.storage;
  const call = await calls.find(await calls.lastCallId());
  assert.notEqual(call?.state, "open");
  return call as ClosedCall;
}

/** Two routes to one upstream, and `payer`: the key of a project with that balance. */
export async function payingGateway(
  url: string,
  credit = "10",
): Promise<TestGateway & { payer: string }> {
  const gateway = await startTestGateway({ catalogue: twoRoutes(url, url) });
  await gateway.credit("paying", credit);
  return Object.assign(gateway, { payer: await gateway.key("paying") });
}
