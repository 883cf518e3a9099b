/**
 * Over TCP every operation is for the roles that its row names, whatever is presented, and a
 * project's member has that project alone.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createProject } from "../../../../src/admin/accounts/projects.ts";
import { rotateWebhookSecret } from "../../../../src/admin/accounts/webhook_secret.ts";
import { createToken, revokeToken } from "../../../../src/admin/accounts/tokens.ts";
import type { Operation } from "../../../../src/admin/base/operation.ts";
import { runOperation } from "../../../../src/admin/base/run_operation.ts";
import { OPERATIONS } from "../../../../src/admin/operations.ts";
import { RANKS, type Role } from "../../../../src/domain/roles.ts";
import { makeBatch } from "../../../admin/changing_inputs.ts";
import { ROLE_TABLE } from "../../../admin/role_table.ts";
import { startTestGateway, type TestGateway } from "../../../support/gateway.ts";
import { until } from "../../../support/until.ts";

const ADMIN_KEY = "an-admin-key-for-tests";

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly message: string;
  // deno-lint-ignore no-explicit-any -- looked at in places
  readonly body: any;
}

async function ask(
  { url }: TestGateway,
  { method, path }: Pick<Operation, "method" | "path">,
  { bearer, input = {} }: { readonly bearer?: string | undefined; readonly input?: object },
): Promise<Answer> {
  const rest = new Map<string, unknown>(Object.entries(input));
  const place = path.replaceAll(/\{(\w+)\}/g, (_part, name: string) => {
    const value = String(rest.get(name) ?? "nobodys");
    rest.delete(name);
    return encodeURIComponent(value);
  });
  const isPost = method === "POST";
  const query = isPost ? "" : `?${new URLSearchParams([...rest].map(([k, v]) => [k, String(v)]))}`;
  const answer = await fetch(`${url}/admin/v1${place}${query}`, {
    method,
    headers: {
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(isPost && { "content-type": "application/json" }),
    },
    ...(isPost && { body: JSON.stringify(Object.fromEntries(rest)) }),
  });
  const body = await answer.json();
  const { code, message = "" } = body.error ?? {};
  return { status: answer.status, code, message, body };
}

async function makeToken(
  { admin: deps }: TestGateway,
  role: Role,
  project?: string,
): Promise<{ readonly id: string; readonly token: string }> {
  const input = { name: `a ${role}`, role, project };
  return await runOperation(createToken, { deps, input });
}

async function makeTokens(gateway: TestGateway) {
  const { admin: deps } = gateway;
  const expired = await makeToken(gateway, "owner");
  deps.tokens.put({ ...deps.tokens.byId(expired.id)!, expiresAt: deps.clock.now() - 1 });
  const revoked = await makeToken(gateway, "owner");
  await runOperation(revokeToken, { deps, input: { token_id: revoked.id } });
  const ofRank = async (rank: Role) => [rank, (await makeToken(gateway, rank)).token] as const;
  return {
    let_in: [
      ["owner", ADMIN_KEY],
      ...await Promise.all(RANKS.map(ofRank)),
      ["member", (await makeToken(gateway, "member", "default")).token],
    ] as readonly (readonly [Role, string])[],
    refused: [undefined, "", "at-tg-", `at-tg-${"a".repeat(43)}`, expired.token, revoked.token],
  };
}

Deno.test("every operation is for its roles, and for nobody without a token that is good", async () => {
  await using gateway = await startTestGateway({ adminKey: ADMIN_KEY });
  const tokens = await makeTokens(gateway);
  for (const operation of OPERATIONS) {
    const [least, member] = ROLE_TABLE[operation.name] ?? assert.fail(`${operation.name}: no row`);
    for (const bearer of tokens.refused) {
      const answer = await ask(gateway, operation, { bearer });
      assert.equal(answer.status, 401, `${operation.name} with ${bearer}`);
    }
    for (const [role, bearer] of tokens.let_in) {
      const { status, code, message } = await ask(gateway, operation, { bearer });
      const shown = `${operation.name} as ${role}: ${status} ${message}`;
      const may = role === "member"
        ? member !== undefined
        : RANKS.indexOf(role) >= RANKS.indexOf(least);
      if (operation.isLocal) assert.ok(status === 404 || status === 405, shown);
      else if (may) assert.ok(status !== 401 && status !== 403, shown);
      else {
        assert.deepEqual([status, code], [403, "ROLE_NOT_ALLOWED"], shown);
        assert.match(message, new RegExp(`takes the role .*${least}.* a ${role}'s: ask an owner`));
      }
    }
  }
  const log = gateway.log();
  for (const [, bearer] of tokens.let_in) assert.ok(!log.includes(bearer));
});

/** What is asked of each project by turns: its own things. */
interface Things {
  readonly project: string;
  readonly key_id: string;
  readonly request_id: string;
  readonly video_id: string;
  readonly batch_id: string;
  readonly file_id: string;
  readonly webhook_id: string;
}

async function makeThings(gateway: TestGateway, project: string): Promise<Things> {
  const { admin: deps, url } = gateway;
  const key = await gateway.key(project);
  const called = await gateway.chat(
    { model: "echo-1", messages: [{ role: "user", content: "x" }] },
    {
      key,
    },
  );
  await called.body?.cancel();
  await runOperation(rotateWebhookSecret, { deps, input: { project } });
  const film = await fetch(`${url}/v1/videos`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      ...{ model: "video-2", prompt: "fox", size: "640x360", seconds: "1" },
      callback_url: "https://hooks.invalid/ended",
    }),
  });
  const form = new FormData();
  form.set("purpose", "batch");
  form.set("file", new File(["a line"], "lines.jsonl"));
  const uploaded = await fetch(`${url}/v1/files`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  const { id: video_id } = await film.json();
  return {
    project,
    webhook_id: (await until(
      "the film's end",
      () => deps.storage.webhooks.ofVideo(video_id),
    )).id,
    file_id: (await uploaded.json()).id,
    key_id: deps.directory.keys().find(({ projectId }) => projectId === project)!.id,
    request_id: called.headers.get("x-request-id")!,
    video_id,
    batch_id: await makeBatch(
      { batches: deps.batches } as Parameters<typeof makeBatch>[0],
      project,
    ),
  };
}

/** What a member asks, made of somebody's things; those that end something come last. */
const MEMBER_ASKS: { readonly [operation: string]: (things: Things) => object } = {
  "projects.show": ({ project }) => ({ project }),
  "keys.create": ({ project }) => ({ project, name: "mine" }),
  "keys.list": ({ project }) => ({ project }),
  "keys.find": ({ project, key_id }) => ({ project, begins: key_id.slice(0, 10) }),
  "keys.show": ({ key_id }) => ({ key_id }),
  "keys.set": ({ key_id }) => ({ key_id, name: "other" }),
  "calls.list": ({ project }) => ({ project }),
  "calls.show": ({ request_id }) => ({ request_id }),
  "calls.content": ({ request_id }) => ({ request_id }),
  "refusals.report": ({ project }) => ({ project }),
  "latency.report": ({ project }) => ({ project, by: "key" }),
  "usage.recent": ({ project }) => ({ project }),
  "usage.report": ({ project }) => ({ project, by: "key" }),
  "keys.rotate": ({ key_id }) => ({ key_id }),
  "keys.end_grace": ({ key_id }) => ({ key_id }),
  "videos.list": ({ project }) => ({ project }),
  "videos.show": ({ video_id }) => ({ video_id }),
  "batches.list": ({ project }) => ({ project }),
  "batches.show": ({ batch_id }) => ({ batch_id }),
  "batches.cancel": ({ batch_id }) => ({ batch_id }),
  "files.list": ({ project }) => ({ project }),
  "files.show": ({ file_id }) => ({ file_id }),
  "webhooks.list": ({ project }) => ({ project }),
  "webhooks.resend": ({ webhook_id }) => ({ webhook_id }),
  "files.delete": ({ file_id }) => ({ file_id }),
  "videos.retry": ({ video_id }) => ({ video_id }),
  "videos.delete": ({ video_id }) => ({ video_id }),
  "keys.disable": ({ key_id }) => ({ key_id }),
  "keys.delete": ({ key_id }) => ({ key_id }),
};

Deno.test("a member has his project, and of another one no more than of what nobody has", async () => {
  await using gateway = await startTestGateway();
  const { admin: deps } = gateway;
  for (const id of ["red", "blue"]) {
    await runOperation(createProject, {
      deps,
      input: { id, unlimited: true, quotas: { prompt_days: 1 } },
    });
  }
  const [red, blue] = [await makeThings(gateway, "red"), await makeThings(gateway, "blue")];
  const nobody: Things = {
    project: "nobodys",
    key_id: "key_nobodys",
    request_id: "req_nobodys",
    video_id: "video_nobodys",
    batch_id: "batch_nobodys",
    file_id: "file-nobodys",
    webhook_id: "evt_nobodys",
  };
  const { token: bearer, id: tokenId } = await makeToken(gateway, "member", "red");
  const held = OPERATIONS.filter(({ heldTo }) => heldTo !== undefined).map(({ name }) => name);
  assert.deepEqual(Object.keys(MEMBER_ASKS).sort(), held.sort(), "each has its row");
  const before = await deps.storage.audit.list({ limit: 1000 });
  for (const [name, inputOf] of Object.entries(MEMBER_ASKS)) {
    const operation = OPERATIONS.find((one) => one.name === name)!;
    const theirs = await ask(gateway, operation, { bearer, input: inputOf(blue) });
    const nobodys = await ask(gateway, operation, { bearer, input: inputOf(nobody) });
    const plain = ({ status, code, message }: Answer, things: Things) => {
      // The longest first: an id may have a project's name in it.
      const ids = (Object.values(things) as string[]).sort((a, b) => b.length - a.length);
      return { status, code, message: ids.reduce((text, id) => text.replaceAll(id, "X"), message) };
    };
    assert.deepEqual(plain(theirs, blue), plain(nobodys, nobody), name);
    assert.equal(theirs.status, 404, `${name}: ${theirs.message}`);
  }
  assert.deepEqual(await deps.storage.audit.list({ limit: 1000 }), before, "nothing was changed");
  for (const [name, inputOf] of Object.entries(MEMBER_ASKS)) {
    const operation = OPERATIONS.find((one) => one.name === name)!;
    const own = await ask(gateway, operation, { bearer, input: inputOf(red) });
    // It has no file, so that it ends by itself: then its owner is told that, where others find none.
    const hasEnded = name === "batches.cancel" && own.code === "conflict";
    // His film is not one that failed, which likewise he alone is told.
    const isWell = name === "videos.retry" && own.code === "conflict";
    assert.ok(own.status === 200 || hasEnded || isWell, `${name}: ${own.message}`);
    const shown = JSON.stringify(own.body);
    for (const id of Object.values(blue)) assert.ok(!shown.includes(id), `${name} tells of ${id}`);
    // What names no project is about his own.
    if (!name.endsWith(".list") && !name.startsWith("usage.")) continue;
    const all = await ask(gateway, operation, { bearer });
    assert.ok(all.body.data.length > 0, name);
    assert.ok(!JSON.stringify(all.body).includes("blue"), name);
  }
  const [made] = await deps.storage.audit.list({
    limit: 1,
    operation: "keys.create",
    subject: undefined,
  });
  assert.equal(made!.actor.user, `token ${tokenId} (a member)`);
  assert.equal(made!.actor.channel, "admin_api");
});

Deno.test("a token opens administration by itself until it is revoked, and its use is noted once", async () => {
  await using gateway = await startTestGateway();
  const { admin: deps } = gateway;
  const closed = await fetch(`${gateway.url}/admin/v1/projects`);
  assert.equal(closed.status, 404);
  await closed.body?.cancel();
  const list = OPERATIONS.find(({ name }) => name === "projects.list")!;
  const { token: bearer, id } = await makeToken(gateway, "viewer");
  const stored = async () => {
    await deps.commits.flush();
    return (await deps.storage.tokens.load()).find((one) => one.id === id)!;
  };
  assert.equal((await stored()).lastUsedAt, undefined);
  assert.equal((await ask(gateway, list, { bearer })).status, 200);
  const first = (await stored()).lastUsedAt!;
  assert.ok(first > 0);
  assert.equal((await ask(gateway, list, { bearer })).status, 200);
  assert.equal((await stored()).lastUsedAt, first, "within the hour nothing more is written");
  const { hash } = await stored();
  assert.ok(!hash.includes(bearer) && hash.length === 64);
  await runOperation(revokeToken, { deps, input: { token_id: id } });
  const refused = await ask(gateway, list, { bearer });
  assert.equal(refused.status, 401);
  assert.match(refused.message, new RegExp(`The token ${id} was revoked at 20`));
});
