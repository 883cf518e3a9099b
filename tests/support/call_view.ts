/**
 * What a gateway tells of a call, once it has ended.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { CallView } from "../../src/http/endpoints/calls.ts";
import { until } from "./until.ts";

export type { CallView };

/** The call that an answer is of. */
export async function callViewOf(
  url: string,
  key: string,
  response: Response,
): Promise<CallView> {
  const id = response.headers.get("x-request-id");
  return await until("the call to end", async () => {
    const told = await fetch(`${url}/v1/calls/${id}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const call: CallView = await told.json();
    assert.equal(told.status, 200, JSON.stringify(call));
    return call.state === "open" ? undefined : call;
  });
}
