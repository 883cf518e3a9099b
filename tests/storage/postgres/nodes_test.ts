/**
 * Several nodes over one database: each has leases of balances and a book of the ledger to itself, and
 * together they never have more than there is.
 *
 * @module
 */

import assert from "node:assert/strict";
import { checkLedger } from "../../../src/admin/ledger_check/check_ledger.ts";
import type { UploadedFile } from "../../../src/domain/uploaded_file.ts";
import type { Entry, EntryResult, MostOpenTasks } from "../../../src/storage/ports/entry.ts";
import {
  openPostgresStorage,
  type PostgresStorage,
} from "../../../src/storage/postgres/postgres_storage.ts";
import {
  commitOne,
  fundProject,
  sampleClosedCall,
  sampleOpenCall,
  sampleProject,
} from "../../conformance/storage_samples.ts";
import { createEntry, sampleTask } from "../../conformance/storage_video_samples.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { until } from "../../support/until.ts";

const server = postgresOfFile({ isSynced: true });
let databases = 0;

/** Nodes of a new database, which are closed at the end. */
async function withNodes(
  count: number,
  run: (nodes: readonly PostgresStorage[], database: string) => Promise<void>,
  { reapMs = 60_000 } = {},
): Promise<void> {
  const database = `nodes_${++databases}`;
  await server.create(database);
  const nodes: PostgresStorage[] = [];
  try {
    for (let at = 0; at < count; at++) {
      const identity = { node: `n${at}`, label: `node ${at}` };
      const options = { identity, beatMs: 20, reapMs };
      nodes.push(await openPostgresStorage({ url: server.url(database), ...options }));
      await nodes[at]!.beginSession();
    }
    await run(nodes, database);
  } finally {
    for (const node of nodes) await node.close();
  }
}

/** What is stored adds up: books, leases, pools and open calls. */
async function addsUp(node: PostgresStorage): Promise<void> {
  const { differences } = await checkLedger(node);
  // The samples are priced by nothing that is stored.
  assert.deepEqual(differences.filter(({ column }) => column !== "price_version"), []);
}

function lease(needE8: bigint, wishE8 = needE8): Entry {
  return { kind: "lease", projectId: "acme", needE8, wishE8 };
}

function leasedBy(result: EntryResult): readonly [bigint, bigint, bigint] | string {
  if (!result.ok || result.leased === undefined) return "none";
  const { amountE8, freeE8, elsewhereE8 } = result.leased;
  return [amountE8, freeE8, elsewhereE8];
}

Deno.test(
  "a balance is leased once: what one node has no other gets, and what it gives back others do",
  NEEDS_POSTGRES,
  () =>
    withNodes(2, async ([first, second]) => {
      await fundProject(first!, 1_000n);
      assert.deepEqual(leasedBy(await commitOne(first!, lease(100n, 10_000n))), [250n, 750n, 0n]);
      assert.deepEqual(leasedBy(await commitOne(second!, lease(700n))), [700n, 50n, 250n]);
      assert.deepEqual(leasedBy(await commitOne(first!, lease(51n))), [0n, 50n, 700n]);
      assert.deepEqual(leasedBy(await commitOne(first!, lease(50n))), [50n, 0n, 700n]);
      const tooMuch = { kind: "give_back", projectId: "acme", amountE8: 701n } as const;
      const refused = await commitOne(second!, tooMuch);
      assert.equal(!refused.ok && refused.reason, "conflict");
      assert.equal((await commitOne(second!, { ...tooMuch, amountE8: 700n })).ok, true);
      assert.deepEqual(leasedBy(await commitOne(first!, lease(700n))), [700n, 0n, 0n]);
      assert.deepEqual(await second!.accounts.loadBalances(), [
        { projectId: "acme", avail: 1_000n, held: 0n },
      ]);
      await addsUp(first!);
    }),
);

Deno.test(
  "a node holds out of its own lease alone, and writes a book of its own",
  NEEDS_POSTGRES,
  () =>
    withNodes(2, async ([first, second]) => {
      await fundProject(first!, 1_000n);
      const call = sampleOpenCall({ callId: 7, heldE8: 100n });
      const without = await commitOne(second!, { kind: "hold", call });
      assert.equal(!without.ok && without.reason, "conflict");
      await commitOne(second!, lease(100n));
      assert.equal((await commitOne(second!, { kind: "hold", call })).ok, true);
      assert.deepEqual(await first!.accounts.balances(["acme"]), [
        { projectId: "acme", avail: 900n, held: 100n },
      ]);
      await addsUp(first!);
      const closed = sampleClosedCall({ callId: 7, heldE8: 100n, saleE8: 60n, chargedE8: 60n });
      assert.equal((await commitOne(second!, { kind: "close", call: closed })).ok, true);
      const [, own] = await first!.ledger.books();
      const rows = await first!.ledger.slice(0, 10, own);
      assert.deepEqual(
        rows.map(({ kind, amountE8, balanceAfterE8 }) => [kind, amountE8, balanceAfterE8]),
        [
          ["settle", 60n, -60n],
        ],
      );
      assert.deepEqual(await first!.accounts.balances(["acme"]), [
        { projectId: "acme", avail: 940n, held: 0n },
      ]);
      assert.deepEqual(await first!.accounts.lastBalances(), [{
        projectId: "acme",
        totalE8: 940n,
      }]);
      // Reports have the calls of all nodes.
      await second!.writeSums();
      assert.equal((await first!.calls.usageReport({ groupBy: [] })).lines[0]!.calls, 1);
      await addsUp(first!);
    }),
);

Deno.test(
  "what a node leaves that dies goes back, is another's to close, and is counted once",
  NEEDS_POSTGRES,
  () =>
    withNodes(2, async ([first, second], database) => {
      await fundProject(first!, 1_000n);
      await commitOne(second!, lease(300n));
      for (const callId of [7, 8]) {
        await commitOne(second!, { kind: "hold", call: sampleOpenCall({ callId, heldE8: 100n }) });
      }
      const one = sampleClosedCall({ callId: 7, heldE8: 100n, saleE8: 60n, chargedE8: 60n });
      await commitOne(second!, { kind: "close", call: one });
      const ended: number[] = [];
      first!.nodes.follow({ onEnded: (sessions) => ended.push(...sessions) });
      // It beats no more, as one that was killed or stands still.
      await server.ask(
        database,
        `DELETE FROM node_beats WHERE session_id = (SELECT max(session_id) FROM node_sessions)`,
      );
      await until("its end", () => ended.length === 1);
      const [session] = ended;
      assert.equal(first!.nodes.hasEnded(session!), true);
      assert.deepEqual(await first!.accounts.balances(["acme"]), [
        { projectId: "acme", avail: 840n, held: 100n },
      ]);
      await addsUp(first!);
      const late = await commitOne(second!, lease(10n));
      assert.equal(!late.ok && late.reason, "unavailable");
      const [left] = await first!.calls.abandonedCalls(session!, 10);
      assert.equal(left!.callId, 8);
      const released = sampleClosedCall({
        callId: 8,
        heldE8: 100n,
        state: "released",
        chargedE8: 0n,
        saleE8: 0n,
        costE8: 0n,
        lossE8: 0n,
      });
      assert.equal((await commitOne(first!, { kind: "close", call: released })).ok, true);
      assert.deepEqual(await first!.accounts.balances(["acme"]), [
        { projectId: "acme", avail: 940n, held: 0n },
      ]);
      await first!.writeSums();
      assert.equal((await first!.calls.usageReport({ groupBy: [] })).lines[0]!.calls, 2);
      await addsUp(first!);
    }, { reapMs: 3_000 }),
);

Deno.test(
  "who finds too little has others asked for what they do not need",
  NEEDS_POSTGRES,
  () =>
    withNodes(2, async ([first, second]) => {
      await fundProject(first!, 100n);
      await commitOne(second!, lease(100n));
      const wanted: string[] = [];
      second!.nodes.follow({ onWanted: (ids) => wanted.push(...ids) });
      assert.deepEqual(leasedBy(await commitOne(first!, lease(60n))), [0n, 0n, 100n]);
      await until("the question", () => wanted.includes("acme"));
    }),
);

Deno.test(
  "a batch locks the balances that it moves in their order, whatever the order of its entries",
  NEEDS_POSTGRES,
  () =>
    withNodes(1, async ([node], database) => {
      await fundProject(node!, 1_000n);
      const credit = (projectId: string, reference: string): Entry => {
        return { kind: "credit", projectId, amountE8: 100n, reference, at: 1 };
      };
      const project = sampleProject({ id: "other" });
      assert.equal((await commitOne(node!, { kind: "create_project", project })).ok, true);
      assert.equal((await commitOne(node!, credit("other", "first"))).ok, true);
      const locker = server.ask(
        database,
        "BEGIN; SELECT 1 FROM projects WHERE id = 'acme' FOR UPDATE; SELECT pg_sleep(600)",
      ).catch(() => "it was ended");
      const backends = "FROM pg_stat_activity WHERE datname = current_database() AND ";
      const untilOne = (what: string) =>
        until(
          `a backend with ${what}`,
          async () => await server.ask(database, `SELECT count(*) ${backends}${what}`) === "1",
        );
      await untilOne("wait_event = 'PgSleep'");
      const leased = { kind: "lease", projectId: "other", needE8: 1n, wishE8: 1n } as const;
      const written = node!.commitBatch([leased, credit("acme", "second")]);
      await untilOne("wait_event_type = 'Lock'");
      const free = await server.ask(database, "SELECT id FROM projects FOR UPDATE SKIP LOCKED");
      await server.ask(
        database,
        `SELECT pg_terminate_backend(pid) ${backends}wait_event = 'PgSleep'`,
      );
      assert.equal(await locker, "it was ended");
      assert.deepEqual((await written).map(({ ok }) => ok), [true, true]);
      assert.equal(free, "other");
    }),
);

Deno.test(
  "nodes that create films at once have no more unfinished ones of a project or key than it may",
  NEEDS_POSTGRES,
  async () => {
    await withNodes(3, async (nodes) => {
      await fundProject(nodes[0]!, 1_000_000_000n);
      await Promise.all(nodes.map((node) => commitOne(node, lease(100_000_000n))));
      let films = 0;
      const create = async (
        node: PostgresStorage,
        { keyId, mostOpen }: { readonly keyId: string; readonly mostOpen: MostOpenTasks },
      ) => {
        const task = sampleTask({ callId: ++films, keyId });
        const entry = { ...createEntry(task, { heldE8: 1_000n }), mostOpen } as Entry;
        const result = await commitOne(node, entry);
        return result.ok ? "created" : result.openTasksOf ?? result.message;
      };
      const createAll = async (wish: Parameters<typeof create>[1], each: number) => {
        const all = nodes.flatMap((node) => Array.from({ length: each }, () => create(node, wish)));
        return Object.groupBy(await Promise.all(all), (result) => result);
      };
      const ofKey = await createAll({ keyId: "k1", mostOpen: { project: 10, key: 4 } }, 3);
      assert.deepEqual([ofKey.created?.length, ofKey.key?.length], [4, 5]);
      const ofProject = await createAll({ keyId: "k2", mostOpen: { project: 10 } }, 3);
      assert.deepEqual([ofProject.created?.length, ofProject.project?.length], [6, 3]);
      const unlimited = await createAll({ keyId: "k2", mostOpen: {} }, 1);
      assert.deepEqual(Object.keys(unlimited), ["created"]);
      await addsUp(nodes[0]!);
    });
  },
);

Deno.test(
  "nodes that keep files at once keep no more bytes of a project than it may",
  NEEDS_POSTGRES,
  async () => {
    await withNodes(3, async (nodes) => {
      await fundProject(nodes[0]!, 1_000n);
      let files = 0;
      const keep = (node: PostgresStorage) => {
        const id = `file-${String.fromCharCode(97 + files++).repeat(26)}`;
        const file: UploadedFile = {
          ...{ id, projectId: "acme", purpose: "batch", filename: "asked.jsonl", bytes: 40 },
          ...{ sha256: "0".repeat(64), createdAt: 1, expiresAt: undefined },
        };
        return commitOne(node, { kind: "create_upload", file, mostBytes: 299 });
      };
      const results = await Promise.all(
        nodes.flatMap((node) => Array.from({ length: 5 }, () => keep(node))),
      );
      const refused = results.filter((result) => !result.ok && result.isOverQuota === true);
      assert.deepEqual([results.filter(({ ok }) => ok).length, refused.length], [7, 8]);
      assert.equal(await nodes[0]!.sharedBatches.fileBytes("acme", 299), 280);
    });
  },
);
