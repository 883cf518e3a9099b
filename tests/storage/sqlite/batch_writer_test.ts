import assert from "node:assert/strict";
import type { ClosedCall, OpenCall } from "../../../src/domain/call.ts";
import type { Entry } from "../../../src/storage/ports/entry.ts";
import type { Storage } from "../../../src/storage/ports/storage.ts";
import { workOfTokens } from "../../../src/domain/work.ts";
import { openDatabase } from "../../../src/storage/sqlite/database.ts";
import { createSqliteStorage } from "../../../src/storage/sqlite/sqlite_storage.ts";
import { createStores } from "../../../src/storage/sqlite/stores.ts";
import {
  acmeBalance,
  commitOne,
  fundProject,
  NOON_ISH,
  sampleCatalogue,
  sampleClosedCall,
  sampleOpenCall,
  sampleProject,
  words,
} from "../../conformance/storage_samples.ts";
import { withDatabasePath, withRawDatabase } from "./temporary_database.ts";

const FUNDS = 1_000_000n;

async function withFundedStorage(
  run: (storage: Storage, path: string) => Promise<void>,
): Promise<void> {
  await withDatabasePath(async (path) => {
    const storage = createSqliteStorage(path);
    await storage.commitBatch([{ kind: "write_catalogue", catalogue: sampleCatalogue(), at: 0 }]);
    await fundProject(storage, FUNDS);
    await run(storage, path);
    await storage.close();
  });
}

/** What verifying finds of rows whose columns are not those of their checksum, by table. */
async function alteredRows(storage: Storage): Promise<readonly unknown[]> {
  const altered = [];
  for (const table of ["calls", "ledger"] as const) {
    altered.push(...(await storage.ledger.alteredRows(table, 0, 1_000)).altered);
  }
  return altered;
}

/** A call as most are: of tokens, without a loss. */
function usualCall(changes: Partial<ClosedCall> = {}): ClosedCall {
  const usage = { promptTokens: 10, completionTokens: 5, cachedTokens: 4 };
  return sampleClosedCall({
    work: workOfTokens({ ...usage, cacheWriteTokens: 0, reasoningTokens: 0 }),
    heldE8: 100n,
    chargedE8: 30n,
    lossE8: 0n,
    errorCode: undefined,
    ...changes,
  });
}

const CALLS: { readonly [name: string]: Partial<ClosedCall> } = {
  "as most are": {},
  "with a loss": { lossE8: 7n },
  "that was free": { heldE8: 0n, chargedE8: 0n, unlimited: true },
  "with tokens written to a cache": sampleClosedCall({ heldE8: 100n, chargedE8: 30n, lossE8: 0n }),
  "of images": { work: { input: 0, output: 0, image: 2 } },
  "that failed": {
    state: "released",
    result: "upstream_failed",
    chargedE8: 0n,
    errorCode: "upstream_error",
  },
  "with tags": { tags: { team: "blue" } },
  "of a film": {
    capability: "videos",
    video: { size: "1280x720", seconds: 8 },
    work: { input: 0, output: 0 },
  },
};

for (const [name, changes] of Object.entries(CALLS)) {
  Deno.test(`a call ${name} is stored alike at once and after its hold, with a checksum that fits`, async () => {
    await withFundedStorage(async (storage) => {
      const atOnce = usualCall({ ...changes, callId: 1 });
      const held = { ...atOnce, callId: 2 };
      const hold: OpenCall = { ...sampleOpenCall(), ...openPart(held) };
      const results = [
        await commitOne(storage, { kind: "close", call: atOnce }),
        await commitOne(storage, { kind: "hold", call: hold }),
      ];
      assert.deepEqual(await storage.calls.find(2), { ...hold, state: "open" });
      assert.deepEqual(await alteredRows(storage), []);
      results.push(await commitOne(storage, { kind: "close", call: held }));
      assert.deepEqual(words(results), ["ok", "ok", "ok"]);

      const first = await storage.calls.find(1);
      assert.deepEqual(first, atOnce);
      assert.deepEqual(await storage.calls.find(2), { ...first, callId: 2 });
      assert.deepEqual(await alteredRows(storage), []);
    });
  });
}

/** What is known of a call while it is open. */
function openPart(call: ClosedCall): Partial<OpenCall> {
  const { capability, heldE8, unlimited, callId } = call;
  return {
    callId,
    capability,
    heldE8,
    unlimited,
    ...(call.tags !== undefined && { tags: call.tags }),
    ...(call.video !== undefined && { video: call.video }),
  };
}

const CHANGED: { readonly [what: string]: Partial<ClosedCall> } = {
  "another request": { requestId: "req_other" },
  "another key": { keyId: "key_other" },
  "another capability": { capability: "responses" },
  "another model": { model: "other" },
  "another provider": { provider: "b" },
  "another route": { route: "b/small" },
  "another price version": { priceVersion: 9 },
  "another shape": { stream: true },
  "another beginning": { openedAt: NOON_ISH - 7 },
};

for (const [what, changes] of Object.entries(CHANGED)) {
  Deno.test(`a call that ends with ${what} than its hold says is stored as it ended`, async () => {
    await withFundedStorage(async (storage) => {
      const ended = usualCall({ callId: 1, ...changes });
      const hold = sampleOpenCall({ callId: 1, heldE8: ended.heldE8, stream: false });
      await commitOne(storage, { kind: "hold", call: hold });
      assert.deepEqual(words([await commitOne(storage, { kind: "close", call: ended })]), ["ok"]);
      assert.deepEqual(await storage.calls.find(1), ended);
      assert.deepEqual(await alteredRows(storage), []);
    });
  });
}

Deno.test("a call that ends without the tags of its hold is stored without", async () => {
  await withFundedStorage(async (storage) => {
    const ended = usualCall({ callId: 1 });
    const hold = sampleOpenCall({ callId: 1, heldE8: ended.heldE8, tags: { team: "blue" } });
    await commitOne(storage, { kind: "hold", call: hold });
    await commitOne(storage, { kind: "close", call: ended });
    assert.deepEqual(await storage.calls.find(1), ended);
    assert.deepEqual(await alteredRows(storage), []);
  });
});

Deno.test("a call's move that no disk had room for is not taken for written", async () => {
  await withDatabasePath((path) => {
    const database = openDatabase(path);
    const storage = createStores(database, path);
    const project = sampleProject();
    const funds = { projectId: project.id, amountE8: FUNDS, reference: undefined, at: NOON_ISH };
    storage.commitBatch([{ kind: "create_project", project }, { kind: "credit", ...funds }]);
    const ended = usualCall({ callId: 1, route: "b/small" });
    const hold = sampleOpenCall({ callId: 1, heldE8: ended.heldE8, stream: ended.stream });
    storage.commitBatch([{ kind: "hold", call: hold }]);

    const { page_count: pages } = database.prepare("PRAGMA page_count").get()!;
    database.exec(`PRAGMA max_page_count = ${pages}`);
    const others = Array.from({ length: 200 }, (_, index): Entry => ({
      kind: "close",
      call: usualCall({ callId: 2 + index }),
    }));
    const move: Entry = { kind: "rehold", call: { ...hold, route: "b/small" } };
    assert.deepEqual(new Set(words(storage.commitBatch([move, ...others]))), new Set(["full"]));
    database.exec("PRAGMA max_page_count = 1000000");

    storage.commitBatch([{ kind: "close", call: ended }]);
    assert.deepEqual(storage.calls.find(1), ended);
    assert.deepEqual(storage.ledger.alteredRows("calls", 0, 10).altered, []);
    storage.close();
  });
});

for (const calls of [1, 3, 4, 5, 15, 16, 17, 39]) {
  Deno.test(`a batch of ${calls} calls and credits has its rows of the ledger in their order`, async () => {
    await withFundedStorage(async (storage) => {
      const before = (await storage.ledger.slice(0, 10)).length;
      const entries: Entry[] = [];
      let balance = FUNDS;
      const expected: (readonly [string, bigint, bigint])[] = [];
      for (let callId = 1; callId <= calls; callId++) {
        const lossE8 = callId % 3 === 0 ? 5n : 0n;
        entries.push({ kind: "close", call: usualCall({ callId, lossE8 }) });
        expected.push(["settle", 30n, balance -= 30n]);
        if (lossE8 > 0n) expected.push(["loss", 5n, balance]);
        if (callId % 7 !== 0) continue;
        // Twice: the second one finds the first one's row.
        const reference = `order ${callId}`;
        const credit = {
          kind: "credit",
          projectId: "acme",
          amountE8: 1_000n,
          at: NOON_ISH,
        } as const;
        entries.push({ ...credit, reference }, { ...credit, reference });
        expected.push(["credit", 1_000n, balance += 1_000n]);
      }
      const results = words(await storage.commitBatch(entries));
      assert.deepEqual(results.filter((word) => word !== "ok" && word !== "repeated"), []);
      assert.equal(results.filter((word) => word === "repeated").length, Math.floor(calls / 7));

      const rows = (await storage.ledger.slice(0, 1_000)).slice(before);
      assert.deepEqual(
        rows.map(({ kind, amountE8, balanceAfterE8 }) => [kind, amountE8, balanceAfterE8]),
        expected,
      );
      assert.deepEqual(rows.map(({ seq }) => seq), rows.map((_, index) => before + 1 + index));
      assert.deepEqual(await acmeBalance(storage), { avail: balance, held: 0n });
      assert.deepEqual(await alteredRows(storage), []);
    });
  });
}

Deno.test("a balance that an operator's shell has changed meanwhile is the one that goes on", async () => {
  await withFundedStorage(async (storage, path) => {
    await commitOne(storage, { kind: "close", call: usualCall({ callId: 1 }) });
    await withRawDatabase(path, (database) => {
      database.exec("UPDATE projects SET avail_e8 = 5000 WHERE id = 'acme'");
    });
    const close = (callId: number) =>
      commitOne(storage, { kind: "close", call: usualCall({ callId }) });
    assert.deepEqual(words([await close(2), await close(3)]), ["ok", "ok"]);
    assert.deepEqual(await acmeBalance(storage), { avail: 4_940n, held: 0n });
  });
});

Deno.test("an entry that its table refuses leaves the balances and the numbers of the others right", async () => {
  await withFundedStorage(async (storage) => {
    const close = (changes: Partial<ClosedCall>): Entry => ({
      kind: "close",
      call: usualCall(changes),
    });
    const results = await storage.commitBatch([
      close({ callId: 1 }),
      // Charged more than was held: a constraint's error.
      close({ callId: 2, heldE8: 10n, chargedE8: 30n }),
      close({ callId: 3 }),
    ]);
    assert.deepEqual(results.map(({ ok }) => ok), [true, false, true]);
    await storage.commitBatch([close({ callId: 4 })]);

    assert.deepEqual(await acmeBalance(storage), { avail: FUNDS - 90n, held: 0n });
    const rows = (await storage.ledger.slice(0, 100)).slice(1);
    assert.deepEqual(rows.map(({ seq, callId }) => [seq, callId]), [[2, 1], [3, 3], [4, 4]]);
    assert.deepEqual(rows.map(({ balanceAfterE8 }) => balanceAfterE8), [
      FUNDS - 30n,
      FUNDS - 60n,
      FUNDS - 90n,
    ]);
  });
});

Deno.test("a batch for more projects than are remembered moves the balance of each", async () => {
  await withFundedStorage(async (storage) => {
    const ids = Array.from({ length: 10_050 }, (_, index) => `p${index}`);
    const create = ids.map((id): Entry => ({
      kind: "create_project",
      project: sampleProject({ id }),
    }));
    const credit = ids.map((projectId): Entry => ({
      kind: "credit",
      projectId,
      amountE8: 100n,
      reference: undefined,
      at: NOON_ISH,
    }));
    await storage.commitBatch(create);
    for (let turn = 0; turn < 2; turn++) {
      const results = await storage.commitBatch(credit);
      assert.equal(results.every(({ ok }) => ok), true);
    }
    const balances = new Map(
      (await storage.accounts.loadBalances()).map((one) => [one.projectId, one]),
    );
    assert.deepEqual(ids.filter((id) => balances.get(id)?.avail !== 200n), []);
  });
});
