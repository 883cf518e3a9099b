/**
 * Kept answers stop where the ledger's part of the disk begins: on a small disk they
 * are no longer kept, and every call goes on and is charged.
 *
 * @module
 */

import assert from "node:assert/strict";
import { statfsSync } from "node:fs";
import { serveGateway } from "../support/served_gateway.ts";
import { until } from "../support/until.ts";
import { needsSmallDisk, SmallDisk } from "../support/small_disk.ts";

const MIB = 1024 ** 2;
const DISK_BYTES = 24 * MIB;
/** A quarter of it, less what settles write meanwhile. */
const LEAST_FREE_BYTES = 5 * MIB;

const CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
models:
  - id: echo-1
    kind: chat
    routes:
      - id: builtin/echo-1
        provider: builtin
        upstream_model: echo-1
        sale: { request: "0.01", input: "0", output: "0" }
  - id: slow
    kind: chat
    routes:
      - id: builtin/slow
        provider: builtin
        upstream_model: echo-1:slow-400
        sale: { request: "0.01", input: "0", output: "0" }
projects:
  - { id: shop, unlimited: false }
`;

Deno.test("kept answers leave the ledger its part of a small disk", needsSmallDisk, async () => {
  await using disk = await SmallDisk.mount(DISK_BYTES);
  await using gateway = await serveGateway({
    catalogue: CATALOGUE,
    dataDir: `${disk.folder}/data`,
  });
  await gateway.credit("shop", "10");
  const key = await gateway.key("shop");
  async function ask(fields: Record<string, unknown> = {}) {
    const answer = await fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "echo-1", input: "x".repeat(MIB), ...fields }),
    });
    return { status: answer.status, body: await answer.json() };
  }
  const kept: string[] = [];
  const answers = 16;
  for (let one = 0; one < answers; one++) {
    const { status, body } = await ask();
    assert.equal(status, 200, JSON.stringify(body));
    if (body.store) kept.push(body.id);
  }
  const { bavail, bsize } = statfsSync(disk.folder);
  assert.ok(bavail * bsize >= LEAST_FREE_BYTES, `${bavail * bsize} bytes are free`);
  assert.ok(kept.length > 0 && kept.length < answers, `${kept.length} were kept`);
  for (const id of kept) await gateway.get(`/v1/responses/${id}`, key);
  await gateway.server.waitForOutput(/"answers_not_kept".*"why":"disk"/);

  const ready = await (await fetch(`${gateway.url}/readyz`)).json();
  assert.equal(ready.status, "ready");
  const warning = /^answers are not kept: the disk is full up to the ledger's part/;
  assert.ok(ready.warnings.some((text: string) => warning.test(text)), ready.warnings.join());

  const plain = await gateway.chat(key, {
    model: "echo-1",
    messages: [{ role: "user", content: "Hello" }],
  });
  assert.equal(plain.status, 200, await plain.text());
  const refused = await ask({ background: true });
  assert.deepEqual([refused.status, refused.body.error.code], [503, "storage_full"]);
  const [{ balance }] = (await gateway.cli("projects", "list"))
    .filter(({ id }: { id: string }) => id === "shop");
  assert.equal(balance, `9.${100 - answers - 1}000000`, "each call was charged once");
  const verified = await gateway.cli("ledger", "verify");
  assert.deepEqual(verified.differences, []);
});

Deno.test(
  "answers in the background that are under way when the disk fills up have their room",
  needsSmallDisk,
  async () => {
    await using disk = await SmallDisk.mount(DISK_BYTES);
    await using gateway = await serveGateway({
      catalogue: CATALOGUE,
      dataDir: `${disk.folder}/data`,
    });
    await gateway.credit("shop", "10");
    const key = await gateway.key("shop");
    async function ask(fields: Record<string, unknown>) {
      const answer = await fetch(`${gateway.url}/v1/responses`, {
        method: "POST",
        headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "slow", background: true, ...fields }),
      });
      return { status: answer.status, body: await answer.json() };
    }
    const asked = await Promise.all([1, 2, 3].map(() => ask({ input: "one two three four" })));
    await disk.fill(LEAST_FREE_BYTES);
    let calls = asked.length;
    await until("the disk to be full for others", async () => {
      const { body } = await ask({ model: "echo-1", input: "Hello", background: false });
      calls++;
      return body.store === false;
    });
    for (const { body: { id } } of asked) {
      const ended = await until("the answer", async () => {
        const body = await gateway.get(`/v1/responses/${id}`, key);
        return body.status !== "queued" && body;
      });
      assert.equal(ended.status, "completed", JSON.stringify(ended.error));
    }
    const [{ balance }] = (await gateway.cli("projects", "list"))
      .filter(({ id }: { id: string }) => id === "shop");
    assert.equal(balance, (10 - calls / 100).toFixed(8));
    assert.deepEqual((await gateway.cli("ledger", "verify")).differences, []);
  },
);
