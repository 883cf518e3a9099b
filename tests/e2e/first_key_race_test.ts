/**
 * Many servers started on one empty data dir at one time: one wins, and one key is made.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runTollgate, startTollgate } from "../support/executable.ts";

const STARTS = 50;
/** Fifty at one time share the processors of one. */
const START_WITHIN_MS = 300_000;
const KEY = /sk-tg-[A-Za-z0-9_-]{43}/g;

Deno.test("of fifty starts on one empty data dir one serves, and one key is printed", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-race-" });
  const dataDir = `${folder}/data`;
  const losers: string[] = [];
  const starts = Array.from({ length: STARTS }, async () => {
    try {
      return await startTollgate({ dataDir, expectKey: true, readyWithinMs: START_WITHIN_MS });
    } catch (error) {
      // Says what the process printed before it ended.
      losers.push(String(error));
      return undefined;
    }
  });
  const servers = (await Promise.all(starts)).filter((server) => server !== undefined);
  try {
    assert.equal(servers.length, 1, losers.join("\n"));
    const [server] = servers;
    assert.deepEqual(server!.stdout.match(KEY)?.filter((key) => key !== server!.key), []);
    for (const printed of losers) {
      assert.match(printed, /Cannot use the data dir .* has it/);
      assert.doesNotMatch(printed, /sk-tg-[A-Za-z0-9_-]{43}/);
    }
    const cli = async (...args: string[]) => {
      const done = await runTollgate([...args, "--data-dir", dataDir, "--json"]);
      assert.equal(done.code, 0, done.stderr);
      return JSON.parse(done.stdout);
    };
    const keys = await cli("keys", "list");
    assert.deepEqual(keys.map(({ prefix }: { prefix: string }) => prefix), [
      server!.key.slice(0, 12),
    ]);
    const rows = await cli("audit", "list");
    assert.deepEqual(rows.map(({ operation }: { operation: string }) => operation), ["first_run"]);
    const answer = await fetch(`${server!.baseUrl}/v1/key`, {
      headers: { authorization: `Bearer ${server!.key}` },
    });
    assert.equal(answer.status, 200);
    await answer.body?.cancel();
  } finally {
    for (const server of servers) await server[Symbol.asyncDispose]();
    await Deno.remove(folder, { recursive: true });
  }
});
