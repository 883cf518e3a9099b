/**
 * Usage reports and single calls.
 *
 * @module
 */

import assert from "node:assert/strict";
import { showCall } from "../../src/admin/calls.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { reportUsage } from "../../src/admin/usage.ts";
import type { OpenCall } from "../../src/domain/call.ts";
import { makeCall } from "./made_call.ts";
import { CATALOGUE, openTestAdmin, type TestAdmin } from "./test_admin.ts";

const DAY_MS = 86_400_000;

function call(admin: TestAdmin, callId: number, parts: Partial<OpenCall> = {}) {
  return makeCall(admin, { callId, requestId: `req_${"a".repeat(12)}${callId}`, ...parts });
}

Deno.test("usage is added up by what is asked for, within the time that is asked for", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps, clock } = admin;
  await call(admin, 1);
  await call(admin, 2, { model: "large", route: "one/large" });
  clock.advance(DAY_MS);
  await call(admin, 3);
  const report = async (input: object) => {
    const { data, cut } = await runOperation(reportUsage, { deps, input });
    assert.equal(cut, null);
    return data;
  };
  assert.deepEqual(await report({ by: "project", model: "small" }), [{
    project: "free",
    calls: 2,
    prompt_tokens: 20,
    completion_tokens: 10,
    currency: "USD",
    cost: "0.00004000",
    sale: "0.00008000",
    charged: "0.00000000",
    loss: "0.00000000",
  }]);
  const days = await report({ by: "day,route" });
  assert.deepEqual(
    days.map(({ day, route, calls }) => [day, route, calls]).sort(),
    [["2026-01-01", "one/large", 1], ["2026-01-01", "one/small", 1], [
      "2026-01-02",
      "one/small",
      1,
    ]],
  );
  assert.equal((await report({ by: "project", from: "2026-01-02" }))[0]?.calls, 1);
  assert.equal((await report({ by: "project", to: "2026-01-01" }))[0]?.calls, 2);
  assert.equal((await report({ by: ["project"], from: "12h" }))[0]?.calls, 1);
  assert.deepEqual(await report({ project: "paying" }), []);
  await assert.rejects(report({ from: "2026-01-03", to: "2026-01-01" }), { param: "to" });
  await assert.rejects(report({ by: "user" }), { param: "by[0]" });
});

Deno.test("a call is shown by its request id alone", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  await call(admin, 1);
  const show = (request_id: string) => runOperation(showCall, { deps, input: { request_id } });
  const shown = await show("req_aaaaaaaaaaaa1");
  assert.equal(shown.state, "settled");
  assert.equal(shown.sale, "0.00004000");
  assert.equal(shown.usage?.prompt_tokens, 10);
  assert.equal(shown.usage?.source, "reported");
  for (const id of ["req_aaaaaaaaaaaa2", "req_baaaaaaaaaaa1", "1", "x"]) {
    await assert.rejects(show(id), /There is no call/);
  }
});

Deno.test("an open call is shown without an outcome, as soon as it has begun", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps, clock } = admin;
  deps.ledger.hold({
    callId: 1,
    requestId: "req_aaaaaaaaaaaa1",
    projectId: "free",
    keyId: "key_1",
    capability: "chat",
    model: "small",
    provider: "one",
    route: "one/small",
    priceVersion: 1,
    heldE8: 0n,
    unlimited: true,
    stream: false,
    openedAt: clock.now(),
  });
  const input = { request_id: "req_aaaaaaaaaaaa1" };
  const shown = await runOperation(showCall, { deps, input });
  assert.equal(shown.state, "open");
  assert.equal(shown.usage, null);
  assert.equal(shown.charged, null);
});

Deno.test("a report by tag says how many calls have no such tag, and which tags there are", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps, clock } = admin;
  const report = async (input: object) => {
    const { data, without_tag } = await runOperation(reportUsage, { deps, input });
    return { values: data.map(({ tag, calls }) => [tag, calls]), without_tag };
  };
  assert.deepEqual(await report({ by: "tag:team" }), {
    values: [],
    without_tag: { calls: 0, tags: [] },
  });
  await call(admin, 1);
  await call(admin, 2, { tags: { job: "nightly", env: "prod" } });
  await call(admin, 3, { tags: { env: "test" }, projectId: "paying", unlimited: true });
  clock.advance(DAY_MS);
  await call(admin, 4, { tags: { later: "x" } });
  const day = { from: "2026-01-01", to: "2026-01-01" };
  assert.deepEqual(await report({ by: "tag:team", ...day }), {
    values: [],
    without_tag: { calls: 3, tags: ["env", "job"] },
  });
  assert.deepEqual(await report({ by: "tag:team", project: "paying", ...day }), {
    values: [],
    without_tag: { calls: 1, tags: ["env"] },
  });
  // Where calls have it, the others are counted alone.
  assert.deepEqual(await report({ by: "tag:env", ...day }), {
    values: [["prod", 1], ["test", 1]],
    without_tag: { calls: 1, tags: [] },
  });
  assert.deepEqual(await report({ by: "tag:job", tag: "env=prod", ...day }), {
    values: [["nightly", 1]],
    without_tag: { calls: 0, tags: [] },
  });
  assert.deepEqual(await report({ by: "project", tag: "env=none", ...day }), {
    values: [],
    without_tag: { calls: 3, tags: ["env", "job"] },
  });
  assert.equal((await report({ by: "project", ...day })).without_tag, null);
});

Deno.test("of the tags that there are a report names the most used, and no more than 20", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  for (let id = 1; id <= 30; id++) {
    await call(admin, id, { tags: { [`t${id}`]: "x", ...(id % 2 === 0 && { often: "x" }) } });
  }
  const { without_tag } = await runOperation(reportUsage, { deps, input: { by: "tag:team" } });
  assert.equal(without_tag!.calls, 30);
  assert.equal(without_tag!.tags.length, 20);
  assert.equal(without_tag!.tags[0], "often");
});
