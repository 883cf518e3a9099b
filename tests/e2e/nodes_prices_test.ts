/**
 * The list of prices of two executables over one database.
 *
 * @module
 */

import assert from "node:assert/strict";
import { NEEDS_POSTGRES, postgresOfFile } from "../support/postgres_server.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";

const server = postgresOfFile();

function rowOf(model: string, input: string): string {
  return `{ vendor: openai, model: ${model}, kind: chat, cost: { input: "${input}", output: "9" }, ` +
    `source: "https://example.com", date: "2026-11-01" }`;
}

async function put(node: ServedGateway, ...rows: readonly string[]): Promise<void> {
  await node.admin("POST", "/prices", { text: `currency: USD\nrows: [${rows.join(", ")}]\n` });
}

async function priceOf(node: ServedGateway, model: string): Promise<string | undefined> {
  const { data } = await node.admin("GET", `/prices?vendor=openai&model=${model}`);
  return data.find((row: { model: string }) => row.model === model)?.cost.input;
}

Deno.test(
  "prices that are put over the list on one node hold on all, and after their starts",
  NEEDS_POSTGRES,
  async () => {
    await server.create("prices");
    const env = { TOLLGATE_DATABASE_URL: server.url("prices") };
    const dataDir = await Deno.makeTempDir({ prefix: "tollgate-node-" });
    await using _dir = { [Symbol.asyncDispose]: () => Deno.remove(dataDir, { recursive: true }) };
    // It has had rows of its own before there was a server.
    {
      await using alone = await serveGateway({ dataDir });
      await put(alone, rowOf("mine-1", "1.11"));
    }
    await using first = await serveGateway({ env });
    {
      await using second = await serveGateway({ dataDir, env, expectKey: false });
      assert.equal(await priceOf(first, "mine-1"), "1.11");
      await put(first, rowOf("mine-2", "2.22"));
      assert.equal(await priceOf(second, "mine-2"), "2.22");
      await put(second, rowOf("mine-1", "3.33"));
      assert.equal(await priceOf(first, "mine-1"), "3.33");
      assert.equal(await priceOf(first, "mine-2"), "2.22", "no node forgets another one's");
    }
    await using again = await serveGateway({ dataDir, env, expectKey: false });
    assert.equal(await priceOf(again, "mine-1"), "3.33");
    assert.equal(await priceOf(again, "mine-2"), "2.22");
  },
);
