/**
 * The official `openai` clients, unmodified, with files and batches.
 *
 * @module
 */

import assert from "node:assert/strict";
import { chatLine, type ResultLine } from "../support/batch_scene.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { until } from "../support/until.ts";
import { MAJORS } from "./openai_sdk/majors.ts";

const CATALOGUE = `
providers: [{ id: builtin, kind: builtin }]
models:
  - id: m
    kind: chat
    routes: [{ id: builtin/m, provider: builtin, upstream_model: echo-1, sale: { input: "1", output: "2" } }]
projects: [{ id: paying, unlimited: false }]
`;

for (const { name, sdk } of MAJORS) {
  Deno.test(`${name}: files and batches`, async () => {
    await using gateway = await serveGateway({ catalogue: CATALOGUE });
    await gateway.credit("paying", "1");
    const apiKey = await gateway.key("paying");
    const client = new sdk.OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const text = ["a", "b", "c"].map((one) => `${chatLine(one, `Say ${one}`)}\n`).join("");
    const file = await client.files.create({
      purpose: "batch",
      file: new File([text], "lines.jsonl"),
    });
    assert.equal(file.object, "file");
    assert.equal(file.bytes, text.length);
    assert.equal((await client.files.retrieve(file.id)).filename, "lines.jsonl");
    const listed = await Array.fromAsync(client.files.list({ purpose: "batch", limit: 1 }));
    assert.deepEqual(listed.map(({ id }) => id), [file.id]);
    assert.equal(await (await client.files.content(file.id)).text(), text);

    const made = await client.batches.create({
      input_file_id: file.id,
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
      metadata: { job: "nightly" },
    });
    assert.equal(made.status, "validating");
    const batch = await until("the batch to end", async () => {
      const one = await client.batches.retrieve(made.id);
      return one.status === "completed" ? one : undefined;
    });
    assert.deepEqual(batch.request_counts, { total: 3, completed: 3, failed: 0 });
    assert.deepEqual(batch.metadata, { job: "nightly" });
    const output = await (await client.files.content(batch.output_file_id!)).text();
    const lines: ResultLine[] = output.trimEnd().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(lines.map(({ custom_id }) => custom_id).sort(), ["a", "b", "c"]);
    for (const { custom_id, response } of lines) {
      assert.match(response!.body.choices[0].message.content, new RegExp(`Say ${custom_id}`));
    }
    const all = await Array.fromAsync(client.batches.list({ limit: 1 }));
    assert.deepEqual(all.map(({ id }) => id), [made.id]);
    const poll = await client.files.waitForProcessing(file.id);
    assert.equal(poll.status, "processed");
    assert.equal((await client.files.delete(file.id)).deleted, true);
    await assert.rejects(client.files.retrieve(file.id), { status: 404 });
    await assert.rejects(client.batches.cancel(made.id), { status: 400 });
    await assert.rejects(
      client.batches.create({
        input_file_id: file.id,
        endpoint: "/v1/chat/completions",
        completion_window: "24h",
      }),
      { status: 404 },
    );
  });
}
