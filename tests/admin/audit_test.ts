/**
 * The audit log as operations write it: one row for each change, none for anything else.
 *
 * @module
 */

import assert from "node:assert/strict";
import { GatewayError } from "../../src/errors.ts";
import type * as z from "zod";
import type { Shown } from "../../src/documents/shown.ts";
import { OWNER } from "../../src/domain/roles.ts";
import { listAudit, OPERATIONS } from "../../src/admin/operations.ts";
import { applyCatalogue, applyCatalogueText } from "../../src/admin/catalogue/apply_catalogue.ts";
import type { AdminDeps } from "../../src/admin/base/deps.ts";
import { disableKey } from "../../src/admin/accounts/keys.ts";
import type { Operation } from "../../src/admin/base/operation.ts";
import { creditProject } from "../../src/admin/accounts/credit_project.ts";
import { createProject, setProject } from "../../src/admin/accounts/projects.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import type { AuditRow } from "../../src/domain/audit.ts";
import { CHANGING_INPUTS, HEADER_VALUE, READING_INPUTS, SCENE } from "./changing_inputs.ts";
import { openTestAdmin, type TestAdmin } from "./test_admin.ts";

/** They change what a database on a server alone has: their rows are looked at with that. */
const OF_SERVER = ["calls.give_up_archive", "calls.restore_archives"];
const CHANGES = OPERATIONS.filter(({ name, changes }) =>
  changes !== undefined && !OF_SERVER.includes(name)
);
/** Changes nothing, and is noted all the same. */
const NOTED_READ = "calls.content";
const READS = OPERATIONS.filter((operation) =>
  !CHANGES.includes(operation) && ![NOTED_READ, ...OF_SERVER].includes(operation.name)
);

async function rowsOf({ deps }: TestAdmin): Promise<readonly AuditRow[]> {
  return await deps.storage.audit.list({ limit: 1000 });
}

function run<Input extends z.ZodType, Output extends z.ZodType>(
  deps: AdminDeps,
  operation: Operation<Input, Output>,
  input: object = {},
): Promise<Shown<Output>> {
  return runOperation(operation, { deps, input });
}

/** The rows that some work adds, newest first. */
async function added(admin: TestAdmin, work: () => Promise<unknown>): Promise<readonly AuditRow[]> {
  const before = await rowsOf(admin);
  await work();
  const after = await rowsOf(admin);
  assert.deepEqual(after.slice(after.length - before.length), before);
  return after.slice(0, after.length - before.length);
}

Deno.test("every operation but a GET changes something, or says that it does not", () => {
  const expected = CHANGES.map(({ name }) => name).sort();
  assert.deepEqual(
    [...CHANGING_INPUTS.keys()].sort(),
    expected,
    "Name in changing_inputs.ts what makes a new operation change something",
  );
  assert.ok(OPERATIONS.every(({ method, changes }) => method !== "GET" || changes === undefined));
});

for (const operation of CHANGES) {
  Deno.test(`${operation.name} leaves exactly one row of what it changed`, async () => {
    await using admin = await openTestAdmin({ catalogue: SCENE });
    const input = await CHANGING_INPUTS.get(operation.name)!(admin);
    admin.clock.advance(5_000);
    const origin = {
      actor: { channel: "admin_api", user: undefined, address: "192.0.2.7" },
      rights: OWNER,
      requestId: "req_audited",
    } as const;
    let answer: unknown;
    const rows = await added(admin, async () => {
      answer = await runOperation(operation, { deps: admin.deps, input, origin });
    });
    assert.equal(rows.length, 1);
    const [row] = rows;
    assert.equal(row!.operation, operation.name);
    assert.deepEqual(row!.actor, origin.actor);
    assert.equal(row!.requestId, "req_audited");
    assert.equal(row!.at, admin.clock.now());
    assert.match(row!.subject, /^[a-z]+:./);
    assert.equal(row!.subject.split(":")[0], operation.changes);
    assert.notDeepEqual(row!.before, row!.after);
    const { faults } = await admin.deps.storage.audit.check(undefined, 1000);
    assert.deepEqual(faults, []);

    const told = JSON.stringify(await rowsOf(admin));
    const { key, secret } = answer as { readonly key?: string; readonly secret?: string };
    assert.ok(!told.includes("whsec_") && !told.includes(HEADER_VALUE));
    assert.ok(!/sk-tg-[A-Za-z0-9_-]{43}/.test(told));
    for (const text of [key, secret]) assert.ok(text === undefined || !told.includes(text));
    for (const { hash } of admin.deps.directory.keys()) assert.ok(!told.includes(hash));
  });

  Deno.test(`${operation.name} leaves no row when it is refused`, async () => {
    await using admin = await openTestAdmin({ catalogue: SCENE });
    const nothing = "nothing-of-this-name";
    const names = ["project", "key_id", "route", "video_id", "batch_id", "token_id", "file_id"];
    names.push("webhook_id");
    if (operation.path.startsWith("/catalogue/")) names.push("id");
    const input = {
      ...await CHANGING_INPUTS.get(operation.name)!(admin),
      ...(operation.name === "projects.create" && { id: "paying" }),
      ...(operation.name === "catalogue.apply" && { text: "currency: [" }),
      ...(operation.name === "providers.add" && { base_url: "no address" }),
      ...(operation.name === "prices.update" && { text: "rows: [" }),
      ...(operation.name === "calls.archive" && { before: "2026-13-01" }),
    };
    const wrong = Object.fromEntries(
      Object.entries(input).map(([name, value]) => [name, names.includes(name) ? nothing : value]),
    );
    const rows = await added(admin, async () => {
      await assert.rejects(run(admin.deps, operation, wrong), { name: "GatewayError" });
      await assert.rejects(run(admin.deps, operation, { ...wrong, unknown: 1 }));
    });
    assert.deepEqual(rows, []);
  });
}

/** Nobody answers at the upstreams of these tests. */
function toldOfUpstream(error: unknown): void {
  if (!(error instanceof GatewayError) || error.error !== "upstream_error") throw error;
}

Deno.test("operations that read leave no row", async () => {
  for (const operation of READS) {
    await using admin = await openTestAdmin({ catalogue: SCENE });
    const input = await READING_INPUTS.get(operation.name)?.(admin) ?? {};
    const rows = await added(admin, () => run(admin.deps, operation, input).catch(toldOfUpstream));
    assert.deepEqual(rows, [], operation.name);
  }
});

Deno.test("to read what a call said leaves a row each time, without a word of it", async () => {
  await using admin = await openTestAdmin({ catalogue: SCENE });
  const operation = OPERATIONS.find(({ name }) => name === NOTED_READ)!;
  const input = await READING_INPUTS.get(NOTED_READ)!(admin);
  const read = () => run(admin.deps, operation, input);
  const rows = await added(admin, () => read().then(read));
  assert.equal(rows.length, 2);
  assert.deepEqual(rows[0]!.after, { read: true, project: "free" });
});

Deno.test("what is asked for again, and what is there already, leaves no row", async () => {
  await using admin = await openTestAdmin({ catalogue: SCENE });
  const { deps } = admin;
  for (const operation of CHANGES) {
    // What is forgotten once more is what has been said since, on any node.
    const makesAnew =
      /^(keys\.create|keys\.rotate|tokens\.create|projects\.(webhook_secret|create|forget_prompts)|calls\.archive)$|\.delete$/;
    if (makesAnew.test(operation.name)) continue;
    const input = await CHANGING_INPUTS.get(operation.name)!(admin);
    await run(deps, operation, input);
    const rows = await added(admin, () => run(deps, operation, input));
    assert.deepEqual(rows, [], operation.name);
  }
  const credit = { project: "paying", amount: "2.5" };
  const rows = await added(admin, async () => {
    await run(deps, creditProject, credit);
    await run(deps, creditProject, credit);
  });
  assert.equal(rows.length, 2, "without a reference each credit is another");
});

Deno.test("a dry run leaves no row, and neither does a file that changes nothing", async () => {
  await using admin = await openTestAdmin({ catalogue: SCENE });
  const { deps } = admin;
  const input = await CHANGING_INPUTS.get("catalogue.apply")!(admin) as { text: string };
  const rows = await added(admin, async () => {
    assert.notEqual(
      (await run(deps, applyCatalogue, { ...input, dry_run: true })).changes.length,
      0,
    );
    await applyCatalogueText(deps, { file: "same", text: SCENE, dry_run: false, prune: true });
  });
  assert.deepEqual(rows, []);
});

Deno.test("a row tells what differs, as it was and as it became", async () => {
  await using admin = await openTestAdmin({ catalogue: SCENE });
  const { deps } = admin;
  const [created] = await added(admin, () => run(deps, createProject, { id: "shop" }));
  assert.equal(created?.before, undefined);
  assert.equal(created?.after?.unlimited, false);
  assert.deepEqual(created?.after?.models, ["*"]);
  assert.ok(!("balance" in created!.after!) && !("held" in created!.after!));

  const change = { project: "shop", models: ["small"], limits: { concurrent: 3 } };
  const [set] = await added(admin, () => run(deps, setProject, change));
  assert.deepEqual(set?.before, { models: ["*"], limits: {} });
  assert.deepEqual(set?.after, { models: ["small"], limits: { concurrent: 3 } });

  const credit = { project: "shop", amount: "2.5", reference: "invoice-1" };
  const [credited] = await added(admin, () => run(deps, creditProject, credit));
  assert.deepEqual(credited?.before, { balance: "0.00000000" });
  assert.deepEqual(credited?.after, {
    credited: "2.50000000",
    reference: "invoice-1",
    balance: "2.50000000",
  });

  const keyed = await CHANGING_INPUTS.get("keys.disable")!(admin);
  const [disabled] = await added(admin, () => run(deps, disableKey, keyed));
  assert.deepEqual([disabled?.before, disabled?.after], [{ disabled: false }, { disabled: true }]);
});

Deno.test("a catalogue's row tells every part that differs, and hides what may be a secret", async () => {
  await using admin = await openTestAdmin({ catalogue: SCENE });
  const input = await CHANGING_INPUTS.get("catalogue.apply")!(admin);
  const [row] = await added(
    admin,
    () => run(admin.deps, applyCatalogue, { ...input, prune: true }),
  );
  assert.equal(row?.subject, "catalogue:next.yaml");
  const { before, after } = row!;
  assert.deepEqual(before?.["route two/small"], { "cost.input": "0.50" });
  assert.deepEqual(after?.["route two/small"], { "cost.input": "0.75" });
  assert.deepEqual(before?.["provider two"], { auth: "none" });
  assert.deepEqual(after?.["provider two"], {
    auth: "bearer",
    api_key: ["env:TWO_KEY"],
    "headers.x-team": "(hidden)",
  });
  assert.deepEqual(before?.["project free"], { unlimited: true });
  assert.deepEqual(after?.["project free"], { unlimited: false });
  assert.ok(!("project added" in before!));
  assert.equal((after?.["project added"] as { id: string }).id, "added");
  const [gone] = await added(
    admin,
    () =>
      applyCatalogueText(admin.deps, {
        file: "x",
        text: "currency: USD",
        dry_run: false,
        prune: true,
      }),
  );
  assert.equal(
    (gone?.before?.["provider one"] as { base_url: string }).base_url,
    "http://127.0.0.1:9/v1",
  );
  assert.ok(!("provider one" in gone!.after!));
});

Deno.test("a catalogue file is applied whole, with its projects, or not at all", async () => {
  await using admin = await openTestAdmin({ catalogue: SCENE });
  const { deps } = admin;
  const input = await CHANGING_INPUTS.get("catalogue.apply")!(admin);
  const before = [deps.catalogue.current.catalogue, deps.directory.projects()];
  // As if somebody else had made the last project meanwhile.
  const project = deps.directory.project("paying")!;
  const refusing: AdminDeps = {
    ...deps,
    commits: {
      pending: 0,
      flush: () => deps.commits.flush(),
      commit: (entry) =>
        deps.commits.commit({
          ...entry,
          changes: [...entry.changes, { kind: "create_project", project }],
        }),
    },
  };
  const rows = await added(
    admin,
    () => assert.rejects(run(refusing, applyCatalogue, input), { error: "conflict" }),
  );
  assert.deepEqual(rows, []);
  assert.deepEqual([deps.catalogue.current.catalogue, deps.directory.projects()], before);
  assert.equal((await deps.storage.accounts.loadProjects()).length, 2);
  const stored = await deps.storage.catalogue.load();
  assert.equal(stored?.models.find(({ id }) => id === "small")?.aliases.length, 1);
});

Deno.test("audit.list answers newest first, by what is asked for", async () => {
  await using admin = await openTestAdmin({ catalogue: SCENE });
  const { deps, clock } = admin;
  await run(deps, creditProject, { project: "paying", amount: "1" });
  clock.advance(3_600_000);
  await run(deps, createProject, { id: "shop" });
  const list = (input: object) => run(deps, listAudit, input);
  const { data: rows } = await list({});
  assert.deepEqual(rows.map(({ number, operation }) => [number, operation]), [
    [3, "projects.create"],
    [2, "projects.credit"],
    [1, "catalogue.apply"],
  ]);
  assert.deepEqual(rows[1], {
    number: 2,
    at: "2026-01-01T00:00:00.000Z",
    channel: "in_process",
    user: "tester",
    address: null,
    operation: "projects.credit",
    subject: "project:paying",
    before: { balance: "0.00000000" },
    after: { credited: "1.00000000", reference: null, balance: "1.00000000" },
    request_id: null,
  });
  const numbers = async (input: object) => (await list(input)).data.map(({ number }) => number);
  assert.deepEqual(await numbers({ from: "30m" }), [3]);
  assert.deepEqual(await numbers({ from: "2026-01-01" }), [3, 2, 1]);
  assert.deepEqual(await numbers({ to: "30m" }), [2, 1]);
  assert.deepEqual(await numbers({ to: "2026-01-01" }), [3, 2, 1]);
  assert.deepEqual(await numbers({ from: "30m", to: "10m" }), []);
  await assert.rejects(list({ from: "10m", to: "30m" }), { error: "invalid_value", param: "to" });
  assert.deepEqual(await numbers({ limit: "1" }), [3]);
  assert.deepEqual(await numbers({ after: "3", limit: "1" }), [2]);
  assert.deepEqual(await numbers({ subject: "paying" }), [2, 1]);
  assert.deepEqual(await numbers({ subject: "paying", after: "2" }), [1]);
  for (const part of ["project:paying", "route:one/small", "one/small", "provider:two", "free"]) {
    assert.equal((await numbers({ subject: part })).at(-1), 1, part);
  }
  assert.deepEqual(await numbers({ subject: "test.yaml" }), [1]);
  assert.deepEqual(await numbers({ subject: "project:two" }), []);
  assert.deepEqual(await numbers({ subject: "project" }), []);
  assert.deepEqual(await numbers({ subject: "project:shop", operation: "projects.create" }), [3]);
  assert.deepEqual(await numbers({ operation: "keys.create" }), []);
  for (const wrong of [{ limit: 0 }, { limit: 1001 }, { from: "tomorrow" }, { until: "1d" }]) {
    await assert.rejects(list(wrong), { error: "invalid_value" });
  }
});
