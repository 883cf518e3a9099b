/**
 * Applying catalogue files.
 *
 * @module
 */

import assert from "node:assert/strict";
import { applyCatalogue, applyCatalogueText } from "../../src/admin/catalogue/apply_catalogue.ts";
import { disableRoute } from "../../src/admin/catalogue/route_switches.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { CATALOGUE, openTestAdmin } from "./test_admin.ts";

const DEARER = CATALOGUE.replace('input: "2.00"', 'input: "3.00"');

Deno.test("apply commits the catalogue and makes it live", async () => {
  await using admin = await openTestAdmin();
  const { deps } = admin;
  const input = { file: "a.yaml", text: CATALOGUE };
  const answer = await runOperation(applyCatalogue, { deps, input });
  assert.equal(answer.applied, true);
  assert.ok(answer.changes.some(({ line }) => line === "+ route one/small"));
  assert.match(answer.warnings.join(), /a\.yaml:\d+:\d+: models\[1\]\.routes\[0\]: Unpriced/);
  assert.ok(deps.catalogue.current.route("one/small")!.prices.version > 0);
  assert.deepEqual(await deps.storage.catalogue.load(), deps.catalogue.current.catalogue);
  assert.equal(deps.registry.provider("one")?.id, "one");
  assert.equal(deps.directory.project("free")?.unlimited, true);
  const again = await runOperation(applyCatalogue, { deps, input });
  assert.deepEqual(again.changes, []);
});

Deno.test("apply warns of keys that the server has no value for, and says nothing without one", async () => {
  await using admin = await openTestAdmin();
  const text = CATALOGUE.replace(
    "official: true",
    "official: true, api_key: [env:ONE_KEY, file:/run/two]",
  );
  const input = { text, dry_run: true };
  const secretTrouble = (name: string) => name === "file:/run/two" ? undefined : `${name} is empty`;
  const system = { ...admin.deps.system, secretTrouble };
  const warnings = async (kind: "server" | "cli") => {
    const deps = { ...admin.deps, system, process: { kind, pid: 1 } };
    return (await runOperation(applyCatalogue, { deps, input })).warnings
      .filter((line) => line.includes("key of provider"));
  };
  assert.deepEqual(await warnings("server"), [
    "The server has no value for env:ONE_KEY, a key of provider one: " +
    "set the variable where the server is started, and restart it (env:ONE_KEY is empty)",
  ]);
  assert.deepEqual(await warnings("cli"), []);
});

Deno.test("apply warns of the secrets that a change is about, and counts those missing before", async () => {
  await using admin = await openTestAdmin();
  const keyed = CATALOGUE.replace(
    "official: true",
    "official: true, api_key: [env:ONE_KEY, env:SPARE_KEY]",
  );
  const secretTrouble = (name: string) => `${name} has no value`;
  const system = { ...admin.deps.system, secretTrouble };
  const deps = { ...admin.deps, system, process: { kind: "server", pid: 1 } as const };
  const apply = async (text: string) =>
    (await runOperation(applyCatalogue, { deps, input: { text } })).warnings
      .filter((line) => line.includes("The server has no value"));
  const old = "missing before: `tollgate doctor` says which";
  assert.deepEqual((await apply(keyed)).map((line) => /(env:\w+), a key/.exec(line)?.[1]), [
    "env:ONE_KEY",
    "env:SPARE_KEY",
  ]);
  assert.deepEqual(await apply(keyed), [
    `The server has no value for 2 secrets that were ${old}`,
  ]);
  const third = keyed.replace(
    "providers:",
    "providers:\n  - { id: third, " +
      "kind: openai_compatible, base_url: http://127.0.0.1:9/v1, api_key: env:THIRD }",
  );
  const warnings = await apply(third);
  assert.equal(warnings.length, 2, warnings.join("\n"));
  assert.match(
    warnings[0]!,
    /^The server has no value for env:THIRD, a key of provider third: set/,
  );
  assert.equal(warnings[1], `The server has no value for 2 secrets that were ${old}`);
  // A route's own change is one of its provider too.
  const dearer = third.replace('input: "2.00"', 'input: "3.00"');
  assert.deepEqual((await apply(dearer)).map((line) => /env:\w+/.exec(line)?.[0]), [
    "env:ONE_KEY",
    "env:SPARE_KEY",
    undefined,
  ]);
});

Deno.test("a dry run changes nothing, also where a file owns the catalogue", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE, catalogueOwner: "/etc/t.yaml" });
  const { deps } = admin;
  const before = deps.catalogue.current;
  const input = { text: DEARER, dry_run: true };
  const answer = await runOperation(applyCatalogue, { deps, input });
  assert.equal(answer.applied, false);
  assert.deepEqual(answer.changes.map(({ line }) => line), [
    "~ route one/small: sale.input 2.00 → 3.00",
  ]);
  assert.equal(deps.catalogue.current, before);
  await assert.rejects(
    runOperation(applyCatalogue, { deps, input: { text: DEARER } }),
    /\/etc\/t\.yaml owns them/,
  );
  // The owner itself may.
  await applyCatalogueText(deps, { file: "t", text: DEARER, dry_run: false, prune: true });
  assert.notEqual(deps.catalogue.current, before);
});

Deno.test("a wrong file is refused with every fault and leaves the old catalogue", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const before = deps.catalogue.current;
  const text = "currency: usd\nproviders: []\nmodels:\n  - { id: x, kind: chatt, rotues: [] }\n";
  await assert.rejects(
    runOperation(applyCatalogue, { deps, input: { file: "bad.yaml", text } }),
    (error: Error) => {
      assert.match(error.message, /^Nothing was changed: bad\.yaml has 3 problems\n/);
      assert.match(error.message, /bad\.yaml:1:11: currency: /);
      assert.match(error.message, /bad\.yaml:4:\d+: models\[0\]\.kind: /);
      assert.match(error.message, /did you mean 'routes'\?/);
      return true;
    },
  );
  assert.equal(deps.catalogue.current, before);
});

Deno.test("prune removes what the file lacks; a switch outlives the file", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  await runOperation(disableRoute, { deps, input: { route: "one/small" } });
  const text = CATALOGUE.replace(/ {6}- id: two\/small[^]*?(?= {2}- id: large)/, "");
  assert.ok(!text.includes("two/small"));
  await runOperation(applyCatalogue, { deps, input: { text } });
  assert.ok(deps.catalogue.current.route("two/small"));
  await runOperation(applyCatalogue, { deps, input: { text, prune: true } });
  assert.equal(deps.catalogue.current.route("two/small"), undefined);
  assert.equal(deps.catalogue.current.route("one/small")?.enabled, false);
  assert.deepEqual(await deps.storage.catalogue.load(), deps.catalogue.current.catalogue);
});

Deno.test("a file's revision only rises, and one of it has one content", async () => {
  await using admin = await openTestAdmin();
  const { deps } = admin;
  const apply = (text: string) =>
    applyCatalogueText(deps, { file: "a.yaml", text, dry_run: false, prune: true });
  const revision = (number: number, text = CATALOGUE) => `revision: ${number}\n${text}`;
  await apply(CATALOGUE);
  assert.deepEqual((await apply(revision(7))).changes.map(({ line }) => line), [
    "~ revision 7: revision (none) → 7",
  ]);
  assert.equal(deps.catalogue.current.catalogue.revision, 7);
  const before = deps.catalogue.current;
  for (
    const [text, message] of [
      [revision(6, DEARER), /has revision 6, and revision 7 was applied already/],
      [revision(6), /has revision 6/],
      [revision(7, DEARER), /revision 7 was applied with other content than a\.yaml has/],
    ] as const
  ) await assert.rejects(apply(text), { error: "conflict", message });
  assert.equal(deps.catalogue.current, before);
  assert.deepEqual((await apply(revision(7))).changes, []);
  assert.equal((await apply(revision(8, DEARER))).changes.length, 2);
  // Whoever says nothing of it changes nothing of it.
  await apply(CATALOGUE);
  assert.equal(deps.catalogue.current.catalogue.revision, 8);
  assert.deepEqual(await deps.storage.catalogue.load(), deps.catalogue.current.catalogue);
  await assert.rejects(apply(revision(7)), { error: "conflict" });
});
