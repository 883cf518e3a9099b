/**
 * The storage suite's part about the audit log.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { AuditNote } from "../../src/domain/audit.ts";
import type { AuditedEntry } from "../../src/storage/ports/entry.ts";
import type { AuditQuery } from "../../src/storage/ports/audit.ts";
import type { Storage } from "../../src/storage/ports/storage.ts";
import type { StorageTest } from "./storage_test_case.ts";
import {
  commitEach,
  commitOne,
  fundProject,
  NOON_ISH,
  sampleCatalogue,
  sampleKey,
  sampleOpenCall,
  sampleProject,
  words,
} from "./storage_samples.ts";

/** A note about a change. */
export function sampleNote(changes: Partial<AuditNote> = {}): AuditNote {
  return {
    at: NOON_ISH,
    actor: { channel: "control_socket", user: "alice (uid 1000)", address: undefined },
    operation: "projects.create",
    subject: "project:shop",
    before: undefined,
    after: { unlimited: false },
    requestId: "req_1",
    ...changes,
  };
}

/** Some changes with a note. */
export function audited(
  changes: AuditedEntry["changes"],
  note: Partial<AuditNote> = {},
): AuditedEntry {
  return { kind: "audited", changes, note: sampleNote(note) };
}

function makeProject(id: string, note: Partial<AuditNote> = {}): AuditedEntry {
  return audited([{ kind: "create_project", project: sampleProject({ id }) }], {
    subject: `project:${id}`,
    ...note,
  });
}

async function numbers(storage: Storage, query: Partial<AuditQuery> = {}): Promise<number[]> {
  return (await storage.audit.list({ limit: 100, ...query })).map(({ seq }) => seq);
}

/** Registers the tests about the audit log. */
export function testAudit(test: StorageTest): void {
  test("audited writes its change and its row, as it was told", async (storage) => {
    const odd = sampleNote({
      actor: { channel: "admin_api", user: undefined, address: "::1" },
      operation: "projects.set",
      subject: 'project:it\'s "漢字" 🚀',
      before: { limits: { concurrent: 3 }, text: "a\0b", none: null },
      after: { limits: {}, list: ["*", 1, true] },
      requestId: undefined,
    });
    const change = { kind: "update_project", project: sampleProject({ disabled: true }) } as const;
    assert.deepEqual(
      words(
        await commitEach(storage, [
          makeProject("acme"),
          { kind: "audited", changes: [change], note: odd },
        ]),
      ),
      ["ok", "ok"],
    );
    assert.equal((await storage.accounts.loadProjects())[0]?.disabled, true);
    assert.deepEqual(await storage.audit.list({ limit: 9 }), [
      { seq: 2, ...odd },
      { seq: 1, ...sampleNote({ subject: "project:acme" }) },
    ]);
    assert.deepEqual(await storage.audit.check(undefined, 100), {
      rows: 2,
      faults: [],
      next: undefined,
    });
  });

  test("audited is all or nothing, and leaves no row when it is refused", async (storage) => {
    const key = { kind: "create_key", key: sampleKey() } as const;
    const batch = [
      makeProject("acme"),
      makeProject("acme"),
      audited([{ kind: "create_project", project: sampleProject({ id: "b" }) }, {
        kind: "update_project",
        project: sampleProject({ id: "nobody" }),
      }]),
      audited([{ kind: "create_project", project: sampleProject({ id: "c" }) }, {
        kind: "create_key",
        key: sampleKey({ id: "key_2", hash: "b".repeat(64), projectId: "nobody" }),
      }]),
      makeProject("d", { subject: "no kind" }),
      makeProject("e", { after: undefined }),
      audited([{ kind: "delete_key", keyId: "none" }]),
      audited([key]),
    ];
    const expected = ["ok", "conflict", "missing", "missing", "failed", "failed", "missing", "ok"];
    assert.deepEqual(words(await storage.commitBatch(batch)), expected);
    assert.deepEqual((await storage.accounts.loadProjects()).map(({ id }) => id), ["acme"]);
    assert.deepEqual((await storage.accounts.loadKeys()).map(({ id }) => id), ["key_1"]);
    assert.deepEqual(await numbers(storage), [2, 1]);
    const again = ["conflict", "conflict", "missing", "missing", "failed", "failed", "missing"];
    assert.deepEqual(words(await commitEach(storage, batch.slice(0, 7))), again);
    assert.deepEqual(await numbers(storage), [2, 1]);
    assert.deepEqual((await storage.audit.check(undefined, 100)).faults, []);
  });

  test("audited gives the catalogue back, wherever it stands among the changes", async (storage) => {
    const write = { kind: "write_catalogue", catalogue: sampleCatalogue(), at: NOON_ISH } as const;
    const project = { kind: "create_project", project: sampleProject() } as const;
    const first = await commitOne(storage, audited([write, project]));
    assert.ok(first.ok && first.catalogue !== undefined);
    assert.deepEqual(first.catalogue, await storage.catalogue.load());
    const update = { kind: "update_project", project: sampleProject({ disabled: true }) } as const;
    const second = await commitOne(storage, audited([update, write]));
    assert.ok(second.ok && second.catalogue !== undefined);
  });

  test("a credit's row tells the balance at that very moment, and a repeated one has none", async (storage) => {
    await fundProject(storage, 1_000n);
    await commitOne(storage, { kind: "hold", call: sampleOpenCall({ heldE8: 100n }) });
    const credit = (amountE8: bigint, reference: string) =>
      audited([{ kind: "credit", projectId: "acme", amountE8, reference, at: NOON_ISH }], {
        before: {},
        after: { credited: "x" },
      });
    const results = await storage.commitBatch([credit(5n, "a"), credit(5n, "a"), credit(7n, "b")]);
    assert.deepEqual(results.map((result) => result.ok && result.repeated === true), [
      false,
      true,
      false,
    ]);
    assert.deepEqual(words([await commitOne(storage, credit(6n, "a"))]), ["conflict"]);
    const rows = await storage.audit.list({ limit: 9 });
    assert.deepEqual(rows.map(({ before, after }) => [before, after]), [
      [{ balance: "0.00001005" }, { credited: "x", balance: "0.00001012" }],
      [{ balance: "0.00001000" }, { credited: "x", balance: "0.00001005" }],
    ]);
  });

  test("the audit log is listed newest first, by what is asked for", async (storage) => {
    await commitEach(storage, [
      makeProject("a", { at: NOON_ISH }),
      makeProject("b", { at: NOON_ISH + 10, operation: "projects.make" }),
      makeProject("c", { at: NOON_ISH + 5 }),
      makeProject("d", { at: NOON_ISH + 20, subject: "key:a" }),
    ]);
    assert.deepEqual(await numbers(storage), [4, 3, 2, 1]);
    assert.deepEqual(await numbers(storage, { limit: 2 }), [4, 3]);
    assert.deepEqual(await numbers(storage, { beforeSeq: 3 }), [2, 1]);
    assert.deepEqual(await numbers(storage, { fromMs: NOON_ISH + 10 }), [4, 2]);
    assert.deepEqual(await numbers(storage, { toMs: NOON_ISH + 10 }), [3, 1]);
    assert.deepEqual(await numbers(storage, { operation: "projects.create" }), [4, 3, 1]);
    assert.deepEqual(await numbers(storage, { operation: "projects" }), []);
    assert.deepEqual(await numbers(storage, { subject: "project:a" }), [1]);
    assert.deepEqual(await numbers(storage, { subject: "a" }), [4, 1]);
    assert.deepEqual(await numbers(storage, { subject: "project" }), []);
    assert.deepEqual(await numbers(storage, { subject: "%" }), []);
  });

  test("the audit log is checked slice by slice", async (storage) => {
    assert.deepEqual(await storage.audit.check(undefined, 2), {
      rows: 0,
      faults: [],
      next: undefined,
    });
    await commitEach(storage, ["a", "b", "c", "d"].map((id) => makeProject(id)));
    const first = await storage.audit.check(undefined, 2);
    assert.deepEqual([first.rows, first.faults, first.next?.seq], [2, [], 2]);
    const second = await storage.audit.check(first.next, 2);
    assert.deepEqual([second.rows, second.faults, second.next?.seq], [2, [], 4]);
    assert.deepEqual(await storage.audit.check(second.next, 2), {
      rows: 0,
      faults: [],
      next: undefined,
    });
    const wrong = { seq: 2, checksum: first.next!.checksum + 1 };
    assert.deepEqual((await storage.audit.check(wrong, 2)).faults, [
      { seq: 3, detail: "the row does not follow the one before it" },
    ]);
  });
}
