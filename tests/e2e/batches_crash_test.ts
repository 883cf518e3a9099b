/**
 * What is true of a batch after the program was killed in the middle of it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { chatLine, type ResultLine } from "../support/batch_scene.ts";
import { answerBody } from "../support/chat_bodies.ts";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { assertBooksAddUp } from "../support/paying_gateway.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { until } from "../support/until.ts";

const LINES = 1_000;
/** After so many answers of the upstream the program is killed. */
const KILLED_AFTER = [150, 420, 700];
/** In 1e-8: 10 tokens in at 1, 5 out at 2 for a million each. */
const LINE_E8 = 2_000n;

Deno.test("a batch of 1,000 lines that is killed three times charges each line once and loses none", async () => {
  let answered = 0;
  let killAt = Infinity;
  let reached = Promise.withResolvers<void>();
  await using upstream = await startFakeUpstream(() => {
    if (++answered >= killAt) reached.resolve();
    return jsonReply(answerBody("Hi"));
  });
  const catalogue = `
providers: [{ id: a, kind: openai_compatible, base_url: "${upstream.url}", auth: none }]
models:
  - { id: m, kind: chat, routes: [{ id: a/m, provider: a, sale: { input: "1", output: "2" } }] }
projects: [{ id: paying, unlimited: false }]
`;
  await using first = await serveGateway({ catalogue });
  await first.credit("paying", "1");
  const key = await first.key("paying");
  const headers = { authorization: `Bearer ${key}` };
  const names = Array.from({ length: LINES }, (_, index) => `line-${index}`);
  const body = new FormData();
  body.set("purpose", "batch");
  body.set("file", new File([names.map((name) => `${chatLine(name)}\n`).join("")], "lines.jsonl"));
  const file = await (await fetch(`${first.url}/v1/files`, { method: "POST", headers, body }))
    .json();
  killAt = KILLED_AFTER[0]!;
  const made = await fetch(`${first.url}/v1/batches`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({
      input_file_id: file.id,
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
    }),
  });
  const { id } = await made.json();
  const { dataDir } = first.server;
  await reached.promise;
  assert.equal((await first.server.kill()).signal, "SIGKILL");
  for (const next of KILLED_AFTER.slice(1)) {
    killAt = next;
    reached = Promise.withResolvers();
    const again = await serveGateway({ dataDir });
    await reached.promise;
    await again.server.kill();
  }
  killAt = Infinity;
  await using last = await serveGateway({ dataDir });
  const batch = await until("the batch to end", async () => {
    const one = await last.get(`/v1/batches/${id}`, key);
    return one.status === "completed" ? one : undefined;
  }, { everyMs: 200 });
  assert.deepEqual(batch.request_counts, { total: LINES, completed: LINES, failed: 0 });
  const content = await fetch(`${last.url}/v1/files/${batch.output_file_id}/content`, { headers });
  const lines: ResultLine[] = (await content.text()).trimEnd().split("\n").map((line) =>
    JSON.parse(line)
  );
  assert.deepEqual(lines.map(({ custom_id }) => custom_id).sort(), names.toSorted());
  const requestIds = new Set(lines.map(({ response }) => response!.request_id));
  assert.equal(requestIds.size, LINES);
  const projects: { id: string; balance: string; held: string }[] = await last.cli(
    "projects",
    "list",
  );
  const project = projects.find(({ id }) => id === "paying")!;
  assert.equal(project.balance, amount(100_000_000n - BigInt(LINES) * LINE_E8));
  assert.equal(project.held, "0.00000000");
  await assertBooksAddUp(last);
  // Those under way when it was killed were asked again, and nothing else.
  assert.ok(answered >= LINES && answered <= LINES + KILLED_AFTER.length * 16, `${answered}`);
  await last.server.kill();
});

function amount(e8: bigint): string {
  const digits = String(e8).padStart(9, "0");
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`;
}
