/**
 * What a caller sees of budgets and brakes, whatever it calls.
 *
 * @module
 */

import assert from "node:assert/strict";
import { resumeKey, setKey } from "../../../src/admin/accounts/keys.ts";
import { resumeProject, setProject } from "../../../src/admin/accounts/projects.ts";
import { runOperation } from "../../../src/admin/base/run_operation.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { until } from "../../support/until.ts";

const CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
models:
  - id: echo-1
    kind: chat
    routes: [{ id: b/e, provider: builtin, sale: { input: "1", output: "1", request: "1" } }]
  - id: hash-embed-1
    kind: embedding
    routes: [{ id: b/h, provider: builtin, sale: { input: "0", request: "1" } }]
  - id: video-2
    kind: video
    routes: [{ id: b/v, provider: builtin, sale: { second: "1" } }]
projects:
  - { id: paying }
  - { id: free, unlimited: true }
`;

const messages = [{ role: "user", content: "Hi" }];
const CALLS: readonly (readonly [path: string, body: object])[] = [
  ["/chat/completions", { model: "echo-1", messages, max_tokens: 10 }],
  ["/chat/completions", { model: "echo-1", messages, max_tokens: 10, stream: true }],
  ["/responses", { model: "echo-1", input: "Hi", max_output_tokens: 20 }],
  ["/responses", { model: "echo-1", input: "Hi", max_output_tokens: 20, background: true }],
  ["/embeddings", { model: "hash-embed-1", input: "Hi" }],
  ["/videos", { model: "video-2", prompt: "x", size: "640x360", seconds: "1" }],
];

function post(gateway: TestGateway, key: string, [path, body]: (typeof CALLS)[number]) {
  return fetch(`${gateway.url}/v1${path}`, {
    method: "POST",
    headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Every kind of model call is refused in these words, and will not be tried again by SDKs. */
async function assertAllRefused(gateway: TestGateway, key: string, message: RegExp) {
  for (const call of CALLS) {
    const response = await post(gateway, key, call);
    const { error } = await response.json();
    assert.deepEqual([response.status, error.code, error.type], [
      402,
      "INSUFFICIENT_BALANCE",
      "insufficient_quota",
    ], call[0]);
    assert.match(error.message, message, call[0]);
    assert.equal(response.headers.get("x-should-retry"), "false");
    assert.equal(response.headers.get("retry-after"), null);
  }
}

Deno.test("a reached budget refuses every kind of call, of paying and of unlimited projects", async () => {
  for (const project of ["paying", "free"]) {
    await using gateway = await startTestGateway({ catalogue: CATALOGUE });
    if (project === "paying") await gateway.credit(project, "100");
    const set = { deps: gateway.admin, input: { project, budgets: { daily: "1.5" } } };
    await runOperation(setProject, set);
    const key = await gateway.key(project);
    for (let call = 0; call < 2; call++) {
      const response = await post(gateway, key, CALLS[0]!);
      assert.equal(response.status, 200, await response.text());
    }
    await assertAllRefused(gateway, key, /^The daily budget of 1\.50000000 of this project \(/);
    const view = await (await fetch(`${gateway.url}/v1/key`, {
      headers: { authorization: `Bearer ${key}` },
    })).json();
    assert.equal(view.project.budgets.daily, "1.50000000");
    assert.match(view.project.spent.day, /^2\.0000/);
    assert.deepEqual([view.project.reached_budgets, view.reached_budgets], [["daily"], []]);
    // Nothing that was refused is left behind.
    const { held } = gateway.admin.ledger.balanceOf(project);
    assert.equal(held, 0n);
    await runOperation(resumeProject, { deps: gateway.admin, input: { project } });
    assert.equal((await post(gateway, key, CALLS[4]!)).status, 200);
  }
});

Deno.test("a spend brake pauses a key at once, is logged once, and one operation resumes it", async () => {
  await using gateway = await startTestGateway({ catalogue: CATALOGUE });
  const { admin } = gateway;
  const key = await gateway.key("free");
  const { id: keyId } = admin.directory.keys().find(({ projectId }) => projectId === "free")!;
  const budgets = { spend_brake: 2, spend_brake_floor: "2.5" };
  await runOperation(setKey, { deps: admin, input: { key_id: keyId, budgets } });
  // What is usual is asked for with the first call.
  for (let call = 0; admin.spending.view({ scope: "key", id: keyId }).pause === undefined; call++) {
    assert.ok(call < 20, "the brake was never pulled");
    assert.equal((await post(gateway, key, CALLS[4]!)).status, 200);
  }
  await assertAllRefused(gateway, key, new RegExp(`paused this key \\(${keyId}\\)`));
  const other = await gateway.key("free");
  assert.equal((await post(gateway, other, CALLS[4]!)).status, 200);
  const view = await (await fetch(`${gateway.url}/v1/key`, {
    headers: { authorization: `Bearer ${key}` },
  })).json();
  assert.equal(view.paused.most, "2.50000000");
  assert.equal(view.project.paused, null);
  const paused = () => gateway.log().split("\n").filter((line) => line.includes('"spend_paused"'));
  await until("the log to tell of it", () => paused().length > 0);
  const lines = paused();
  assert.equal(lines.length, 1);
  const line = JSON.parse(lines[0]!);
  assert.deepEqual([line.level, line.key, line.resume], [
    "warn",
    keyId,
    `tollgate keys resume ${keyId}`,
  ]);
  await runOperation(resumeKey, { deps: admin, input: { key_id: keyId } });
  assert.equal((await post(gateway, key, CALLS[4]!)).status, 200);
});

Deno.test("films under way count against a budget until they end", async () => {
  await using gateway = await startTestGateway({ catalogue: CATALOGUE });
  const set = { deps: gateway.admin, input: { project: "free", budgets: { daily: "3" } } };
  await runOperation(setProject, set);
  const key = await gateway.key("free");
  const films = CALLS[5]!;
  const answers = await Promise.all(Array.from({ length: 8 }, () => post(gateway, key, films)));
  const statuses = answers.map(({ status }) => status).sort();
  for (const answer of answers) await answer.text();
  assert.deepEqual(statuses, [200, 200, 200, 402, 402, 402, 402, 402]);
});
