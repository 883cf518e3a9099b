import assert from "node:assert/strict";
import { createSqliteStorage } from "../../../src/storage/sqlite/sqlite_storage.ts";
import { keptAnswer } from "../../conformance/storage_responses_suite.ts";
import { fundProject } from "../../conformance/storage_samples.ts";
import { withDatabasePath } from "./temporary_database.ts";

const CHILD = new URL("./commit_until_killed.ts", import.meta.url).pathname;

/** Runs the child until it has acknowledged that many calls, kills it, and gives all it said. */
async function runAndKill(
  path: string,
  { placement, acknowledged }: { readonly placement: string; readonly acknowledged: number },
): Promise<number[]> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--quiet", "-A", CHILD, path, placement],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let text = "";
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.split("\n").length > acknowledged) break;
  }
  child.kill("SIGKILL");
  await child.status;
  return text.split("\n").slice(0, -1).map(Number);
}

for (const placement of ["in thread", "worker"]) {
  Deno.test(`kill -9 loses no acknowledged call and breaks no balance: ${placement}`, async () => {
    await withDatabasePath(async (path) => {
      const creditE8 = 1_000_000_000n;
      const first = createSqliteStorage(path);
      await fundProject(first, creditE8);
      await first.close();
      const acknowledged = new Set<number>();
      for (const count of [1, 40, 150]) {
        for (const id of await runAndKill(path, { placement, acknowledged: count })) {
          acknowledged.add(id);
        }
      }
      assert.equal(acknowledged.size >= 190, true);

      const storage = createSqliteStorage(path);
      const calls = await storage.calls.slice(0, 1_000_000);
      const settled = calls.filter(({ state }) => state === "settled");
      const stored = new Set(settled.map(({ callId }) => callId));
      assert.deepEqual([...acknowledged].filter((id) => !stored.has(id)), []);

      // An answer is kept with the end of its call, or not at all.
      for (const { callId } of calls) {
        const [owner] = await storage.responses.owners({
          projectId: "acme",
          itemIds: [`msg_${callId}`],
        });
        const isKept = stored.has(callId) && callId % 2 === 0;
        assert.equal(owner, isKept ? `resp_${callId}` : undefined);
        const kept = await storage.responses.find({
          projectId: "acme",
          responseId: `resp_${callId}`,
        });
        assert.deepEqual(kept, isKept ? keptAnswer(callId) : undefined);
      }

      const ledger = await storage.ledger.slice(0, 1_000_000);
      assert.deepEqual(ledger.map(({ seq }) => seq), ledger.map((_, index) => index + 1));
      let balance = 0n;
      for (const row of ledger) {
        if (row.kind === "credit") balance += row.amountE8;
        if (row.kind === "settle") balance -= row.amountE8;
        assert.equal(row.balanceAfterE8, balance);
      }
      const settles = ledger.filter(({ kind }) => kind === "settle").map(({ callId }) => callId);
      assert.equal(new Set(settles).size, settles.length);
      assert.deepEqual(new Set(settles), stored);
      const open = await storage.calls.openCalls(1_000_000);
      const heldE8 = open.reduce((sum, call) => sum + call.heldE8, 0n);
      assert.deepEqual(await storage.accounts.loadBalances(), [
        { projectId: "acme", avail: balance - heldE8, held: heldE8 },
      ]);
      const [usage] = (await storage.calls.usageReport({ groupBy: [] })).lines;
      assert.equal(usage!.calls, settled.length);
      assert.equal(usage!.chargedE8, creditE8 - balance);
      for (const table of ["calls", "ledger"] as const) {
        assert.deepEqual((await storage.ledger.alteredRows(table, 0, 1_000_000)).altered, []);
      }
      await storage.close();
    });
  });
}
