/**
 * Answers in the background that one executable makes and another one is asked for.
 *
 * @module
 */

import assert from "node:assert/strict";
import { assertBooksAddUp, balanceOf } from "../support/paying_gateway.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../support/postgres_server.ts";
import type { ServedGateway } from "../support/served_gateway.ts";
import { twoNodes } from "../support/two_nodes.ts";
import { until } from "../support/until.ts";

const server = postgresOfFile();

async function ask(
  { url }: ServedGateway,
  { key, method, path, body }: {
    readonly key: string;
    readonly method: "POST" | "DELETE" | "GET";
    readonly path: string;
    readonly body?: object;
  },
) {
  const response = await fetch(`${url}/v1/responses${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** An answer that waits for the upstream. */
async function begin(node: ServedGateway, key: string): Promise<string> {
  const body = { model: "m", input: "Hello", background: true };
  const { body: answer } = await ask(node, { key, method: "POST", path: "", body });
  assert.equal(answer.status, "queued", JSON.stringify(answer));
  return answer.id;
}

/** Nothing is held any more, and what was charged is this in all. */
async function assertCharged(node: ServedGateway, charged: string): Promise<void> {
  await until(
    "all holds to be given back",
    async () => (await balanceOf(node)).held === "0.00000000",
  );
  assert.equal((await balanceOf(node)).balance, charged);
  await assertBooksAddUp(node);
}

Deno.test(
  "an answer in the background is seen, cancelled and deleted through any node",
  NEEDS_POSTGRES,
  async () => {
    await using nodes = await twoNodes(server, "answers", { answered: 0 });
    const { first, key, upstream } = nodes;
    const second = await nodes.startSecond();
    const [seen, cancelled, deleted] = [
      await begin(first, key),
      await begin(first, key),
      await begin(first, key),
    ];
    await until("all to be asked", () => upstream.requests.length === 3);
    for (const id of [seen, cancelled, deleted]) {
      const { body } = await ask(second, { key, method: "GET", path: `/${id}` });
      assert.equal(body.status, "queued", "another node's work is not given up by who looks at it");
    }
    const end = await ask(second, { key, method: "POST", path: `/${cancelled}/cancel` });
    assert.equal(end.status, 200);
    await until("it to be cancelled", async () => {
      const { status } = await second.get(`/v1/responses/${cancelled}`, key);
      assert.notEqual(status, "failed");
      return status === "cancelled";
    });
    const gone = await ask(second, { key, method: "DELETE", path: `/${deleted}` });
    assert.equal(gone.status, 200);
    await until("both calls to be broken off", async () => {
      const { data } = await first.admin("GET", "/calls");
      return data.filter(({ state }: { state: string }) => state === "released").length === 2;
    });
    nodes.goOn();
    await until(
      "the other one to be done",
      async () => (await second.get(`/v1/responses/${seen}`, key)).status === "completed",
    );
    const own = await ask(first, { key, method: "GET", path: `/${cancelled}` });
    assert.equal(own.body.status, "cancelled");
    assert.equal((await ask(first, { key, method: "GET", path: `/${deleted}` })).status, 404);
    assert.equal(upstream.requests.length, 3);
    await assertCharged(second, "0.99998000");
  },
);

Deno.test(
  "an answer in the background of a killed node is failed by another one",
  NEEDS_POSTGRES,
  async () => {
    await using nodes = await twoNodes(server, "lost_answers", { answered: 0 });
    const { first, key } = nodes;
    const second = await nodes.startSecond();
    const id = await begin(first, key);
    await nodes.isSilent;
    await first.server.kill();
    const failed = await until("it to be found dead", async () => {
      const answer = await second.get(`/v1/responses/${id}`, key);
      return answer.status === "failed" && answer;
    }, { everyMs: 200, withinMs: 60_000 });
    assert.equal(failed.error.code, "server_error");
    await assertCharged(second, "1.00000000");
  },
);
