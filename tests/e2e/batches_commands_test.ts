/**
 * `tollgate batches …` and `calls show`, as an operator has them while a server runs and without.
 *
 * @module
 */

import assert from "node:assert/strict";
import { chatLine } from "../support/batch_scene.ts";
import { answerBody } from "../support/chat_bodies.ts";
import { runTollgate } from "../support/executable.ts";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { until } from "../support/until.ts";

Deno.test("an operator lists, shows and cancels batches, and finds the batch of a call", async () => {
  const held = Promise.withResolvers<void>();
  await using upstream = await startFakeUpstream((_, index) => ({
    ...jsonReply(answerBody("Hi")),
    before: index < 8 ? [] : [held.promise],
  }));
  await using gateway = await serveGateway({
    catalogue: `
providers: [{ id: a, kind: openai_compatible, base_url: "${upstream.url}", auth: none }]
models:
  - { id: m, kind: chat, routes: [{ id: a/m, provider: a, sale: { input: "1", output: "2" } }] }
projects: [{ id: paying, unlimited: false }, { id: other }]
`,
  });
  await gateway.credit("paying", "1");
  const key = await gateway.key("paying");
  const headers = { authorization: `Bearer ${key}` };
  const form = new FormData();
  form.set("purpose", "batch");
  const lines = Array.from({ length: 40 }, (_, index) => `${chatLine(`l${index}`)}\n`);
  form.set("file", new File([lines.join("")], "lines.jsonl"));
  const file = await fetch(`${gateway.url}/v1/files`, { method: "POST", headers, body: form });
  const made = await fetch(`${gateway.url}/v1/batches`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({
      input_file_id: (await file.json()).id,
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
    }),
  });
  const { id } = await made.json();
  await upstream.received(8);
  const listed = await gateway.cli("batches", "list", "--project", "paying");
  assert.deepEqual(listed.map((row: { id: string }) => row.id), [id]);
  assert.deepEqual(await gateway.cli("batches", "list", "--project", "other"), []);
  const { dataDir } = gateway.server;
  const table = await runTollgate(["batches", "list", "--data-dir", dataDir]);
  assert.match(table.stdout, new RegExp(`${id} +paying +/v1/chat/completions +in_progress`));
  const cancelled = await gateway.cli("batches", "cancel", id);
  assert.equal(cancelled.status, "cancelling");
  held.resolve();
  const ended = await until("the batch to end", async () => {
    const row = await gateway.cli("batches", "show", id);
    return row.status === "cancelled" ? row : undefined;
  });
  assert.ok(ended.completed >= 8 && ended.completed < 40, `${ended.completed}`);
  const again = await runTollgate(["batches", "cancel", id, "--data-dir", dataDir]);
  assert.notEqual(again.code, 0);
  assert.match(again.stderr, /has ended as cancelled: there is nothing to cancel/);
  const none = await runTollgate(["batches", "show", "batch_none", "--data-dir", dataDir]);
  assert.match(none.stderr, /There is no batch 'batch_none': see `tollgate batches list`/);
  const audit = await gateway.cli("audit", "list");
  assert.ok(JSON.stringify(audit).includes(`batch:${id}`));

  const output = await fetch(`${gateway.url}/v1/files/${ended.output_file}/content`, { headers });
  const [line] = (await output.text()).split("\n");
  const { response } = JSON.parse(line!);
  assert.equal((await gateway.cli("calls", "show", response.request_id)).batch, id);
  assert.equal((await gateway.get(`/v1/calls/${response.request_id}`, key)).batch, id);
  await gateway.server.stop();
  const shown = await runTollgate(["calls", "show", response.request_id, "--data-dir", dataDir]);
  assert.match(shown.stdout, new RegExp(`batch +${id}`));
  const offline = await runTollgate(["batches", "show", id, "--data-dir", dataDir]);
  assert.match(offline.stdout, /status +cancelled/);
});
