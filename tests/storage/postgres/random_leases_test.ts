/**
 * Several nodes do at the same time whatever comes, and now and then one dies: after each round the
 * books, the leases and the open calls of all of them add up to what was credited.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Entry, EntryResult } from "../../../src/storage/ports/entry.ts";
import {
  openPostgresStorage,
  type PostgresStorage,
} from "../../../src/storage/postgres/postgres_storage.ts";
import { audited } from "../../conformance/storage_audit_suite.ts";
import {
  commitOne,
  fundProject,
  NOON_ISH,
  sampleClosedCall,
  sampleOpenCall,
} from "../../conformance/storage_samples.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { SeededRandom } from "../../support/seeded_random.ts";

const NODES = 3;
const ROUNDS = 10;
const STEPS = 15;
const FUNDS = 2_000n;

/** What is wrong of all that is stored, in one moment; nothing when it adds up. */
const WRONG = `WITH booked AS (
    SELECT sum(CASE kind WHEN 'credit' THEN amount_e8 WHEN 'settle' THEN -amount_e8 ELSE 0 END) AS e8
    FROM ledger),
  last_rows AS (
    SELECT sum(balance_after_e8) AS e8 FROM (
      SELECT DISTINCT ON (book) balance_after_e8 FROM ledger ORDER BY book, seq DESC) AS one),
  leased AS (
    SELECT coalesce(sum(left_e8), 0) AS left_e8, coalesce(sum(held_e8), 0) AS held_e8 FROM leases),
  opened AS (SELECT coalesce(sum(held_e8), 0) AS e8 FROM calls WHERE state = 'open'),
  gaps AS (
    SELECT count(*) AS n FROM (
      SELECT count(*) AS rows, max(seq) AS last FROM ledger GROUP BY book) AS one
    WHERE rows <> last)
  SELECT concat_ws('; ',
    CASE WHEN avail_e8 + projects.held_e8 + leased.left_e8 + leased.held_e8 <> booked.e8
      THEN 'balances are not what is booked' END,
    CASE WHEN booked.e8 <> last_rows.e8 THEN 'a book does not add up' END,
    CASE WHEN projects.held_e8 + leased.held_e8 <> opened.e8 THEN 'holds are not open calls' END,
    CASE WHEN gaps.n > 0 THEN 'a book has a gap' END)
  FROM projects, booked, last_rows, leased, opened, gaps`;

const server = postgresOfFile();

/** A node, and what it knows of its own money, as the ledger of a process does. */
class RandomNode {
  /** What its lease has left. */
  left = 0n;
  charged = 0n;
  readonly #storage: PostgresStorage;
  readonly #random: SeededRandom;
  readonly #open: { readonly callId: number; readonly heldE8: bigint }[] = [];
  readonly #nextId: () => number;

  constructor(storage: PostgresStorage, random: SeededRandom, nextId: () => number) {
    this.#storage = storage;
    this.#random = random;
    this.#nextId = nextId;
  }

  /** One batch of entries of all kinds; each result is what it must be. */
  async step(): Promise<void> {
    const asked = this.#random.integer(0, 4);
    if (asked === 0) return await this.#lease();
    if (asked === 1) return await this.#giveBack();
    const entries: Entry[] = [];
    const expected: boolean[] = [];
    for (let count = this.#random.integer(1, 6); count > 0; count--) this.#add(entries, expected);
    const results = await this.#storage.commitBatch(entries);
    assert.deepEqual(results.map(({ ok }) => ok), expected, JSON.stringify(results, asText));
  }

  async #lease(): Promise<void> {
    const needE8 = BigInt(this.#random.integer(1, 400));
    const wishE8 = needE8 * BigInt(this.#random.integer(1, 5));
    const result = await commitOne(this.#storage, {
      ...{ kind: "lease", projectId: "acme", needE8, wishE8 },
    });
    this.left += leasedE8(result);
  }

  async #giveBack(): Promise<void> {
    const isTooMuch = this.#random.chance(0.2);
    const amountE8 = isTooMuch ? this.left + 1n : BigInt(
      this.#random.integer(0, Number(this.left)),
    );
    const result = await commitOne(this.#storage, {
      ...{ kind: "give_back", projectId: "acme", amountE8 },
    });
    assert.equal(result.ok, !isTooMuch, JSON.stringify(result, asText));
    if (!isTooMuch) this.left -= amountE8;
  }

  #add(entries: Entry[], expected: boolean[]): void {
    const mine = this.#open.length > 0 && this.#random.chance(0.5);
    if (!mine) {
      const heldE8 = BigInt(this.#random.integer(1, 200));
      const callId = this.#nextId();
      entries.push({
        kind: "hold",
        call: sampleOpenCall({ callId, requestId: `r${callId}`, heldE8 }),
      });
      expected.push(heldE8 <= this.left);
      if (heldE8 > this.left) return;
      this.left -= heldE8;
      this.#open.push({ callId, heldE8 });
      return;
    }
    const [{ callId, heldE8 }] = this.#open.splice(
      this.#random.integer(0, this.#open.length - 1),
      1,
    ) as [{ readonly callId: number; readonly heldE8: bigint }];
    const chargedE8 = BigInt(this.#random.integer(0, Number(heldE8)));
    entries.push({
      kind: "close",
      call: sampleClosedCall({
        ...{ callId, requestId: `r${callId}`, heldE8, chargedE8 },
        ...{ saleE8: chargedE8, lossE8: 0n },
      }),
    });
    expected.push(true);
    this.left += heldE8 - chargedE8;
    this.charged += chargedE8;
  }
}

function leasedE8(result: EntryResult): bigint {
  assert.ok(result.ok && result.leased !== undefined, JSON.stringify(result, asText));
  return result.leased.amountE8;
}

function asText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

Deno.test(
  "whatever nodes do at the same time, and whichever dies, all of it adds up to what was credited",
  NEEDS_POSTGRES,
  async () => {
    const seed = Number(Deno.env.get("TOLLGATE_TEST_SEED") ?? 1);
    const random = new SeededRandom(seed, "leases");
    await server.create("random_leases");
    let lastId = 0;
    const open = async (number: number) => {
      const storage = await openPostgresStorage({
        url: server.url("random_leases"),
        identity: { node: `n${number}`, label: `node ${number}` },
        beatMs: 50,
      });
      await storage.beginSession();
      return storage;
    };
    const storages = await Promise.all(Array.from({ length: NODES }, (_, at) => open(at)));
    try {
      await fundProject(storages[0]!, FUNDS);
      const nodes = storages.map((storage, at) =>
        new RandomNode(storage, random.of(`node ${at}`), () => ++lastId)
      );
      let charged = 0n;
      let credited = FUNDS;
      for (let round = 0; round < ROUNDS; round++) {
        await Promise.all(nodes.map(async (node) => {
          for (let step = 0; step < STEPS; step++) await node.step();
        }));
        assert.equal(
          await server.ask("random_leases", WRONG),
          "",
          `round ${round} of seed ${seed}`,
        );
        if (random.chance(0.3)) {
          const amountE8 = BigInt(random.integer(1, 1_000));
          const credit = { kind: "credit", projectId: "acme", amountE8, at: NOON_ISH } as const;
          const result = await commitOne(
            random.pick(storages),
            audited([{ ...credit, reference: undefined }]),
          );
          assert.equal(result.ok, true);
          credited += amountE8;
        }
        if (!random.chance(0.3)) continue;
        const dead = random.integer(0, NODES - 1);
        charged += nodes[dead]!.charged;
        await server.ask(
          "random_leases",
          `UPDATE node_sessions SET state = 'dead' WHERE state = 'live' AND node = 'n${dead}'`,
        );
        const late = await commitOne(storages[dead]!, {
          ...{ kind: "lease", projectId: "acme", needE8: 1n, wishE8: 1n },
        });
        assert.equal(late.ok, false, "who was taken for dead leases something");
        await storages[dead]!.close();
        storages[dead] = await open(dead);
        nodes[dead] = new RandomNode(storages[dead], random.of(`${round} ${dead}`), () => ++lastId);
        assert.equal(
          await server.ask("random_leases", WRONG),
          "",
          `death ${round} of seed ${seed}`,
        );
      }
      for (const node of nodes) charged += node.charged;
      const booked = await server.ask(
        "random_leases",
        "SELECT sum(balance_after_e8) FROM (SELECT DISTINCT ON (book) balance_after_e8 FROM ledger ORDER BY book, seq DESC) AS one",
      );
      assert.equal(BigInt(booked), credited - charged);
    } finally {
      await Promise.all(storages.map((storage) => storage.close()));
    }
  },
);
