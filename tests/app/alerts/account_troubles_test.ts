import assert from "node:assert/strict";
import { accountTroubles } from "../../../src/app/alerts/account_troubles.ts";
import { creditProject } from "../../../src/admin/accounts/credit_project.ts";
import { createKey } from "../../../src/admin/accounts/keys.ts";
import { createProject, resumeProject } from "../../../src/admin/accounts/projects.ts";
import { runOperation } from "../../../src/admin/base/run_operation.ts";
import type { Trouble } from "../../../src/domain/alert.ts";
import { makeCall } from "../../admin/made_call.ts";
import { CATALOGUE, openTestAdmin, type TestAdmin } from "../../admin/test_admin.ts";

const UNIT = 100_000_000n;

/** What is told of, with what is covered in brackets. */
function named(troubles: readonly Trouble[]): string[] {
  return troubles.map(({ cause, id, isCovered }) =>
    isCovered === true ? `[${cause}:${id}]` : `${cause}:${id}`
  ).sort();
}

async function look({ deps }: TestAdmin, marks: Readonly<Record<string, string>> = {}) {
  return await accountTroubles(deps, (key) => marks[key]);
}

/** A call of a project that is priced at so much. */
async function spend(admin: TestAdmin, projectId: string, saleE8: bigint): Promise<void> {
  const { unlimited } = admin.deps.directory.project(projectId)!;
  await makeCall(admin, {
    projectId,
    unlimited,
    heldE8: unlimited ? 0n : saleE8,
    openedAt: admin.clock.now(),
  }, { saleE8 });
}

async function open(): Promise<TestAdmin> {
  return await openTestAdmin({
    catalogue: CATALOGUE.replace("- { id: paying }", "- { id: paying, unlimited: false }"),
  });
}

Deno.test("a budget is told at 50, 80 and 100 %, by its highest mark, once for a window", async () => {
  await using admin = await open();
  const { deps } = admin;
  await runOperation(createProject, {
    deps,
    input: { id: "shop", unlimited: true, budgets: { daily: "10", monthly: "100" } },
  });
  const day = `project/shop/day/${Math.floor(admin.clock.now() / 86_400_000)}`;
  const ofShop = async () => named((await look(admin)).filter(({ project }) => project === "shop"));
  await spend(admin, "shop", 4n * UNIT);
  assert.deepEqual(await ofShop(), []);
  await spend(admin, "shop", UNIT);
  const [half] = (await look(admin)).filter(({ project }) => project === "shop");
  assert.deepEqual(await ofShop(), [`budget:${day}/50`]);
  assert.match(
    half!.text,
    /^Project shop has spent 50 % of its daily budget: 5\.0+ of 10\.0+ USD$/,
  );
  assert.equal(half!.onceUntil, Date.UTC(2026, 0, 2));
  await spend(admin, "shop", 5n * UNIT);
  assert.deepEqual(await ofShop(), [
    `[budget:${day}/50]`,
    `[budget:${day}/80]`,
    `budget:${day}/100`,
  ]);
  const full = (await look(admin)).find(({ id }) => id.endsWith("/100"))!;
  assert.match(full.text, /reached its daily budget/);
  assert.match(full.help, /tollgate projects resume shop/);
  await runOperation(resumeProject, { deps, input: { project: "shop" } });
  assert.deepEqual(await ofShop(), []);
  admin.clock.advance(86_400_000);
  await spend(admin, "shop", 6n * UNIT);
  assert.deepEqual((await ofShop()).map((name) => name.slice(-3)), ["/50"]);
});

Deno.test("keys' budgets are told of, without the key itself", async () => {
  await using admin = await open();
  const { deps } = admin;
  const made = await runOperation(createKey, {
    deps,
    input: { project: "free", budgets: { daily: "1" } },
  });
  await makeCall(admin, { projectId: "free", keyId: made.id }, { saleE8: UNIT });
  const found = await look(admin);
  const reached = found.find(({ id }) =>
    id.startsWith(`key/${made.id}/day/`) && id.endsWith("/100")
  );
  assert.equal(reached?.path, `/console/keys/${made.id}`);
  assert.ok(!JSON.stringify(found).includes(made.key));
});

Deno.test("a balance is told of when it is nearly gone and when it is, until it is credited", async () => {
  await using admin = await open();
  const { deps } = admin;
  const ofPaying = async (marks = {}) =>
    (await look(admin, marks)).filter(({ project }) => project === "paying");
  const credit = (amount: string) =>
    runOperation(creditProject, { deps, input: { project: "paying", amount } });
  const before = await ofPaying();
  assert.deepEqual(named(before), ["[balance:paying/low]", "balance:paying/gone"]);
  assert.equal(before[1]!.afterMs, 300_000, "whoever is just made is not credited yet");
  await credit("10");
  assert.deepEqual(await ofPaying(), []);
  await spend(admin, "paying", 6n * UNIT);
  const [low] = await ofPaying();
  assert.match(low!.text, /^Project paying has 4\.0+ USD left, and spent 6\.0+ today$/);
  // The next day nothing is spent yet, and it has no more than before.
  admin.clock.advance(86_400_000 * 40);
  assert.deepEqual(await ofPaying(), []);
  const marks = { "balance:paying/low": low!.mark! };
  assert.deepEqual(named(await ofPaying(marks)), ["balance:paying/low"]);
  await credit("20");
  assert.deepEqual(await ofPaying(marks), []);
  await spend(admin, "paying", 24n * UNIT);
  assert.deepEqual(named(await ofPaying()), ["[balance:paying/low]", "balance:paying/gone"]);
});

Deno.test("a brake that is pulled is grave, and names what it saw", async () => {
  await using admin = await open();
  const { deps } = admin;
  await runOperation(createProject, {
    deps,
    input: { id: "shop", unlimited: true, budgets: { spend_brake: 2, spend_brake_floor: "1" } },
  });
  await spend(admin, "shop", 3n * UNIT);
  while (deps.spending.view({ scope: "project", id: "shop" }).pause === undefined) {
    await new Promise((resolve) => setTimeout(resolve));
  }
  const [brake] = await look(admin).then((all) => all.filter(({ cause }) => cause === "brake"));
  assert.equal(brake!.severity, "grave");
  assert.match(brake!.text, /^Project shop is paused by its spend brake: it spent 3\.0+ USD/);
  assert.equal(brake!.help, "tollgate projects resume shop");
});

Deno.test("where nodes share balances, who seems to have little is read before anything is told", async () => {
  await using admin = await open();
  const { deps } = admin;
  const balances = new Map([["paying", 0n]]);
  const read: (readonly string[])[] = [];
  let isAway = false;
  const ledger = Object.assign(Object.create(deps.ledger), {
    balanceOf: (projectId: string) => ({ projectId, avail: balances.get(projectId)!, held: 0n }),
    refresh: (projectIds: readonly string[]) => {
      read.push(projectIds);
      if (!isAway) balances.set("paying", 10n * UNIT);
      return Promise.resolve(!isAway);
    },
  });
  const troubles = async (marks: Readonly<Record<string, string>> = {}) =>
    named(await accountTroubles({ ...deps, ledger }, (key) => marks[key]));
  // Nobody has told it yet that the project has something.
  assert.deepEqual(await troubles(), []);
  assert.deepEqual(read, [["paying"]]);
  assert.deepEqual(await troubles(), []);
  assert.equal(read.length, 1);
  balances.set("paying", 0n);
  isAway = true;
  assert.deepEqual(await troubles(), []);
  assert.deepEqual(await troubles({ "balance:paying/low": "0" }), [
    "[balance:paying/low]",
    "balance:paying/gone",
  ]);
});
