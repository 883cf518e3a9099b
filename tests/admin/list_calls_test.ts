/**
 * The list of calls, as an operator asks for it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { listCalls } from "../../src/admin/list_calls.ts";
import { showCall } from "../../src/admin/calls.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import type { CallPageQuery } from "../../src/storage/ports/call_pages.ts";
import { CATALOGUE, openTestAdmin } from "./test_admin.ts";
import { makeCall } from "./made_call.ts";

Deno.test("calls are listed newest first, as calls.show shows them", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps, clock } = admin;
  const first = await makeCall(admin, { tags: { team: "search" } });
  clock.advance(90_000);
  const second = await makeCall(admin, { model: "large", route: "one/large" }, {
    result: "upstream_failed",
    errorCode: "upstream_error",
    billable: false,
    costE8: 0n,
    saleE8: 0n,
  });
  const list = async (input: object) =>
    (await runOperation(listCalls, { deps, input })).data.map(({ request_id }) => request_id);
  assert.deepEqual(await list({}), [second, first]);
  assert.deepEqual(await list({ status: "served" }), [first]);
  assert.deepEqual(await list({ status: "failed,open" }), [second]);
  assert.deepEqual(await list({ error: "upstream_error", project: "free" }), [second]);
  assert.deepEqual(await list({ tag: "team=search" }), [first]);
  assert.deepEqual(await list({ from: "1m" }), [second]);
  assert.deepEqual(await list({ id: first }), [first]);
  assert.deepEqual(await list({ id: first, status: "failed" }), []);
  assert.deepEqual(await list({ id: first.slice(-9) }), [first]);
  assert.deepEqual(await list({ id: second, after: second }), []);
  assert.deepEqual(await list({ dearer_than: "0.00003" }), [first]);
  assert.deepEqual(await list({ dearer_than: "0.00004" }), []);
  const [row] = (await runOperation(listCalls, { deps, input: { limit: "1" } })).data;
  const { archive, price, ...shown } = await runOperation(showCall, {
    deps,
    input: { request_id: second },
  });
  assert.deepEqual(row, shown);
  assert.equal(archive, null);
  assert.ok(price !== null);
  await assert.rejects(list({ project: "fre" }), { error: "not_found" });
  await assert.rejects(list({ dearer_than: "much" }), { error: "invalid_value" });
  await assert.rejects(list({ status: "lost" }), { error: "invalid_value" });
});

Deno.test("a list that stops early says where, and goes on behind that", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const first = await makeCall(admin);
  await makeCall(admin, { model: "large", route: "one/large" });
  const asked: CallPageQuery[] = [];
  const storage = {
    ...admin.deps.storage,
    calls: {
      ...admin.deps.storage.calls,
      page: async (query: CallPageQuery) => {
        asked.push(query);
        const page = await admin.deps.storage.calls.page(query);
        if (query.beforeCallId !== undefined) return page;
        const { callId, requestId, openedAt } = page.calls[0]!;
        return { calls: [], cut: { callId, requestId, openedAt, rows: 1 } };
      },
    },
  };
  const deps = { ...admin.deps, storage };
  const page = await runOperation(listCalls, { deps, input: {} });
  assert.deepEqual([page.data, page.has_more], [[], true]);
  assert.equal(page.cut?.looked_at, 1);
  assert.match(page.cut!.advice, /Stopped after 1 calls, back to 2026-/);
  const rest = await runOperation(listCalls, { deps, input: { after: page.last_id } });
  assert.deepEqual(rest.data.map(({ request_id }) => request_id), [first]);
  assert.equal(rest.cut, undefined);
  // Bounded, whoever asks.
  assert.deepEqual(asked.map(({ mostRows, withinMs }) => [mostRows, withinMs]), [
    [200_000, 2_000],
    [200_000, 2_000],
  ]);
});
