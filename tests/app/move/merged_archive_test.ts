/**
 * Books of several nodes in a file, which are archived there as any others are.
 *
 * @module
 */

import assert from "node:assert/strict";
import { archiveCalls } from "../../../src/admin/archives/archive_calls.ts";
import { runOperation } from "../../../src/admin/base/run_operation.ts";
import { checkLedger } from "../../../src/admin/ledger_check/check_ledger.ts";
import { moveToFile } from "../../../src/app/move/move_to_file.ts";
import { moveToServer } from "../../../src/app/move/move_to_server.ts";
import { workOfTokens } from "../../../src/domain/work.ts";
import { openPostgresStorage } from "../../../src/storage/postgres/postgres_storage.ts";
import { CATALOGUE, openTestAdmin } from "../../admin/test_admin.ts";
import {
  commitEach,
  commitOne,
  sampleClosedCall,
  sampleOpenCall,
  words,
} from "../../conformance/storage_samples.ts";
import { withDataDir } from "../../support/data_dir_history.ts";
import { writeNewDatabase } from "../../support/new_database.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";

const server = postgresOfFile();

/** Long past. */
const AT = Date.UTC(2026, 0, 10);

Deno.test(
  "calls with a loss whose charge waited for its credit are archived after the move",
  NEEDS_POSTGRES,
  () =>
    withDataDir(async (dataDir, folder) => {
      await Deno.mkdir(dataDir);
      await writeNewDatabase(`${dataDir}/tollgate.db`);
      await (await openTestAdmin({ catalogue: CATALOGUE, path: `${dataDir}/tollgate.db` }))
        [Symbol.asyncDispose]();
      await server.create("merged");
      const url = server.url("merged");
      const sides = {
        server: { url, caFile: undefined, staleKeysMs: undefined },
        ...{ now: Date.now, mayReplace: false },
        watcher: { signal: new AbortController().signal, onProgress() {} },
      };
      await moveToServer({ ...sides, dataDir });
      await liveOnTwoNodes(url);
      assert.equal(await server.ask("merged", "SELECT count(DISTINCT book) FROM ledger"), "2");
      const back = `${folder}/back`;
      await moveToFile({ ...sides, dataDir: back });

      await using admin = await openTestAdmin({ path: `${back}/tollgate.db` });
      admin.clock.setWall(Date.UTC(2026, 11, 1));
      const file = `${folder}/calls.archive`;
      const input = { before: "2026-02-01", file };
      const archived = await runOperation(archiveCalls, { deps: admin.deps, input });
      assert.equal(archived.calls, 2);
      assert.deepEqual((await checkLedger(admin.storage)).differences, []);
    }),
);

/** Where one node's clock is behind: it charges before, by its time, the other one has credited. */
async function liveOnTwoNodes(url: string): Promise<void> {
  const open = (node: string) => openPostgresStorage({ url, identity: { node, label: node } });
  const ahead = await open("ahead");
  const behind = await open("behind");
  try {
    await ahead.beginSession();
    await behind.beginSession();
    const credit = { projectId: "paying", reference: undefined, at: AT + 60_000 } as const;
    assert.equal(
      (await commitOne(ahead, { kind: "credit", amountE8: 10_000n, ...credit })).ok,
      true,
    );
    const results = await commitEach(
      behind,
      [7, 8].flatMap((callId) => {
        const call = {
          callId,
          ...{ requestId: `req_${callId}`, projectId: "paying", heldE8: 1_500n },
          ...{ provider: "one", route: "one/small", openedAt: AT, closedAt: AT + callId },
        };
        const usage = {
          work: workOfTokens({ promptTokens: 10, completionTokens: 0 }),
          ...{ costE8: 1_000n, saleE8: 2_000n, chargedE8: 1_500n, lossE8: 500n },
        };
        return [
          { kind: "lease", projectId: "paying", needE8: 1_500n, wishE8: 1_500n },
          { kind: "hold", call: sampleOpenCall(call) },
          { kind: "close", call: sampleClosedCall({ ...call, ...usage }) },
        ] as const;
      }),
    );
    assert.deepEqual(words(results), ["ok", "ok", "ok", "ok", "ok", "ok"]);
  } finally {
    await behind.close();
    await ahead.close();
  }
}
