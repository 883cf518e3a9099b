/**
 * Whatever administration lists or adds up is found by an index, in order.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import type { AuditQuery } from "../../../src/storage/ports/audit.ts";
import type { KeyQuery, SynchronousStorage } from "../../../src/storage/ports/storage.ts";
import type { UsageQuery } from "../../../src/storage/ports/usage.ts";
import { openDatabase } from "../../../src/storage/sqlite/database.ts";
import { prepareWaiting } from "../../../src/storage/sqlite/statements.ts";
import { createStores } from "../../../src/storage/sqlite/stores.ts";
import { sampleNote } from "../../conformance/storage_audit_suite.ts";
import { sampleKey, sampleProject } from "../../conformance/storage_samples.ts";
import { listening, planOf } from "./query_plans.ts";
import { withDatabasePath } from "./temporary_database.ts";

const KEYS = 200;

/** Runs something, and gives the plans of every statement about these tables that was ever prepared. */
async function plansOf(
  tables: RegExp,
  run: (stores: SynchronousStorage, database: DatabaseSync) => void,
): Promise<ReadonlyMap<string, string>> {
  const plans = new Map<string, string>();
  await withDatabasePath((path) => {
    const database = openDatabase(path);
    const prepared = new Set<string>();
    const heard = listening(database, prepared);
    const stores = createStores(heard, path);
    prepareWaiting(heard);
    run(stores, database);
    for (const sql of prepared) {
      if (!tables.test(sql) || !/^\s*(?:SELECT|WITH)/.test(sql)) continue;
      plans.set(sql.replaceAll(/\s+/g, " "), planOf(database, sql).join("; "));
    }
    database.close();
  });
  return plans;
}

/** Fails for a plan that reads a table from end to end, or sorts what it has read. */
function assertByIndex(plans: ReadonlyMap<string, string>): void {
  for (const [sql, plan] of plans) {
    assert.doesNotMatch(plan, /SCAN|TEMP B-TREE/, `${sql}: ${plan}`);
    assert.match(plan, /^SEARCH /, `${sql}: ${plan}`);
  }
}

Deno.test("keys and projects are listed by an index, page after page", async () => {
  const plans = await plansOf(/FROM (?:keys|projects)\b/, (stores) => {
    const results = stores.commitBatch([
      ...["a", "b"].map((id) =>
        ({ kind: "create_project", project: sampleProject({ id }) }) as const
      ),
      ...Array.from({ length: KEYS }, (_, index) => ({
        kind: "create_key",
        key: sampleKey({
          id: `key_${String(KEYS - index).padStart(4, "0")}`,
          hash: String(index).padStart(64, "0"),
          projectId: index % 2 === 0 ? "a" : "b",
          // Some are of one moment.
          createdAt: Math.floor(index / 3),
        }),
      } as const)),
    ]);
    assert.deepEqual(results.filter(({ ok }) => !ok), []);
    assert.deepEqual(stores.accounts.projectIds(undefined, 10), ["a", "b"]);
    assert.deepEqual(stores.accounts.projectIds("a", 10), ["b"]);
    const stored = new Map(stores.accounts.loadKeys().map((key) => [key.id, key]));
    for (const projectId of [undefined, "a"]) {
      const inOrder = [...stored.values()]
        .filter((key) => projectId === undefined || key.projectId === projectId)
        .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
        .map(({ id }) => id);
      const ids: string[] = [];
      for (let page: readonly string[] = [""]; page.length > 0; ids.push(...page)) {
        const query: KeyQuery = { projectId, after: stored.get(ids.at(-1) ?? ""), limit: 7 };
        page = stores.accounts.keyIds(query);
      }
      assert.deepEqual(ids, inOrder);
    }
  });
  assert.equal(plans.size >= 6, true);
  assertByIndex(plans);
});

Deno.test("the audit log is listed by an index, whatever is asked for", async () => {
  const plans = await plansOf(/FROM audit/, (stores) => {
    for (let index = 0; index < 50; index++) {
      const [result] = stores.commitBatch([{
        kind: "audited",
        note: sampleNote({
          operation: `keys.${index % 5}`,
          subject: `key:${index % 7 === 0 ? "key:1" : index % 3}`,
          at: index,
        }),
        changes: [{ kind: "create_project", project: sampleProject({ id: `p${index}` }) }],
      }]);
      assert.equal(result!.ok, true);
    }
    const numbers = (query: Omit<AuditQuery, "limit">, limit = 100) =>
      stores.audit.list({ ...query, limit }).map(({ seq }) => seq);
    const all = numbers({});
    assert.deepEqual(all, Array.from({ length: 50 }, (_, index) => 50 - index));
    const only = (fits: (index: number) => boolean) => all.filter((seq) => fits(seq - 1));
    assert.deepEqual(numbers({ operation: "keys.2" }), only((index) => index % 5 === 2));
    assert.deepEqual(numbers({ operation: "keys.2", beforeSeq: 33 }, 3), [28, 23, 18]);
    assert.deepEqual(numbers({ subject: "key:1" }), only((i) => i % 7 === 0 || i % 3 === 1));
    assert.deepEqual(numbers({ subject: "1" }), only((i) => i % 7 !== 0 && i % 3 === 1));
    assert.deepEqual(numbers({ subject: "1", operation: "keys.4", fromMs: 10 }, 2), [35, 20]);
    for (let index = 50; index < 60; index++) {
      const part = { [index % 2 === 0 ? "project shop" : "route a/b c"]: { weight: index } };
      stores.commitBatch([{
        kind: "audited",
        note: sampleNote({
          operation: "catalogue.apply",
          subject: `catalogue:${index % 5 === 0 ? "shop" : "file"}`,
          ...(index % 3 === 0 ? { before: part } : { after: { ...part, "model shop": {} } }),
        }),
        changes: [{ kind: "create_project", project: sampleProject({ id: `p${index}` }) }],
      }]);
    }
    assert.deepEqual(numbers({ subject: "project:shop" }), [59, 57, 55, 53, 51]);
    assert.deepEqual(numbers({ subject: "project:shop", beforeSeq: 57 }, 2), [55, 53]);
    assert.deepEqual(numbers({ subject: "route:a/b c" }), [60, 58, 56, 54, 52]);
    assert.deepEqual(numbers({ subject: "shop" }), [60, 59, 57, 56, 55, 54, 53, 51]);
    assert.deepEqual(numbers({ subject: "shop" }, 3), [60, 59, 57]);
  });
  assert.equal(plans.size >= 6, true);
  assertByIndex(plans);
});

Deno.test("a usage report reads hours by the table's own order", async () => {
  const plans = await plansOf(/usage_(?:hourly|daily)/, (stores) => {
    const queries: readonly UsageQuery[] = [
      { groupBy: ["day", "project"] },
      { groupBy: [], model: "m" },
      { groupBy: ["model"], projectId: "p" },
      { groupBy: ["model"], projectId: "p", model: "m" },
    ];
    for (const query of queries) {
      assert.deepEqual(stores.calls.usageReport(query), { lines: [], cut: undefined });
    }
  });
  assert.equal(plans.size >= 8, true);
  for (const [sql, plan] of plans) {
    assert.doesNotMatch(plan, /SCAN usage_/, `${sql}: ${plan}`);
    assert.match(plan, /SEARCH usage_\w+ USING (?:PRIMARY KEY|INDEX \S+) \(\(?(?:hour|day)/, plan);
  }
  const ofProject = [...plans].filter(([sql]) => sql.includes("project_id = ?3"));
  // By hour and by day, each once quickly and once for sums beyond 64 bits.
  assert.equal(ofProject.length, 8);
  for (const [, plan] of ofProject) assert.match(plan, /\((?:hour|day)=\? AND project_id=\?/);
});
