/**
 * The configuration as several nodes change it in one database: its version, what each of them reads of
 * what the others have done, and decisions that others have overtaken.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { ConfigurationNews } from "../../../src/storage/ports/configuration.ts";
import type { AuditedEntry, EntryResult } from "../../../src/storage/ports/entry.ts";
import {
  openPostgresStorage,
  type PostgresStorage,
} from "../../../src/storage/postgres/postgres_storage.ts";
import { audited } from "../../conformance/storage_audit_suite.ts";
import {
  commitOne,
  NOON_ISH,
  sampleCatalogue,
  sampleKey,
  sampleProject,
  words,
} from "../../conformance/storage_samples.ts";
import { openNodes } from "../../support/nodes_of_a_database.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { until } from "../../support/until.ts";

const server = postgresOfFile();

async function withNodes(
  count: number,
  run: (...nodes: readonly PostgresStorage[]) => Promise<void>,
  listens?: boolean,
): Promise<void> {
  await using nodes = await openNodes(server, { count, listens });
  await run(...nodes.storages);
}

function makeProject(id: string, decidedOn?: number): AuditedEntry {
  const project = sampleProject({ id });
  return { ...audited([{ kind: "create_project", project }]), decidedOn };
}

function stepOf(result: EntryResult): readonly number[] {
  assert.ok(result.ok && result.configuration !== undefined);
  return [result.configuration.before, result.configuration.after];
}

const NOTHING: ConfigurationNews = {
  version: 0,
  projects: [],
  keys: [],
  deletedKeys: [],
  tokens: [],
  spending: [],
};

Deno.test(
  "each change has a number, and a node reads what others did since one",
  NEEDS_POSTGRES,
  async () => {
    await withNodes(2, async (a, b) => {
      assert.deepEqual(await b!.configuration.since(0), NOTHING);
      assert.deepEqual(stepOf(await commitOne(a!, makeProject("acme"))), [0, 1]);
      const catalogue = sampleCatalogue();
      const several = audited([
        { kind: "write_catalogue", catalogue, at: NOON_ISH },
        { kind: "create_key", key: sampleKey() },
        { kind: "create_key", key: sampleKey({ id: "key_2", hash: "b".repeat(64) }) },
      ]);
      assert.deepEqual(stepOf(await commitOne(a!, several)), [1, 4]);
      assert.deepEqual(stepOf(await commitOne(b!, { kind: "delete_key", keyId: "key_2" })), [4, 5]);
      assert.deepEqual(await b!.configuration.since(0), {
        ...NOTHING,
        version: 5,
        projects: [sampleProject()],
        keys: [sampleKey()],
        deletedKeys: ["key_2"],
        catalogue: await a!.catalogue.load(),
      });
      const news = await a!.configuration.since(4);
      assert.deepEqual(news, { ...NOTHING, version: 5, deletedKeys: ["key_2"] });
      const pause = { part: "queue", reason: "new disk", since: NOON_ISH } as const;
      const forgiven = { day: { period: 3, amountE8: 12n } };
      const state = { scope: "key", id: "key_1", pause: undefined, forgiven } as const;
      await commitOne(b!, { kind: "put_video_pauses", pauses: [pause] });
      await commitOne(b!, { kind: "put_spend_state", state });
      assert.deepEqual(await a!.configuration.since(5), {
        ...NOTHING,
        version: 7,
        pauses: [pause],
        spending: [state],
      });
      await commitOne(b!, { kind: "put_spend_state", state: { ...state, forgiven: {} } });
      const { spending } = await a!.configuration.since(7);
      assert.deepEqual(spending, [{ ...state, forgiven: {} }]);
    });
  },
);

Deno.test("what changes nothing has no number", NEEDS_POSTGRES, async () => {
  await withNodes(1, async (node) => {
    await commitOne(node!, makeProject("acme"));
    const refused = await commitOne(node!, makeProject("acme"));
    assert.deepEqual(words([refused]), ["conflict"]);
    const credit = {
      kind: "credit",
      projectId: "acme",
      amountE8: 5n,
      reference: "a",
      at: 1,
    } as const;
    for (const entry of [audited([{ kind: "note_sign_in" }]), audited([credit]), credit]) {
      const result = await commitOne(node!, entry);
      assert.ok(result.ok && result.configuration === undefined);
    }
    assert.equal(await node!.configuration.version(), 1);
  });
});

Deno.test(
  "a change is refused whole when another node has changed anything since it was decided",
  NEEDS_POSTGRES,
  async () => {
    await withNodes(2, async (a, b) => {
      await commitOne(a!, makeProject("one"));
      await commitOne(b!, makeProject("two", 1));
      const refused = await commitOne(a!, makeProject("three", 1));
      assert.deepEqual(words([refused]), ["outdated"]);
      // Beside what is not, and whatever stands before it.
      const results = await a!.commitBatch([
        makeProject("four"),
        makeProject("five", 1),
        makeProject("six", 2),
      ]);
      assert.deepEqual(words(results), ["ok", "outdated", "ok"]);
      // What the node has changed itself it has known.
      assert.deepEqual(words([await commitOne(a!, makeProject("seven", 2))]), ["ok"]);
      const projects = (await b!.accounts.loadProjects()).map(({ id }) => id);
      assert.deepEqual(projects, ["four", "one", "seven", "six", "two"]);
      assert.equal((await b!.audit.list({ limit: 9 })).length, 5);
    });
  },
);

Deno.test(
  "two nodes that change much at once write one chain of numbers and one audit log",
  NEEDS_POSTGRES,
  async () => {
    await withNodes(2, async (a, b) => {
      const changes = [a!, b!].flatMap((node, index) =>
        Array.from({ length: 25 }, (_, one) => commitOne(node, makeProject(`${index}-${one}`)))
      );
      const steps = (await Promise.all(changes)).map(stepOf).map(([, after]) => after!);
      assert.deepEqual(
        steps.toSorted((x, y) => x - y),
        Array.from({ length: 50 }, (_, i) => i + 1),
      );
      assert.deepEqual((await a!.audit.check(undefined, 100)).faults, []);
      assert.equal((await a!.audit.list({ limit: 100 })).length, 50);
      assert.equal((await b!.configuration.since(0)).projects.length, 50);
    });
  },
);

for (const listens of [true, false]) {
  Deno.test(
    `a node hears of the version that another makes${listens ? "" : ", though nobody tells it"}`,
    NEEDS_POSTGRES,
    async () => {
      await withNodes(2, async (a, b) => {
        const told: number[] = [];
        const beaten: number[] = [];
        b!.configuration.follow((version, asOf) => {
          (asOf === undefined ? told : beaten).push(version);
        });
        await until(
          "a beat of both",
          () => [a!, b!].every((node) => node.serverState().answerMs > 0),
        );
        await commitOne(a!, makeProject("acme"));
        await until("the version by a beat", () => beaten.includes(1));
        if (listens) await until("the version by a notification", () => told.includes(1));
        else assert.deepEqual(told, []);
      }, listens);
    },
  );
}

Deno.test(
  "a database from before there were versions goes on with the first",
  NEEDS_POSTGRES,
  async () => {
    const database = "before_versions";
    await server.create(database);
    const url = server.url(database);
    const open = () => openPostgresStorage({ url });
    const first = await open();
    await first.beginSession();
    await commitOne(first, makeProject("acme"));
    await first.close();
    await server.ask(
      database,
      `ALTER TABLE video_tasks DROP COLUMN file_key;
     DROP TABLE leases, ledger_books, ledger_seals; DROP INDEX ledger_of_main_book;
     ALTER TABLE projects DROP COLUMN wanted_until; ALTER TABLE node_sessions DROP COLUMN slot;
     ALTER TABLE node_beats DROP COLUMN begun_at, DROP COLUMN program, DROP COLUMN beaten_at,
       DROP COLUMN clock_ahead_ms, DROP COLUMN schema_version,
       DROP COLUMN config_version, DROP COLUMN config_age_ms;
     ALTER TABLE node_sessions DROP COLUMN heir;
     ALTER TABLE video_tasks DROP COLUMN session_id;
     DROP TABLE kept_references, kept_calls, checkpoints, shares, pools, share_turns;
     ALTER TABLE batches DROP COLUMN session_id;
     ALTER TABLE webhook_messages DROP COLUMN sender;
     ALTER TABLE stored_responses DROP COLUMN cancel_wanted;
     ALTER TABLE uploaded_files DROP COLUMN object_key;
     DROP TABLE admin_jobs, console_links, console_ended, run_archives;
     ALTER TABLE ledger ADD CONSTRAINT ledger_balance_after_e8_check CHECK (balance_after_e8 >= 0);
     DROP TABLE budget_turns; DROP INDEX spend_by_project, spend_by_key;
     DROP INDEX video_tasks_open_of_project;
     DROP FUNCTION tg_exchange_shares_1, tg_exchange_budgets_1;
     DROP TABLE config_changes; DELETE FROM cluster_meta WHERE name = 'config';
     UPDATE cluster_meta SET value = '2' WHERE name = 'schema_version'`,
    );
    const again = await open();
    try {
      await again.beginSession();
      assert.equal(await again.configuration.version(), 0);
      assert.deepEqual(stepOf(await commitOne(again, makeProject("shop"))), [0, 1]);
      assert.deepEqual((await again.accounts.loadProjects()).map(({ id }) => id), ["acme", "shop"]);
    } finally {
      await again.close();
    }
  },
);
