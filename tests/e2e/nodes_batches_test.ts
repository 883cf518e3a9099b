/**
 * Files and batches of two executables over one database, with a bucket and without.
 *
 * @module
 */

import assert from "node:assert/strict";
import { chatLine, type ResultLine } from "../support/batch_scene.ts";
import { FakeS3 } from "../support/fake_s3.ts";
import { assertBooksAddUp, balanceOf, NONE } from "../support/paying_gateway.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../support/postgres_server.ts";
import type { ServedGateway } from "../support/served_gateway.ts";
import { twoNodes } from "../support/two_nodes.ts";
import { until } from "../support/until.ts";

const server = postgresOfFile();

const LINES = 60;
/** So many answers come before the upstream is silent. */
const ANSWERED = 20;
/** Lines of a batch that are asked at one time. */
const AT_ONCE = 16;
/** In 1e-8: 10 tokens in at 1, 5 out at 2 for a million each. */
const LINE_E8 = 2_000;

async function upload({ url }: ServedGateway, key: string, text: string): Promise<string> {
  const body = new FormData();
  body.set("purpose", "batch");
  body.set("file", new File([text], "lines.jsonl"));
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/v1/files`, { method: "POST", headers, body });
  const file = await response.json();
  assert.equal(response.status, 200, JSON.stringify(file));
  return file.id;
}

async function post({ url }: ServedGateway, key: string, path: string, body?: object) {
  const response = await fetch(`${url}/v1${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer;
}

function batchOf(inputFileId: string) {
  return {
    input_file_id: inputFileId,
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
  };
}

function content({ url }: ServedGateway, key: string, id: string, init: RequestInit = {}) {
  return fetch(`${url}/v1/files/${id}/content`, {
    ...init,
    headers: { authorization: `Bearer ${key}`, ...init.headers as Record<string, string> },
  });
}

const NAMES = Array.from({ length: LINES }, (_, index) => `line-${index}`);
const TEXT = NAMES.map((name) => `${chatLine(name)}\n`).join("");

function ended(node: ServedGateway, key: string, id: string) {
  return until("the batch to end", async () => {
    const batch = await node.get(`/v1/batches/${id}`, key);
    return ["completed", "cancelled", "failed", "expired"].includes(batch.status) && batch;
  }, { everyMs: 200, withinMs: 90_000 });
}

/** Every line has one answer, and has been paid once. */
async function assertPaidOnce(
  node: ServedGateway,
  key: string,
  outputId: string,
): Promise<void> {
  const text = await (await content(node, key, outputId)).text();
  const lines: ResultLine[] = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(lines.map(({ custom_id }) => custom_id).sort(), NAMES.toSorted());
  assert.equal(new Set(lines.map(({ response }) => response!.request_id)).size, LINES);
  // What the one that was killed had under way is released a while after its batch has gone on.
  await until("all holds to be given back", async () => (await balanceOf(node)).held === NONE);
  assert.equal(Number((await balanceOf(node)).balance), (100_000_000 - LINES * LINE_E8) / 1e8);
  await assertBooksAddUp(node);
}

Deno.test(
  "files in a bucket are every node's, and a killed node's batch goes on elsewhere",
  NEEDS_POSTGRES,
  async () => {
    await using s3 = await FakeS3.start();
    await using nodes = await twoNodes(server, "batches", { env: s3.env(), answered: ANSWERED });
    const { first, key, upstream } = nodes;
    const second = await nodes.startSecond();
    const input = await upload(first, key, TEXT);
    const files = () => [...s3.objects.keys()].filter((name) => name.includes("/files/"));
    assert.equal(files().length, 1);
    assert.deepEqual([...Deno.readDirSync(`${first.server.dataDir}/files`)], []);
    const whole = await content(second, key, input);
    assert.equal(await whole.text(), TEXT);
    const part = await content(second, key, input, { headers: { range: "bytes=10-19" } });
    assert.deepEqual([part.status, await part.text()], [206, TEXT.slice(10, 20)]);
    const shown = await second.admin("GET", `/files/${input}`);
    assert.match(shown.path, /^s3:\/\/films\/of\/tests\/files\//);

    const { id } = await post(first, key, "/batches", batchOf(input));
    await nodes.isSilent;
    await until("the answers so far to be seen elsewhere", async () => {
      const { status, request_counts } = await second.get(`/v1/batches/${id}`, key);
      assert.equal(status, "in_progress");
      return request_counts.completed === ANSWERED;
    });
    assert.equal((await second.get("/v1/batches", key)).data[0].request_counts.completed, ANSWERED);
    await first.server.kill();
    nodes.goOn();
    const batch = await ended(second, key, id);
    assert.equal(batch.status, "completed");
    assert.deepEqual(batch.request_counts, { total: LINES, completed: LINES, failed: 0 });
    // What was under way with the one that was killed was asked again, and nothing else.
    assert.ok(upstream.requests.length <= LINES + AT_ONCE, `${upstream.requests.length} requests`);
    await assertPaidOnce(second, key, batch.output_file_id);
    await until(
      "the folder to be cleared",
      () => [...Deno.readDirSync(`${second.server.dataDir}/files`)].length === 0,
    );

    const again = await nodes.startFirst();
    assert.equal(
      await (await content(again, key, batch.output_file_id)).text().then(lineCount),
      LINES,
    );
    const gone = await fetch(`${again.url}/v1/files/${input}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${key}` },
    });
    assert.equal(gone.status, 200);
    await gone.body?.cancel();
    assert.equal((await content(second, key, input)).status, 404);
    assert.deepEqual(files().map((name) => name.split("/").at(-2)), [batch.output_file_id]);
  },
);

Deno.test(
  "without a bucket a batch is left to the node that has its files",
  NEEDS_POSTGRES,
  async () => {
    await using nodes = await twoNodes(server, "lone_batches", { answered: ANSWERED });
    const { first, key } = nodes;
    const input = await upload(first, key, TEXT);
    const { id } = await post(first, key, "/batches", batchOf(input));
    await nodes.isSilent;
    // A start beside it begins nothing of another's.
    const second = await nodes.startSecond();
    assert.equal((await second.get(`/v1/batches/${id}`, key)).status, "in_progress");
    assert.equal((await first.get(`/v1/batches/${id}`, key)).status, "in_progress");
    await first.server.kill();
    nodes.goOn();
    const again = await nodes.startFirst();
    const batch = await ended(again, key, id);
    assert.deepEqual(batch.request_counts, { total: LINES, completed: LINES, failed: 0 });
    await assertPaidOnce(again, key, batch.output_file_id);
  },
);

Deno.test("a batch is cancelled from any node", NEEDS_POSTGRES, async () => {
  await using nodes = await twoNodes(server, "cancelled_batches", { answered: ANSWERED });
  const { first, key } = nodes;
  const second = await nodes.startSecond();
  const { id } = await post(first, key, "/batches", batchOf(await upload(first, key, TEXT)));
  await nodes.isSilent;
  assert.equal((await post(second, key, `/batches/${id}/cancel`)).status, "cancelling");
  await until(
    "the node that works on it to hear of it",
    async () => (await first.get(`/v1/batches/${id}`, key)).status === "cancelling",
  );
  nodes.goOn();
  const batch = await ended(second, key, id);
  assert.equal(batch.status, "cancelled");
  assert.ok(batch.request_counts.completed <= ANSWERED + AT_ONCE);
  assert.ok(batch.request_counts.completed >= ANSWERED);
});

function lineCount(text: string): number {
  return text.trimEnd().split("\n").length;
}
