/**
 * A check of a sealed ledger beside what goes on with it: runs are sealed, and calls deleted, while it
 * reads.
 *
 * @module
 */

import assert from "node:assert/strict";
import { checkLedger } from "../../../src/admin/ledger_check/check_ledger.ts";
import { dropOldCalls } from "../../../src/admin/ledger_check/drop_old_calls.ts";
import { sealOf } from "../../../src/admin/ledger_check/seal_documents.ts";
import type { SealDocument } from "../../../src/domain/seal.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { DAY_MS, type Place, verify, withHistory } from "./sealed_history.ts";

const server = postgresOfFile();

/** The same with some methods replaced. */
function instead<Store extends object>(store: Store, replaced: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name in replaced) return replaced[name as keyof Store];
      const own = target[name as keyof Store];
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

function drop({ storage, madeAt }: Place) {
  const pause = () => Promise.resolve();
  return dropOldCalls({ seals: storage.seals!, beforeMs: madeAt + DAY_MS, pause });
}

Deno.test(
  "runs that are covered and sealed after it began are counted once",
  NEEDS_POSTGRES,
  async () => {
    await withHistory(server, true, async ({ storage }) => {
      let looks = 0;
      const sums = instead(storage.sums, {
        covered: () => ++looks === 1 ? Promise.resolve([]) : storage.sums.covered(),
      });
      assert.deepEqual((await checkLedger({ ...storage, sums })).differences, []);
      assert.ok(looks > 0);
    });
  },
);

Deno.test("calls that are deleted behind it are missed by nobody", NEEDS_POSTGRES, async () => {
  await withHistory(server, true, async (place) => {
    const { storage } = place;
    let deleted = 0;
    const seals = instead(storage.seals!, {
      async lots(sealed) {
        deleted += (await drop(place)).calls;
        return await storage.seals!.lots(sealed);
      },
    });
    assert.deepEqual((await checkLedger({ ...storage, seals })).differences, []);
    assert.ok(deleted > 0);
    assert.deepEqual(await verify(storage), []);
  });
});

Deno.test(
  "calls that are deleted as it is about to read them are missed by nobody",
  NEEDS_POSTGRES,
  async () => {
    await withHistory(server, true, async (place) => {
      const { storage } = place;
      let looks = 0;
      const seals = instead(storage.seals!, {
        async digest(run) {
          const digest = await storage.seals!.digest(run);
          if (++looks === 2) assert.ok((await drop(place)).calls > 0);
          return digest;
        },
      });
      const found = await checkLedger({ ...storage, seals }, undefined, { isDeep: true });
      assert.deepEqual(found.differences, []);
      assert.deepEqual(await verify(storage, true), []);
    });
  },
);

Deno.test(
  "a seal over other columns, by another version, has its rows read and is no fault",
  NEEDS_POSTGRES,
  async () => {
    await withHistory(server, true, async ({ storage, hand }) => {
      const [first, ...others] = await storage.seals!.list(undefined, 100);
      const document = JSON.parse(first!.document) as SealDocument;
      const foreign = sealOf({ ...document, digest: document.digest.replace(/^1:/, "2:") });
      await hand.run("DELETE FROM ledger_seals WHERE book >= $1", [0]);
      await storage.seals!.put(foreign);
      assert.ok(others.length > 0);
      assert.deepEqual(await verify(storage), []);
      // One by this version that does not fit is one.
      await hand.run("DELETE FROM ledger_seals WHERE book >= $1", [0]);
      await storage.seals!.put(sealOf({ ...document, digest: `1:${"0".repeat(32)}` }));
      assert.match((await verify(storage))[0]!.detail, /are not those that were sealed/);
    });
  },
);
