import assert from "node:assert/strict";
import { cancelBatch, listBatches, showBatch } from "../../../../src/admin/batches.ts";
import { runOperation } from "../../../../src/admin/base/run_operation.ts";
import { answerBody } from "../../../support/chat_bodies.ts";
import { chatLine, startBatchScene } from "../../../support/batch_scene.ts";
import { jsonReply } from "../../../support/fake_upstream.ts";
import { until } from "../../../support/until.ts";

const balanceOf = ({ gateway }: Awaited<ReturnType<typeof startBatchScene>>) =>
  gateway.admin.ledger.balanceOf("paying");

Deno.test("a batch asks each of its lines as an ordinary call", async () => {
  await using at = await startBatchScene();
  const before = balanceOf(at).avail;
  const names = Array.from({ length: 25 }, (_, index) => `line-${index}`);
  const made = await at.create(names.map((name) => chatLine(name, name)), {
    metadata: { job: "nightly" },
  });
  assert.match(made.id, /^batch_[a-z2-7]{26}$/);
  assert.deepEqual(
    [made.object, made.status, made.request_counts, made.metadata],
    ["batch", "validating", { total: 0, completed: 0, failed: 0 }, { job: "nightly" }],
  );
  assert.equal(made.expires_at! - made.created_at, 86_400);
  const batch = await at.ended(made.id);
  assert.equal(batch.status, "completed", JSON.stringify(batch));
  assert.deepEqual(batch.request_counts, { total: 25, completed: 25, failed: 0 });
  assert.equal(batch.usage.input_tokens, 250);
  assert.equal(batch.usage.output_tokens, 125);
  assert.equal(batch.model, "m");
  assert.equal(batch.error_file_id, null);
  const lines = await at.lines(batch.output_file_id);
  assert.deepEqual(lines.map(({ custom_id }) => custom_id).sort(), names.sort());
  for (const { id, response, error } of lines) {
    assert.match(id, /^batch_req_/);
    assert.equal(error, null);
    assert.equal(response!.status_code, 200);
    assert.match(response!.request_id, /^req_/);
    assert.equal(response!.body.choices[0].message.content, "Hi");
    assert.equal(response!.body.route, "a/m");
    const call = await (await at.ask(`/calls/${response!.request_id}`)).json();
    assert.equal(call.pricing.sale_amount, response!.body.pricing.sale_amount);
    assert.equal(call.batch, batch.id);
  }
  assert.equal(before - balanceOf(at).avail, 25n * 2_000n);
  assert.equal(balanceOf(at).held, 0n);
  assert.equal(at.upstream.requests.length, 25);
  const late = await at.ask(`/batches/${batch.id}/cancel`, { method: "POST" });
  assert.equal(late.status, 400);
  assert.match((await late.json()).error.message, /ended as completed/);
  const file = await (await at.ask(`/files/${batch.output_file_id}`)).json();
  assert.equal(file.purpose, "batch_output");
  assert.equal(file.filename, `${batch.id}_output.jsonl`);
});

Deno.test("a batch is told what is wrong with its lines, and costs nothing then", async () => {
  await using at = await startBatchScene();
  const batch = await at.ended(
    (await at.create([
      chatLine("a"),
      "not JSON",
      chatLine("a"),
      "",
      JSON.stringify({ custom_id: "b", method: "GET", url: "/v1/chat/completions", body: {} }),
      JSON.stringify({ custom_id: "c", method: "POST", url: "/v1/embeddings", body: {} }),
      JSON.stringify({ custom_id: "d", method: "POST", url: "/v1/chat/completions" }),
      JSON.stringify({ method: "POST", url: "/v1/chat/completions", body: {} }),
      chatLine("e", "x", { stream: true }),
    ])).id,
  );
  assert.equal(batch.status, "failed");
  assert.deepEqual(batch.errors!.data.map(({ code, line, param }) => [line, code, param]), [
    [2, "invalid_json_line", null],
    [3, "duplicate_custom_id", "custom_id"],
    [5, "invalid_method", "method"],
    [6, "invalid_url", "url"],
    [7, "missing_required_parameter", "body"],
    [8, "missing_required_parameter", "custom_id"],
    [9, "not_supported", "body.stream"],
  ]);
  assert.equal(at.upstream.requests.length, 0);
  assert.deepEqual([batch.output_file_id, batch.error_file_id], [null, null]);
});

Deno.test("batches that cannot be made are refused by name", async () => {
  await using at = await startBatchScene();
  const file = await at.upload([chatLine("a")]);
  const other = await at.upload([chatLine("a")], await at.gateway.key("other"));
  const refused = async (body: object, status: number, param: string) => {
    const response = await at.post({ input_file_id: file, ...body });
    const { error } = await response.json();
    assert.deepEqual([response.status, error.param], [status, param], error.message);
  };
  await refused({ endpoint: "/v1/videos" }, 400, "endpoint");
  await refused({ endpoint: "/v1/nothing" }, 400, "endpoint");
  await refused({ input_file_id: other }, 404, "input_file_id");
  await refused({ input_file_id: "file-none" }, 404, "input_file_id");
  await refused({ completion_window: "30m" }, 400, "completion_window");
  await refused({ completion_window: "15d" }, 400, "completion_window");
  await refused({ unknown: 1 }, 400, "unknown");
  assert.deepEqual((await (await at.ask("/batches")).json()).data, []);
});

Deno.test("a project's batches are nobody else's", async () => {
  await using at = await startBatchScene();
  const { id } = await at.ended((await at.create([chatLine("a")])).id);
  const asKey = await at.gateway.key("other");
  assert.equal((await at.ask(`/batches/${id}`, {}, asKey)).status, 404);
  assert.equal((await at.ask(`/batches/${id}/cancel`, { method: "POST" }, asKey)).status, 404);
  assert.equal((await at.ask(`/batches?after=${id}`, {}, asKey)).status, 400);
  assert.deepEqual((await (await at.ask("/batches", {}, asKey)).json()).data, []);
});

Deno.test("a batch that is asked for twice by one key is made once", async () => {
  await using at = await startBatchScene();
  const body = { input_file_id: await at.upload([chatLine("a")]) };
  const headers = { "idempotency-key": "batch-1" };
  const first = await (await at.post(body, headers)).json();
  const again = await at.post(body, headers);
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  assert.equal((await again.json()).id, first.id);
  await at.ended(first.id);
  assert.equal(at.upstream.requests.length, 1);
});

Deno.test("lines that fail go to the file of errors, and cost nothing", async () => {
  await using at = await startBatchScene({
    script(request) {
      const { messages } = request.json() as { messages: { content: string }[] };
      return messages[0]!.content === "bad"
        ? jsonReply({ error: { message: "No", type: "invalid_request_error" } }, { status: 400 })
        : jsonReply(answerBody("Hi"));
    },
  });
  const before = balanceOf(at).avail;
  const { id } = await at.create([
    chatLine("a"),
    chatLine("b", "bad"),
    chatLine("c", "x", { model: "none" }),
    chatLine("d"),
  ]);
  const batch = await at.ended(id);
  assert.equal(batch.status, "completed");
  assert.deepEqual(batch.request_counts, { total: 4, completed: 2, failed: 2 });
  const errors = await at.lines(batch.error_file_id);
  assert.deepEqual(
    errors.map(({ custom_id, response }) => [
      custom_id,
      response!.status_code,
      response!.body.error.code,
    ]).sort(),
    [["b", 400, "invalid_request"], ["c", 404, "model_not_found"]],
  );
  assert.equal((await at.lines(batch.output_file_id)).length, 2);
  assert.equal(before - balanceOf(at).avail, 2n * 2_000n);
});

Deno.test("lines whose upstream is busy are asked again", async () => {
  const seen = new Map<string, number>();
  await using at = await startBatchScene({
    script(request) {
      const { messages } = request.json() as { messages: { content: string }[] };
      const { content } = messages[0]!;
      seen.set(content, (seen.get(content) ?? 0) + 1);
      return content === "busy" && seen.get(content)! <= 3
        ? jsonReply({ error: { message: "Slow" } }, {
          status: 429,
          headers: { "retry-after": "1" },
        })
        : jsonReply(answerBody("Hi"));
    },
  });
  const batch = await at.ended((await at.create([chatLine("a"), chatLine("b", "busy")])).id);
  assert.deepEqual(batch.request_counts, { total: 2, completed: 2, failed: 0 });
});

Deno.test("a batch that is cancelled asks for nothing more, and keeps what was answered", async () => {
  const held = Promise.withResolvers<void>();
  await using at = await startBatchScene({
    batches: { linesPerBatch: 2 },
    script: (_, index) => ({
      ...jsonReply(answerBody("Hi")),
      before: index < 3 ? [] : [held.promise],
    }),
  });
  const { id } = await at.create(Array.from({ length: 20 }, (_, index) => chatLine(`l${index}`)));
  await at.upstream.received(4);
  const cancel = () => at.ask(`/batches/${id}/cancel`, { method: "POST" });
  assert.equal((await (await cancel()).json()).status, "cancelling");
  assert.equal((await (await cancel()).json()).status, "cancelling");
  held.resolve();
  const batch = await at.ended(id);
  assert.equal(batch.status, "cancelled");
  assert.ok(batch.cancelled_at !== null);
  assert.deepEqual(batch.request_counts, { total: 20, completed: 5, failed: 0 });
  assert.equal((await at.lines(batch.output_file_id)).length, 5);
  assert.equal(at.upstream.requests.length, 5);
  assert.equal((await (await cancel()).json()).status, "cancelled");
  assert.equal(balanceOf(at).held, 0n);
});

Deno.test("a batch waits for money, and goes on when there is some", async () => {
  await using at = await startBatchScene({ credit: "0" });
  const { id } = await at.create([chatLine("a"), chatLine("b")]);
  const waiting = await until("the batch to wait", async () => {
    const batch = await at.show(id);
    return batch.waiting === "balance" ? batch : undefined;
  });
  assert.equal(waiting.status, "in_progress");
  assert.equal(at.upstream.requests.length, 0);
  await at.gateway.credit("paying", "1");
  const batch = await at.ended(id);
  assert.deepEqual(batch.request_counts, { total: 2, completed: 2, failed: 0 });
});

Deno.test("a batch whose key is deleted ends, and what was answered stays", async () => {
  const held = Promise.withResolvers<void>();
  await using at = await startBatchScene({
    batches: { linesPerBatch: 1 },
    script: (_, index) => ({
      ...jsonReply(answerBody("Hi")),
      before: index < 1 ? [] : [held.promise],
    }),
  });
  const { id } = await at.create([chatLine("a"), chatLine("b"), chatLine("c")]);
  await at.upstream.received(1);
  const { directory } = at.gateway.admin;
  const stored = directory.keys().find(({ projectId }) => projectId === "paying")!;
  const other = await at.gateway.key("paying");
  directory.removeKey(stored.id);
  held.resolve();
  const batch = await until("the batch to end", async () => {
    const one = await (await at.ask(`/batches/${id}`, {}, other)).json();
    return one.status === "cancelled" ? one : undefined;
  });
  assert.equal(batch.errors.data[0].code, "key_gone");
  assert.deepEqual(batch.request_counts, { total: 3, completed: 2, failed: 0 });
});

Deno.test("a batch goes on after a restart, and each line is charged once", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "tollgate-test-" });
  const held = Promise.withResolvers<void>();
  const names = Array.from({ length: 30 }, (_, index) => `l${index}`);
  try {
    let id: string;
    let key: string;
    {
      await using at = await startBatchScene({
        dataDir,
        drainTimeoutMs: 0,
        batches: { linesPerBatch: 3 },
        script: (_, index) => ({
          ...jsonReply(answerBody("Hi")),
          before: index < 10 ? [] : [held.promise],
        }),
      });
      key = at.key;
      id = (await at.create(names.map((name) => chatLine(name)))).id;
      await at.upstream.received(12);
    }
    held.resolve();
    await using at = await startBatchScene({ dataDir, credit: "0" });
    const batch = await until("the batch to end", async () => {
      const one = await (await at.ask(`/batches/${id}`, {}, key)).json();
      return one.status === "completed" ? one : undefined;
    });
    assert.deepEqual(batch.request_counts, { total: 30, completed: 30, failed: 0 });
    const lines = await at.lines(batch.output_file_id);
    assert.deepEqual(lines.map(({ custom_id }) => custom_id).sort(), names.sort());
    assert.equal(at.upstream.requests.length, 20);
    const { avail, held: stillHeld } = balanceOf(at);
    assert.equal(avail, 10n ** 9n - 30n * 2_000n);
    assert.equal(stillHeld, 0n);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});

Deno.test("a batch whose input file is deleted ends with what it has when the gateway starts again", async () => {
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
      const made = await at.create(["a", "b", "c", "d"].map((name) => chatLine(name)));
      id = made.id;
      await at.upstream.received(2);
      const gone = await at.ask(`/files/${made.input_file_id}`, { method: "DELETE" });
      assert.equal(gone.status, 200);
    }
    await using at = await startBatchScene({ dataDir, credit: "0" });
    const batch = await until("the batch to end", async () => {
      const one = await (await at.ask(`/batches/${id}`, {}, key)).json();
      return one.status === "failed" ? one : undefined;
    });
    assert.equal(batch.errors.data[0].code, "input_file_gone");
    assert.deepEqual(batch.request_counts, { total: 4, completed: 2, failed: 0 });
    assert.equal((await at.lines(batch.output_file_id)).length, 2);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});

for (
  const [url, body] of [
    ["/v1/responses", { model: "m", input: "Hello" }],
    ["/v1/messages", { model: "m", max_tokens: 8, messages: [{ role: "user", content: "Hello" }] }],
  ] as const
) {
  Deno.test(`the lines of a batch may ask for ${url}`, async () => {
    await using at = await startBatchScene();
    const line = (name: string, more: object) =>
      JSON.stringify({ custom_id: name, method: "POST", url, body: { ...body, ...more } });
    const lines = [line("a", {}), line("b", { model: "none" })];
    const batch = await at.ended((await at.create(lines, { endpoint: url })).id);
    assert.equal(batch.status, "completed", JSON.stringify(batch));
    assert.deepEqual(batch.request_counts, { total: 2, completed: 1, failed: 1 });
    const [answered] = await at.lines(batch.output_file_id);
    assert.equal(answered!.response!.body.route, "a/m");
    const [failed] = await at.lines(batch.error_file_id);
    assert.equal(failed!.response!.status_code, 404);
  });
}

Deno.test("an operator sees batches of all projects, and cancels them with a note", async () => {
  const held = Promise.withResolvers<void>();
  await using at = await startBatchScene({
    batches: { linesPerBatch: 1 },
    script: { ...jsonReply(answerBody("Hi")), before: [held.promise] },
  });
  const deps = at.gateway.admin;
  const { id } = await at.create([chatLine("a"), chatLine("b")]);
  await at.upstream.received(0);
  const shown = await runOperation(showBatch, { deps, input: { batch_id: id } });
  assert.deepEqual([shown.status, shown.total, shown.project], ["in_progress", 2, "paying"]);
  const page = await runOperation(listBatches, { deps, input: { project: "paying", limit: 50 } });
  assert.deepEqual(page.data.map((row) => row.id), [id]);
  const other = await runOperation(listBatches, { deps, input: { project: "other", limit: 50 } });
  assert.deepEqual(other.data, []);
  const cancelled = await runOperation(cancelBatch, { deps, input: { batch_id: id } });
  assert.equal(cancelled.status, "cancelling");
  held.resolve();
  assert.equal((await at.ended(id)).status, "cancelled");
  const [row] = await deps.storage.audit.list({ limit: 1 });
  assert.deepEqual([row!.operation, row!.subject], ["batches.cancel", `batch:${id}`]);
  await assert.rejects(runOperation(cancelBatch, { deps, input: { batch_id: id } }), {
    error: "conflict",
  });
  await assert.rejects(runOperation(showBatch, { deps, input: { batch_id: "none" } }), {
    error: "not_found",
  });
});
