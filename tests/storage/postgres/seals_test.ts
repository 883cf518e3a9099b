/**
 * Seals: which rows get one, what each stands for, and what is found of one that was altered.
 *
 * @module
 */

import assert from "node:assert/strict";
import { checkLedger } from "../../../src/admin/ledger_check/check_ledger.ts";
import { sealOf } from "../../../src/admin/ledger_check/seal_documents.ts";
import { boughtBy } from "../../../src/domain/call.ts";
import type { SealDocument } from "../../../src/domain/seal.ts";
import { priceWork } from "../../../src/pricing/price_work.ts";
import type { LedgerSeals } from "../../../src/storage/ports/seals.ts";
import { LOST, SETTLED } from "../../admin/planted_faults.ts";
import { audited } from "../../conformance/storage_audit_suite.ts";
import {
  commitOne,
  fundProject,
  NOON_ISH,
  sampleCatalogue,
  sampleClosedCall,
} from "../../conformance/storage_samples.ts";
import { openNodes } from "../../support/nodes_of_a_database.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { DAY_MS, type Place, sealerOf, verify, withHistory } from "./sealed_history.ts";

const HOUR_MS = 3_600_000;

const server = postgresOfFile();

function sealed(run: (place: Place, seals: LedgerSeals) => Promise<void>): Promise<void> {
  return withHistory(server, true, (place) => run(place, place.storage.seals!));
}

function unsealed(run: (place: Place, seals: LedgerSeals) => Promise<void>): Promise<void> {
  return withHistory(server, false, (place) => run(place, place.storage.seals!));
}

Deno.test(
  "what is sealed is not read, and comes to the same as what is",
  NEEDS_POSTGRES,
  async () => {
    await sealed(async ({ storage }, seals) => {
      const read: number[] = [];
      const watched = new Proxy(seals, {
        get(target, name: keyof LedgerSeals) {
          const own = target[name];
          if (name !== "read") return typeof own === "function" ? own.bind(target) : own;
          return async (...args: Parameters<LedgerSeals["read"]>) => {
            const found = await target.read(...args);
            read.push(found.rows.length);
            return found;
          };
        },
      });
      const stored = { ...storage, seals: watched };
      const { checked, differences } = await checkLedger(stored);
      assert.deepEqual(differences, []);
      assert.deepEqual(read, [0]);
      const deep = await checkLedger(stored, undefined, { isDeep: true });
      assert.deepEqual(deep, { differences: [], omitted: 0, checked });
      assert.equal(read.reduce((sum, rows) => sum + rows), checked.ledger_rows);
      const { seals: _, ...withoutSeals } = storage;
      const whole = await checkLedger(withoutSeals);
      assert.deepEqual(whole.checked, { ...checked, seals: 0 });
    });
  },
);

Deno.test(
  "a run is sealed once it is full and an hour old, or its day is over",
  NEEDS_POSTGRES,
  async () => {
    await unsealed(async ({ storage, madeAt }, seals) => {
      const rows = (await storage.ledger.slice(0, 100)).length;
      const sealer = sealerOf(storage, 4);
      assert.equal((await sealer.seal(madeAt)).seals, 0);
      const full = await sealer.seal(madeAt + HOUR_MS + 1);
      assert.deepEqual(full.differences, []);
      const list = await seals.list(undefined, 100);
      assert.equal(list.length, full.seals);
      let after = 0;
      for (const { afterSeq, throughSeq } of list) {
        assert.equal(afterSeq, after);
        after = throughSeq;
        // A call's loss is with the row that says how it ended.
        const [next] = await storage.ledger.slice(throughSeq, 1);
        assert.notEqual(next?.kind, "loss");
      }
      assert.ok(rows - after < 4 && after < rows, `${after} of ${rows}`);
      assert.equal((await sealer.seal(madeAt + HOUR_MS + 1)).seals, 0);
      assert.equal((await sealer.seal(madeAt + DAY_MS)).seals, 1);
      assert.equal((await seals.list(undefined, 100)).at(-1)!.throughSeq, rows);
      assert.deepEqual(await verify(storage), []);
    });
  },
);

Deno.test("a run gets one seal, whoever is second", NEEDS_POSTGRES, async () => {
  await unsealed(async ({ storage, madeAt }, seals) => {
    const [one, two] = [sealerOf(storage, 4), sealerOf(storage, 5)];
    const after = madeAt + 2 * DAY_MS;
    await Promise.all([one.seal(after), two.seal(after)]);
    await one.seal(after);
    const list = await seals.list(undefined, 100);
    assert.equal(await seals.put(list[0]!), false);
    assert.equal(list.at(-1)!.throughSeq, (await storage.ledger.slice(0, 100)).length);
    assert.deepEqual(await verify(storage), []);
  });
});

Deno.test("a run with a fault gets no seal, and it says why", NEEDS_POSTGRES, async () => {
  await unsealed(async ({ hand, storage, madeAt }, seals) => {
    await hand.runEach(`UPDATE calls SET request_id = 'x' WHERE call_id = ${SETTLED}`);
    for (let time = 0; time < 2; time++) {
      const { differences } = await sealerOf(storage, 3).seal(madeAt + 2 * DAY_MS);
      assert.deepEqual(differences.map(({ table, id }) => [table, id]), [["calls", "1"]]);
    }
    assert.deepEqual(await seals.list(undefined, 100), []);
  });
});

/** What a hand may do to seals, and what is said of it. */
const SEAL_FAULTS = [
  ["UPDATE ledger_seals SET document = document || ' '", /altered/],
  ["UPDATE ledger_seals SET through_seq = through_seq - 1 WHERE after_seq = 0", /altered/],
  ["UPDATE ledger_seals SET sha256 = repeat('0', 64) WHERE after_seq = 0", /altered/],
  ["DELETE FROM ledger_seals WHERE after_seq = 0", /does not follow/],
] as const;

for (const [sql, why] of SEAL_FAULTS) {
  Deno.test(`a seal proves nothing after ${sql}`, NEEDS_POSTGRES, async () => {
    await sealed(async ({ hand, storage }) => {
      await hand.runEach(sql);
      const differences = await verify(storage);
      assert.deepEqual(differences.map(({ table }) => table), ["ledger_seals"]);
      assert.match(differences[0]!.detail, why);
      // What it stood for is read instead.
      await hand.runEach(`UPDATE calls SET request_id = 'x' WHERE call_id = ${SETTLED}`);
      assert.deepEqual((await verify(storage)).map(({ table }) => table), [
        "ledger_seals",
        "calls",
      ]);
    });
  });
}

Deno.test(
  "rows without their seals are read as if they never had any",
  NEEDS_POSTGRES,
  async () => {
    await sealed(async ({ hand, storage, madeAt }) => {
      await hand.runEach("DELETE FROM ledger_seals WHERE after_seq > 3");
      assert.deepEqual(await verify(storage), []);
      await hand.runEach("DELETE FROM ledger_seals");
      assert.deepEqual(await verify(storage), []);
      assert.ok((await sealerOf(storage, 3).seal(madeAt + 2 * DAY_MS)).seals > 3);
    });
  },
);

Deno.test(
  "what somebody has altered and sealed anew is found by a deep check alone",
  NEEDS_POSTGRES,
  async () => {
    await sealed(async ({ hand, storage }, seals) => {
      await hand.runEach(`UPDATE calls SET cost_e8 = cost_e8 + 1 WHERE call_id = ${SETTLED}`);
      const list = await seals.list(undefined, 100);
      await hand.runEach("DELETE FROM ledger_seals");
      let previous: string | null = null;
      for (const seal of list) {
        const document = JSON.parse(seal.document) as SealDocument;
        const digest = await seals.digest(seal);
        const forged = sealOf({ ...document, digest, previous });
        assert.equal(await seals.put(forged), true);
        previous = forged.sha256;
      }
      assert.deepEqual(await verify(storage), []);
      const found = await verify(storage, true);
      assert.ok(
        found.some(({ table, id, column }) =>
          table === "calls" && id === String(SETTLED) && column === "cost_e8"
        ),
        JSON.stringify(found),
      );
    });
  },
);

const COLUMNS = "project_id, kind, amount_e8, balance_after_e8, call_id, reference, at, checksum";

/** Rows of calls that are sealed, once more at the ledger's end. */
for (
  const [what, where] of [
    ["how a call ended", `call_id = ${SETTLED}`],
    ["what a call lost", `call_id = ${LOST} AND kind = 'loss'`],
  ] as const
) {
  Deno.test(`a row behind the seals that repeats ${what} is found`, NEEDS_POSTGRES, async () => {
    await sealed(async ({ hand, storage }) => {
      await hand.runEach(
        `INSERT INTO ledger (book, seq, ${COLUMNS})
         SELECT book, (SELECT max(seq) + 1 FROM ledger), ${COLUMNS} FROM ledger WHERE ${where}`,
      );
      const { id } = (await storage.ledger.slice(0, 100)).map(({ seq }) => ({ id: String(seq) }))
        .at(-1)!;
      const differences = await verify(storage);
      assert.ok(
        differences.some((found) =>
          found.table === "ledger" && found.id === id && found.column === "call_id"
        ),
        JSON.stringify(differences, undefined, 1),
      );
    });
  });
}

Deno.test("a call without any row is found beside seals", NEEDS_POSTGRES, async () => {
  await sealed(async ({ hand, storage }) => {
    await hand.runEach(
      `CREATE TEMP TABLE one AS SELECT * FROM calls WHERE call_id = ${SETTLED}`,
      "UPDATE one SET call_id = 77",
      "INSERT INTO calls SELECT * FROM one",
    );
    assert.deepEqual(
      (await verify(storage)).map(({ table, id, column }) => [table, id, column]),
      [["calls", "77", "state"]],
    );
  });
});

Deno.test(
  "credits that come after sessions have ended are sealed like any",
  NEEDS_POSTGRES,
  async () => {
    await using nodes = await openNodes(server, { count: 1 });
    const [storage] = nodes.storages;
    await fundProject(storage!, 1_000_000n);
    await storage!.writeSums();
    await storage!.beginSession();
    await storage!.writeSums();
    const references = ["first", "second", "third"];
    for (const reference of references) {
      const credit = { projectId: "acme", amountE8: 5n, reference, at: NOON_ISH };
      assert.ok((await commitOne(storage!, { kind: "credit", ...credit })).ok);
    }
    await storage!.beginSession();
    await storage!.writeSums();
    await sealerOf(storage!, 100).seal(Date.now() + 400 * DAY_MS);
    const seals = await storage!.seals!.list(undefined, 10);
    assert.equal(seals.at(-1)?.throughSeq, 1 + references.length);
  },
);

Deno.test("each node's book is sealed, by the eldest of them", NEEDS_POSTGRES, async () => {
  await using nodes = await openNodes(server, { count: 2 });
  const [first, second] = nodes.storages;
  await fundProject(first!, 1_000_000n);
  await commitOne(first!, {
    ...audited([{ kind: "write_catalogue", catalogue: sampleCatalogue(), at: NOON_ISH }]),
  });
  const { prices } = (await first!.catalogue.load())!.models[0]!.routes[0]!;
  for (const [node, storage] of nodes.storages.entries()) {
    const lease = { kind: "lease", projectId: "acme", needE8: 50_000n, wishE8: 50_000n } as const;
    assert.equal((await commitOne(storage, lease)).ok, true);
    for (let at = 1; at <= 4; at++) {
      const call = sampleClosedCall({ callId: node * 10 + at, heldE8: 10_000n });
      const priced = priceWork(prices, boughtBy(call));
      const closed = { ...call, ...priced, priceVersion: prices.version, chargedE8: priced.saleE8 };
      assert.ok(priced.saleE8 > 0n && priced.saleE8 <= 10_000n);
      assert.equal((await commitOne(storage, { kind: "close", call: closed })).ok, true);
    }
    await storage.writeSums();
  }
  const before = await checkLedger(second!);
  assert.deepEqual(before.differences, []);
  assert.deepEqual(
    [await first!.seals!.isSealer(), await second!.seals!.isSealer()],
    [true, false],
  );
  const { seals, differences } = await sealerOf(first!, 3).seal(NOON_ISH + 2 * DAY_MS);
  assert.deepEqual(differences, []);
  assert.equal(seals, 5);
  const after = await checkLedger(second!);
  assert.deepEqual(after, { ...before, checked: { ...before.checked, seals } });
  await server.ask(nodes.database, "UPDATE ledger SET at = at + 1 WHERE book = 2 AND seq = 2");
  assert.deepEqual(
    (await verify(second!)).map(({ id, column }) => [id, column]),
    [["2/2", "at"], ["2/2", null]],
  );
});
