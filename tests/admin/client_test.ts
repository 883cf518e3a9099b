/**
 * The client of operations, which takes what their schemas take.
 *
 * @module
 */

import assert from "node:assert/strict";
import { setKey } from "../../src/admin/accounts/keys.ts";
import { type AdminRequest, createAdminClient } from "../../src/admin/base/client.ts";

Deno.test("a client puts what an operation takes into its path and its body, and takes nothing else", async () => {
  const sent: AdminRequest[] = [];
  const client = createAdminClient((request) => {
    sent.push(request);
    return Promise.reject(new Error("sent"));
  });
  await assert.rejects(client.call(setKey, { key_id: "key_1", name: "web" }), /sent/);
  // @ts-expect-error -- a field that the schema does not have
  await assert.rejects(client.call(setKey, { key_id: "key_1", nmae: "web" }), /sent/);
  // @ts-expect-error -- nor one that is missing
  await assert.rejects(client.call(setKey, { name: "web" }), /sent/);
  assert.deepEqual(sent[0], {
    method: "POST",
    path: "/admin/v1/keys/key_1",
    body: '{"name":"web"}',
  });
});
