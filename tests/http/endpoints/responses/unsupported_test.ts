/**
 * What callers who expect more, or something else, of the Responses API are told.
 *
 * @module
 */

import assert from "node:assert/strict";
import { startTestGateway } from "../../../support/gateway.ts";
import { MODEL_MENU } from "../../../support/model_menu.ts";

async function post(url: string, { key, body }: { key: string; body: unknown }) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: answer.status, error: (await answer.json()).error };
}

Deno.test("a request with 'messages' for its input is told where they belong", async () => {
  await using gateway = await startTestGateway({ catalogue: MODEL_MENU });
  const key = await gateway.key("default");
  const messages = [{ role: "user", content: "Hi" }];
  const url = `${gateway.url}/v1/responses`;
  const { status, error } = await post(url, { key, body: { model: "x", messages } });
  assert.deepEqual([status, error.code, error.param], [400, "missing_required_parameter", "input"]);
  assert.match(error.message, /'messages' belongs to POST \/v1\/chat\/completions/);
  const without = await post(url, { key, body: { model: "x" } });
  assert.equal(without.error.message, "Missing required parameter 'input'");
});

Deno.test("a path without /v1 is told of it, and no other unknown path", async () => {
  await using gateway = await startTestGateway({ catalogue: MODEL_MENU });
  const key = await gateway.key("default");
  for (const path of ["/responses", "/chat/completions", "/embeddings", "/responses/x/cancel"]) {
    const { status, error } = await post(gateway.url + path, { key, body: {} });
    assert.deepEqual([status, error.code], [404, "not_found"]);
    assert.match(error.message, /: the base URL of a client ends in \/v1$/);
  }
  for (const path of ["/v1/conversations", "/conversations", "/v1/v1/responses"]) {
    const { status, error } = await post(gateway.url + path, { key, body: {} });
    assert.equal(status, 404);
    assert.match(error.message, /: GET \/openapi\.json lists every path$/);
  }
});
