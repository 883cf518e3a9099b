/**
 * Every operation is for those whose role it takes, and a member's is held to his project.
 *
 * @module
 */

import assert from "node:assert/strict";
import type * as z from "zod";
import { showCall } from "../../src/admin/calls.ts";
import { createKey, findKeys, listKeys, showKey } from "../../src/admin/accounts/keys.ts";
import { createProject, showProject } from "../../src/admin/accounts/projects.ts";
import type { Operation } from "../../src/admin/base/operation.ts";
import { mayRun, runOperation } from "../../src/admin/base/run_operation.ts";
import { listCalls } from "../../src/admin/list_calls.ts";
import { OPERATIONS } from "../../src/admin/operations.ts";
import { reportUsage } from "../../src/admin/usage.ts";
import { listVideos } from "../../src/admin/videos.ts";
import { RANKS, type Rights } from "../../src/domain/roles.ts";
import { GatewayError } from "../../src/errors.ts";
import { ROLE_TABLE } from "./role_table.ts";
import { openTestAdmin, type TestAdmin } from "./test_admin.ts";

const MEMBER: Rights = { role: "member", project: "red" };

/** Runs one as somebody; what it refuses is given as its text. */
async function as<Input extends z.ZodType, Output extends z.ZodType>(
  { deps }: TestAdmin,
  rights: Rights,
  [operation, input]: readonly [Operation<Input, Output>, z.input<Input>],
) {
  return await runOperation(operation, { deps, input, origin: { ...deps.origin, rights } });
}

async function refusal(answer: Promise<unknown>): Promise<string> {
  try {
    await answer;
  } catch (error) {
    if (error instanceof GatewayError) return `${error.name} ${error.row.status} ${error.message}`;
    throw error;
  }
  return assert.fail("It was not refused");
}

Deno.test("every operation has its row, and takes the rank that the row says", () => {
  assert.deepEqual(OPERATIONS.map(({ name }) => name).sort(), Object.keys(ROLE_TABLE).sort());
  for (const operation of OPERATIONS) {
    const [least, member] = ROLE_TABLE[operation.name]!;
    for (const rank of RANKS) {
      const expected = RANKS.indexOf(rank) >= RANKS.indexOf(least);
      assert.equal(mayRun(operation, { role: rank }), expected, `${operation.name} as ${rank}`);
    }
    assert.equal(mayRun(operation, MEMBER), member !== undefined, `${operation.name} as member`);
  }
});

Deno.test("who may not is told which role it takes, before his input is looked at", async () => {
  await using admin = await openTestAdmin();
  const refused = await refusal(
    as(admin, { role: "viewer" }, [createProject, { id: "NOT AN ID" }]),
  );
  assert.match(
    refused,
    /403 projects\.create takes the role operator or owner, and this is a viewer's/,
  );
  assert.equal(admin.deps.directory.projects().length, 0);
  const key = await refusal(
    as(admin, { role: "viewer" }, [createKey, { project: "red" }]),
  );
  assert.match(key, /403 .*takes the role member or operator or owner/);
});

Deno.test("to a member another project's names are names that nobody has", async () => {
  await using admin = await openTestAdmin();
  const owner: Rights = { role: "owner" };
  for (const id of ["red", "blue"]) await as(admin, owner, [createProject, { id }]);
  const red = await as(admin, MEMBER, [createKey, { project: "red", name: "mine" }]);
  const blue = await as(admin, owner, [createKey, { project: "blue", name: "theirs" }]);
  const sameFor = async (ask: (name: string) => Promise<unknown>, other: string) => {
    const theirs = await refusal(ask(other));
    const nobodys = await refusal(ask("nobodys"));
    assert.equal(theirs.replaceAll(other, "X"), nobodys.replaceAll("nobodys", "X"));
  };
  await sameFor((project) => as(admin, MEMBER, [createKey, { project }]), "blue");
  await sameFor((project) => as(admin, MEMBER, [showProject, { project }]), "blue");
  await sameFor((project) => as(admin, MEMBER, [listKeys, { project }]), "blue");
  await sameFor((project) => as(admin, MEMBER, [listCalls, { project }]), "blue");
  await sameFor((project) => as(admin, MEMBER, [listVideos, { project }]), "blue");
  await sameFor((project) => as(admin, MEMBER, [reportUsage, { project }]), "blue");
  await sameFor((key_id) => as(admin, MEMBER, [showKey, { key_id }]), blue.id);
  await sameFor((after) => as(admin, MEMBER, [listKeys, { after }]), blue.id);
  await sameFor((request_id) => as(admin, MEMBER, [showCall, { request_id }]), "req_other");
  const listed = await as(admin, MEMBER, [listKeys, {}]);
  assert.deepEqual(listed.data.map(({ id }) => id), [red.id]);
  const found = await as(admin, MEMBER, [findKeys, { begins: blue.prefix }]);
  assert.deepEqual(found, { keys: [], more: false });
  assert.equal(admin.deps.directory.keys().length, 2);
});

Deno.test("docs/administration.md lists what each role may run", async () => {
  const text = await Deno.readTextFile("docs/administration.md");
  const told = new Map(
    [...text.matchAll(/^- \*\*(\w+)\*\*([^]*?)(?=\n- |\n\n)/gm)].map(([, role, list]) =>
      [role!, [...list!.matchAll(/`(\w+\.\w+)`/g)].map(([, name]) => name!)] as const
    ).filter(([, names]) => names.length > 0),
  );
  const namesOf = (has: (operation: Operation) => boolean) =>
    OPERATIONS.filter(has).map(({ name }) => name).sort();
  for (const rank of RANKS) assert.deepEqual(told.get(rank), namesOf(({ role }) => role === rank));
  assert.deepEqual(told.get("member"), namesOf(({ heldTo }) => heldTo !== undefined));
});
