/**
 * Tags are kept with single calls: a report by them says from when on it has all, where a server's calls are
 * archived or deleted.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { AdminDeps } from "../../../src/admin/base/deps.ts";
import { runOperation } from "../../../src/admin/base/run_operation.ts";
import { dropOldCalls } from "../../../src/admin/ledger_check/drop_old_calls.ts";
import { reportUsage } from "../../../src/admin/usage.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { archive, archivesOf, archiveUndropped } from "./archived_history.ts";
import { DAY_MS } from "./sealed_history.ts";

const server = postgresOfFile();
const withAdmin = archivesOf(server);

function report(deps: AdminDeps, input: { by: string[]; from?: string }) {
  return runOperation(reportUsage, { deps, input });
}

Deno.test(
  "a report by tag names a server's archives",
  NEEDS_POSTGRES,
  () =>
    withAdmin(async (place) => {
      const { deps, before } = place;
      const byTag = { by: ["tag:team"] };
      const all = await report(deps, byTag);
      assert.deepEqual([all.cut, all.archives], [null, []]);
      await archiveUndropped(place);
      const undropped = await report(deps, byTag);
      assert.deepEqual(
        [undropped.cut, undropped.archives],
        [null, []],
        "all of them are there yet",
      );
      const { file } = await archive(deps, before);
      const { cut, archives, data } = await report(deps, byTag);
      assert.deepEqual([cut?.reason, cut?.from], ["archived", `${before}T00:00:00.000Z`]);
      assert.match(cut!.advice, new RegExp(`before ${before} are archived or deleted`));
      assert.deepEqual(archives, [{ before: `${before}T00:00:00.000Z`, file }]);
      assert.deepEqual(data, []);
      const later = await report(deps, { ...byTag, from: before });
      assert.deepEqual([later.cut, later.archives], [null, []]);
      const sums = await report(deps, { by: ["project"] });
      assert.deepEqual([sums.cut, sums.archives.length], [null, 1]);
      assert.ok(sums.data.length > 0);
    }),
);

Deno.test(
  "a report by tag says that a server's calls are deleted",
  NEEDS_POSTGRES,
  () =>
    withAdmin(async ({ deps, storage, madeAt }) => {
      const beforeMs = madeAt + DAY_MS;
      const pause = () => Promise.resolve();
      const { calls } = await dropOldCalls({ seals: storage.seals!, beforeMs, pause, atOnce: 200 });
      assert.ok(calls > 0);
      const { cut, archives } = await report(deps, { by: ["tag:team"] });
      assert.equal(cut?.reason, "archived");
      const fromMs = Date.parse(cut!.from!);
      assert.ok(fromMs > 0 && fromMs <= beforeMs, cut!.from!);
      assert.match(cut!.advice, /are archived or deleted/);
      assert.deepEqual(archives, []);
      const later = await report(deps, { by: ["tag:team"], from: cut!.from! });
      assert.equal(later.cut, null);
      assert.equal((await report(deps, { by: ["project"] })).cut, null);
    }),
);
