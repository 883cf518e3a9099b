/**
 * Batches whose window, upstream or disk fails them.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { chatLine, startBatchScene } from "../../../support/batch_scene.ts";
import { answerBody } from "../../../support/chat_bodies.ts";
import { embedding } from "../../../support/embedding_upstream.ts";
import { jsonReply } from "../../../support/fake_upstream.ts";
import { judgement } from "../../../support/moderation_answers.ts";
import { needsSmallDisk, SmallDisk } from "../../../support/small_disk.ts";
import { until } from "../../../support/until.ts";

/** In 1e-8: 10 tokens in at 1, 5 out at 2 for a million each. */
const LINE_E8 = 2_000n;

type Scene = Awaited<ReturnType<typeof startBatchScene>>;

const balanceOf = ({ gateway }: Scene) => gateway.admin.ledger.balanceOf("paying");

Deno.test("lines that were not asked in time expire free of charge", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "tollgate-test-" });
  try {
    let id: string;
    let key: string;
    {
      await using at = await startBatchScene({
        dataDir,
        drainTimeoutMs: 0,
        batches: { linesPerBatch: 1 },
        script: (_, index) => ({
          ...jsonReply(answerBody("Hi")),
          before: index < 2 ? [] : ["stall!"],
        }),
      });
      key = at.key;
      id = (await at.create(["a", "b", "c", "d", "e"].map((name) => chatLine(name)))).id;
      await at.upstream.received(2);
    }
    // As if it had been stopped for a day.
    const database = new DatabaseSync(`${dataDir}/tollgate.db`);
    database.prepare("UPDATE batches SET expires_at = created_at").run();
    database.close();
    await using at = await startBatchScene({ dataDir, credit: "0" });
    const batch = await until("the batch to end", async () => {
      const one = await (await at.ask(`/batches/${id}`, {}, key)).json();
      return one.status === "in_progress" || one.status === "finalizing" ? undefined : one;
    });
    assert.equal(batch.status, "expired");
    assert.ok(batch.expired_at !== null);
    assert.deepEqual(batch.request_counts, { total: 5, completed: 2, failed: 3 });
    const answered = await at.lines(batch.output_file_id);
    assert.deepEqual(answered.map(({ custom_id }) => custom_id).sort(), ["a", "b"]);
    const expired = await at.lines(batch.error_file_id);
    assert.deepEqual(
      expired.map(({ custom_id, response, error }) => [custom_id, response, error!.code]),
      ["c", "d", "e"].map((name) => [name, null, "batch_expired"]),
    );
    assert.equal(at.upstream.requests.length, 0);
    const { avail, held } = balanceOf(at);
    assert.deepEqual([avail, held], [10n ** 9n - 2n * LINE_E8, 0n]);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});

Deno.test("lines whose upstream stalls hold up no others", async () => {
  const held = Promise.withResolvers<void>();
  await using at = await startBatchScene({
    batches: { linesPerBatch: 4 },
    script(request) {
      const { messages } = request.json() as { messages: { content: string }[] };
      const isSlow = messages[0]!.content === "slow";
      return { ...jsonReply(answerBody("Hi")), before: isSlow ? [held.promise] : [] };
    },
  });
  const names = Array.from({ length: 20 }, (_, index) => `l${index}`);
  const { id } = await at.create(
    names.map((name, index) => chatLine(name, index < 3 ? "slow" : "quick")),
  );
  await until(
    "all others to be answered",
    async () => (await at.show(id)).request_counts.completed === 17,
  );
  assert.equal((await at.show(id)).status, "in_progress");
  held.resolve();
  const batch = await at.ended(id);
  assert.deepEqual(batch.request_counts, { total: 20, completed: 20, failed: 0 });
  assert.equal(at.upstream.requests.length, 20);
});

Deno.test("a batch over a model that stalls holds up no other model's batch of its project", async () => {
  const held = Promise.withResolvers<void>();
  await using at = await startBatchScene({
    models: `
  - id: slow
    kind: chat
    aliases: [lame]
    routes: [{ id: a/slow, provider: a, sale: { input: "1", output: "2" } }]`,
    script(request) {
      const { model } = request.json() as { model: string };
      return { ...jsonReply(answerBody("Hi")), before: model === "slow" ? [held.promise] : [] };
    },
  });
  const names = Array.from({ length: 20 }, (_, index) => `l${index}`);
  // By whatever name its callers call it, and in however many batches.
  const slow = await at.create(
    names.map((name, index) => {
      const model = ["slow", "lame", "slow:floor"][index % 3];
      return chatLine(name, "Hello", { model });
    }),
  );
  const another = await at.create(names.map((name) => chatLine(name, "Hello", { model: "slow" })));
  await at.upstream.received(5);
  const { id } = await at.create(names.map((name) => chatLine(name)));
  const quick = await at.ended(id);
  assert.deepEqual(quick.request_counts, { total: 20, completed: 20, failed: 0 });
  assert.equal((await at.show(slow.id)).request_counts.completed, 0);
  const asked = at.upstream.requests.filter((one) =>
    (one.json() as { model: string }).model === "slow"
  );
  assert.equal(asked.length, 6, "three quarters of the project's half of 16 places");
  held.resolve();
  for (const one of [slow, another]) {
    assert.equal((await at.ended(one.id)).request_counts.completed, 20);
  }
});

Deno.test("calls under way when a batch is cancelled end, are charged, and their answers kept", async () => {
  const held = Promise.withResolvers<void>();
  await using at = await startBatchScene({
    script: { ...jsonReply(answerBody("Hi")), before: [held.promise] },
  });
  const before = balanceOf(at).avail;
  const { id } = await at.create(Array.from({ length: 30 }, (_, index) => chatLine(`l${index}`)));
  // One model has three quarters of its project's places.
  await at.upstream.received(5);
  assert.ok(balanceOf(at).held > 0n);
  const cancelled = await (await at.ask(`/batches/${id}/cancel`, { method: "POST" })).json();
  assert.equal(cancelled.status, "cancelling");
  assert.equal(cancelled.output_file_id, null);
  held.resolve();
  const batch = await at.ended(id);
  assert.equal(batch.status, "cancelled");
  assert.deepEqual(batch.request_counts, { total: 30, completed: 6, failed: 0 });
  assert.equal((await at.lines(batch.output_file_id)).length, 6);
  assert.equal(at.upstream.requests.length, 6);
  const { avail, held: stillHeld } = balanceOf(at);
  assert.deepEqual([before - avail, stillHeld], [6n * LINE_E8, 0n]);
});

Deno.test(
  "a batch waits while the disk is full, and asks each line once when it no longer is",
  needsSmallDisk,
  async () => {
    await using disk = await SmallDisk.mount(64 * 1024 ** 2);
    const held = Promise.withResolvers<void>();
    await using at = await startBatchScene({
      dataDir: `${disk.folder}/data`,
      batches: { linesPerBatch: 1 },
      script: (_, index) => ({
        ...jsonReply(answerBody("Hi")),
        before: index < 2 ? [] : [held.promise],
      }),
    });
    const names = Array.from({ length: 6 }, (_, index) => `l${index}`);
    const { id } = await at.create(names.map((name) => chatLine(name)));
    await at.upstream.received(2);
    await disk.fill(1024 ** 2);
    held.resolve();
    await until("the batch to wait", async () => (await at.show(id)).waiting === "disk_full");
    const asked = at.upstream.requests.length;
    assert.ok(asked < names.length, `${asked} lines were asked`);
    await disk.clear();
    const batch = await at.ended(id);
    assert.deepEqual(batch.request_counts, { total: 6, completed: 6, failed: 0 });
    const lines = await at.lines(batch.output_file_id);
    assert.deepEqual(lines.map(({ custom_id }) => custom_id).sort(), names);
    assert.equal(at.upstream.requests.length, 6);
    const { avail, held: stillHeld } = balanceOf(at);
    assert.deepEqual([avail, stillHeld], [10n ** 9n - 6n * LINE_E8, 0n]);
  },
);

Deno.test("the lines of a batch may ask for vectors", async () => {
  await using at = await startBatchScene({
    script: embedding({ form: "as_asked", order: "in_order" }),
  });
  const url = "/v1/embeddings";
  const line = (name: string, input: unknown) =>
    JSON.stringify({ custom_id: name, method: "POST", url, body: { model: "e", input } });
  const made = await at.create([line("a", "one"), line("b", ["one", "two"]), line("c", [])], {
    endpoint: url,
  });
  const batch = await at.ended(made.id);
  assert.deepEqual(batch.request_counts, { total: 3, completed: 2, failed: 1 });
  const lines = await at.lines(batch.output_file_id);
  const counts = lines.map(({ custom_id, response }) => [custom_id, response!.body.data.length]);
  assert.deepEqual(counts.sort(), [["a", 1], ["b", 2]]);
  assert.equal((await at.lines(batch.error_file_id))[0]!.response!.status_code, 400);
});

for (
  const { url, body, answer, told } of [
    {
      url: "/v1/moderations",
      body: { model: "judge", input: "Hello" },
      answer: judgement(1),
      told: "flagged",
    },
    {
      url: "/v1/rerank",
      body: { model: "ranker", query: "dog", documents: ["a cat", "a dog"] },
      answer: {
        results: [{ index: 1, relevance_score: 0.9 }, { index: 0, relevance_score: 0.1 }],
        usage: { total_tokens: 15 },
      },
      told: "relevance_score",
    },
  ]
) {
  Deno.test(`the lines of a batch may ask for ${url}`, async () => {
    await using at = await startBatchScene({
      script: jsonReply(answer),
      models: `
  - { id: judge, kind: moderation, routes: [{ id: a/judge, provider: a, sale: { input: "1" } }] }
  - { id: ranker, kind: rerank, routes: [{ id: a/ranker, provider: a, sale: { input: "1" } }] }
`,
    });
    const before = balanceOf(at).avail;
    const line = (name: string, more: object) =>
      JSON.stringify({ custom_id: name, method: "POST", url, body: { ...body, ...more } });
    const made = await at.create([line("a", {}), line("b", { model: "m" })], { endpoint: url });
    const batch = await at.ended(made.id);
    assert.deepEqual(batch.request_counts, { total: 2, completed: 1, failed: 1 });
    const [answered] = await at.lines(batch.output_file_id);
    assert.ok(told in answered!.response!.body.results[0], JSON.stringify(answered));
    assert.equal((await at.lines(batch.error_file_id))[0]!.custom_id, "b");
    assert.ok(balanceOf(at).avail < before);
    assert.equal(balanceOf(at).held, 0n);
  });
}
