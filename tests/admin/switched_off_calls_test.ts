/**
 * Why an operator had switched a route off, in the routing decision of calls that met it: for whoever
 * runs the gateway, also once the route is back, and never for callers or a project's members.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createProject } from "../../src/admin/accounts/projects.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { listCalls } from "../../src/admin/list_calls.ts";
import { showCall } from "../../src/admin/calls.ts";
import {
  disableRoute,
  enableRoute,
  maintainRoute,
} from "../../src/admin/catalogue/route_switches.ts";
import type { Rights } from "../../src/domain/roles.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";

const CATALOGUE = `
providers: [{ id: builtin, kind: builtin }]
models:
  - id: words
    kind: chat
    routes:
      - { id: builtin/one, provider: builtin, upstream_model: echo-1, free: true }
      - { id: builtin/two, provider: builtin, upstream_model: echo-1, free: true, priority: 1 }
projects:
  - { id: default, unlimited: true }
`;
const WHY = "it bills twice";

async function ask(gateway: TestGateway, key?: string): Promise<[status: number, id: string]> {
  const body = { model: "words", messages: [{ role: "user", content: "x" }] };
  const answer = await gateway.chat(body, key === undefined ? {} : { key });
  const text = await answer.text();
  assert.ok(!text.includes(WHY), "no caller is told");
  return [answer.status, answer.headers.get("x-request-id")!];
}

const shown = async (
  { admin: deps }: TestGateway,
  request_id: string,
  rights: Rights = { role: "viewer" },
) => {
  const origin = { ...deps.origin, rights };
  return (await runOperation(showCall, { deps, origin, input: { request_id } })).decision;
};

Deno.test("a call that met a route which was switched off tells why, also later, and members no more than that it was", async () => {
  await using gateway = await startTestGateway({ catalogue: CATALOGUE });
  const { admin: deps } = gateway;
  await runOperation(disableRoute, { deps, input: { route: "builtin/one", reason: WHY } });
  const [served, first] = await ask(gateway);
  assert.equal(served, 200);
  await runOperation(maintainRoute, { deps, input: { route: "builtin/two" } });
  const [refused, second] = await ask(gateway);
  assert.equal(refused, 503);
  for (const route of ["builtin/one", "builtin/two"]) {
    await runOperation(enableRoute, { deps, input: { route } });
  }
  const details = (decision: Awaited<ReturnType<typeof shown>>) =>
    decision?.left_out.map(({ route, reason, detail = "" }) =>
      `${route} ${reason} ${detail.replace(/since \S+Z/, "SINCE")}`
    );
  assert.deepEqual(details(await shown(gateway, first)), [
    `builtin/one disabled SINCE: ${WHY}`,
  ]);
  const refusedDecision = await shown(gateway, second);
  assert.deepEqual(refusedDecision?.ranked, []);
  assert.deepEqual(details(refusedDecision), [
    `builtin/one disabled SINCE: ${WHY}`,
    "builtin/two maintenance SINCE",
  ]);
  const member = { role: "member", project: "default" } as const;
  assert.deepEqual(details(await shown(gateway, first, member)), ["builtin/one disabled "]);
  assert.deepEqual(details(await shown(gateway, second, member)), [
    "builtin/one disabled ",
    "builtin/two maintenance ",
  ]);
  const origin = { ...deps.origin, rights: member };
  const { data } = await runOperation(listCalls, { deps, origin, input: {} });
  assert.equal(data.length, 2);
  assert.ok(!JSON.stringify(data).includes(WHY));
});

Deno.test("a request that was refused before routes were asked has no routing decision", async () => {
  await using gateway = await startTestGateway({ catalogue: CATALOGUE });
  const { admin: deps } = gateway;
  await runOperation(createProject, { deps, input: { id: "closed" } });
  const [status, id] = await ask(gateway, await gateway.key("closed", ["other"]));
  assert.equal(status, 403);
  assert.equal(await shown(gateway, id), undefined);
});
