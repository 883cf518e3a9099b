/**
 * Every path, verb, alias and spelling of the published API with what another
 * project owns: it must be as if it had never been.
 *
 * @module
 */

import { type ApiOperation, readOperations } from "../../../fuzz/api_operation.ts";
import { Cases, type Sample } from "../cases.ts";
import {
  type IdOwner,
  makeOwnedThings,
  type OwnedThings,
  ownerOfIds,
  stillThere,
} from "../owned_things.ts";
import type { RawAnswer, RawAsk, SecurityWorld } from "../security_world.ts";
import { spellingsOfPath } from "./path_spellings.ts";

/** Headers that are no part of what an answer tells. */
const CHANGING = ["x-request-id", "date", "connection"];

export async function tryOwnership(
  world: SecurityWorld,
  { sample = (corpus) => corpus }: { readonly sample?: Sample } = {},
): Promise<Cases> {
  const cases = new Cases();
  const things = await makeOwnedThings(world);
  const answer = await world.ask({ method: "GET", target: "/openapi.json" });
  const operations = readOperations(JSON.parse(answer.body));
  const { project: before } = await world.get("/key", "mine");
  for (const operation of operations) {
    const owner = operation.path === "/videos/{file}" ? "shared" : ownerOfIds(operation);
    if (!operation.isPublic) await tryDoors(world, operation, { cases, things, owner });
    if (owner === undefined || owner === "shared") continue;
    await tryStranger(world, operation, { cases, things, owner, sample });
  }
  await tryQueries(world, operations, { cases, things });
  const { project: after } = await world.get("/key", "mine");
  cases.that(
    after.balance === before.balance,
    () => `A stranger changed the balance from ${before.balance} to ${after.balance}`,
  );
  await tryReferences(world, { cases, things });
  await tryLists(world, { cases, things });
  const found = await stillThere(world, things);
  cases.that(found === things.count, () => `Only ${found} of ${things.count} things are left`);
  cases.add(world.faults);
  return cases;
}

interface Trial {
  readonly cases: Cases;
  readonly things: OwnedThings;
}

/** The stranger's answer about what there is, is that about what never was. */
async function tryStranger(
  world: SecurityWorld,
  { method, path }: ApiOperation,
  { cases, things, owner, sample }: Trial & {
    readonly owner: Exclude<IdOwner, "shared">;
    readonly sample: Sample;
  },
): Promise<void> {
  const at = (id: string) => path.replace(/\{\w+\}/, id);
  const never = things.never[owner];
  for (const [name, headers] of HEADS) {
    const ask = (id: string) =>
      world.ask({ method, target: at(id), key: world.keys.theirs, headers });
    const expected = shown(await ask(never), never);
    for (const id of things.ids[owner]) {
      const got = shown(await ask(id), id);
      cases.that(got === expected, () => `${method} ${path} ${name}: ${got}, not ${expected}`);
      cases.that(/^(404|400) /.test(got), () => `${method} ${path} ${name}: ${got}`);
    }
  }
  for (const id of things.ids[owner]) {
    for (const target of sample(spellingsOfPath(at(id)))) {
      for (const key of [world.keys.theirs, undefined]) {
        const got = await world.ask({ method, target, key });
        const isKept = got.status >= 400 && !things.marks.some((mark) => got.body.includes(mark));
        cases.that(isKept, () => `${method} ${target}: ${shown(got, id)}`);
      }
    }
  }
}

/** Conditions and ranges must not tell either. */
const HEADS: readonly (readonly [name: string, headers: Record<string, string>])[] = [
  ["plainly", {}],
  ["with a range", { range: "bytes=0-9" }],
  ["with conditions", { "if-none-match": "*", "if-match": "*" }],
  ["as a client that tries again", { "x-stainless-retry-count": "1" }],
];

/** Anthropic's clients send their keys so, and to these paths. */
const TAKES_X_API_KEY = /\/messages(\/|$)/;

/** Nothing but a project key as a bearer opens a documented path; Anthropic's have one door more. */
async function tryDoors(
  world: SecurityWorld,
  { method, path }: ApiOperation,
  { cases, things, owner }: Trial & { readonly owner: IdOwner | undefined },
): Promise<void> {
  const { keys: { mine }, secrets } = world;
  const id = owner === undefined || owner === "shared" ? "echo" : things.ids[owner][0]!;
  const target = path.replace(/\{\w+\}/, id);
  const doors: readonly (Pick<RawAsk, "key" | "headers"> & { readonly query?: string })[] = [
    {},
    { key: secrets["the admin key"]! },
    { key: `${mine}x` },
    { key: mine.slice(0, -1) },
    { key: mine.toUpperCase() },
    { key: "" },
    { headers: { authorization: `Basic ${btoa(`:${mine}`)}` } },
    { headers: { authorization: `Token ${mine}` } },
    { headers: { authorization: mine } },
    { headers: { authorization: `Bearer ${world.keys.theirs}x, Bearer ${mine}` } },
    { headers: { authorization: `Bearer "${mine}"` } },
    { headers: { "x-api-key": mine } },
    { headers: { "api-key": mine } },
    { headers: { "x-goog-api-key": mine } },
    { headers: { "proxy-authorization": `Bearer ${mine}` } },
    { headers: { cookie: `authorization=Bearer ${mine}; key=${mine}` } },
    { headers: { "x-forwarded-authorization": `Bearer ${mine}` } },
    { query: `?api_key=${mine}&key=${mine}&access_token=${mine}` },
  ];
  for (const { query = "", ...door } of doors) {
    const body = method === "POST" ? { model: "echo", input: "x", prompt: "x" } : undefined;
    const { status } = await world.ask({ method, target: target + query, body, ...door });
    const isOpen = door.headers?.["x-api-key"] !== undefined && TAKES_X_API_KEY.test(path);
    cases.that(
      (status === 401) !== isOpen,
      () => `${method} ${target} opened with ${JSON.stringify(door)}${query}: ${status}`,
    );
  }
}

/** An id of another project as a query parameter is as unknown as any. */
async function tryQueries(
  world: SecurityWorld,
  operations: readonly ApiOperation[],
  { cases, things }: Trial,
): Promise<void> {
  const own = await world.post("/responses", { model: "echo", input: "of theirs" }, "theirs");
  const foreign = [...Object.values(things.ids).flat(), ...Object.values(things.never)];
  for (const { method, path, parameters } of operations) {
    if (!path.includes("/v1/")) continue;
    const target = path.replace(/\{\w+\}/, path.includes("/responses/") ? own.id : "echo");
    for (const { name } of parameters.filter((parameter) => parameter.in === "query")) {
      for (const id of foreign) {
        const got = await world.ask({
          method,
          target: `${target}?${name}=${id}`,
          key: world.keys.theirs,
        });
        const isKept = !things.marks.some((mark) => got.body.includes(mark));
        cases.that(isKept && got.status < 500, () => `${method} ${path}?${name}: ${got.body}`);
        if (name !== "after") continue;
        cases.that(got.status === 400 || got.status === 404, () => `${path}?after: ${got.status}`);
      }
    }
  }
}

/** Bodies that name what another project has, and keys of requests that another project made. */
async function tryReferences(world: SecurityWorld, { cases, things }: Trial): Promise<void> {
  const post = (target: string, body: object, headers: Record<string, string> = {}) =>
    world.ask({ method: "POST", target, key: world.keys.theirs, body, headers });
  const references = (id: string): readonly object[] => [
    { model: "echo", input: "and?", previous_response_id: id },
    { model: "native", input: "and?", previous_response_id: id },
    { model: "echo", input: [{ type: "item_reference", id }] },
    { model: "native", input: [{ type: "item_reference", id }] },
    { model: "echo", input: [{ id, role: "user", content: "and?" }], previous_response_id: id },
    { model: "echo", input: "and?", conversation: id },
    { model: "echo", input: "and?", conversation: { id } },
  ];
  const never = things.never.response;
  for (const [at, expected] of references(never).entries()) {
    const unknown = shown(await post("/v1/responses", expected), never);
    for (const id of things.ids.response) {
      const got = shown(await post("/v1/responses", references(id)[at]!), id);
      cases.that(got === unknown, () => `${JSON.stringify(expected)}: ${got}, not ${unknown}`);
    }
  }
  for (const prefix of ["/v1", "/api/gateway/v1"]) {
    for (const [path, body, other] of REPEATABLE) {
      const headers = { "idempotency-key": `shared-${crypto.randomUUID()}` };
      const target = prefix + path;
      const first = await world.ask({
        method: "POST",
        target,
        key: world.keys.mine,
        body,
        headers,
      });
      const second = await post(target, body, headers);
      const third = await post(target, other, {
        "idempotency-key": headers["idempotency-key"].replace("shared", "other"),
      });
      cases.that(first.status === 200, () => `${target}: ${first.body}`);
      cases.that(
        second.status === 200 && second.body !== first.body &&
          second.headers.get("idempotent-replayed") === undefined,
        () => `The key of a request of mine answered theirs at ${target}: ${shown(second, "")}`,
      );
      cases.that(third.status === 200, () => `${target}: ${third.body}`);
      const changed = await post(target, other, headers);
      cases.that(
        changed.code === "idempotency_key_reused",
        () => `Their own key with another body at ${target}: ${shown(changed, "")}`,
      );
    }
  }
}

const REPEATABLE: readonly (readonly [path: string, body: object, other: object])[] = [
  [
    "/chat/completions",
    ...bodies((content) => ({
      model: "echo",
      messages: [{ role: "user", content }],
    })),
  ],
  ["/responses", ...bodies((input) => ({ model: "echo", input }))],
  ["/videos", ...bodies((prompt) => ({ model: "film", prompt }))],
];

function bodies(make: (text: string) => object): [object, object] {
  return [make("one"), make("another")];
}

/** What lists and summaries say to a stranger. */
async function tryLists(world: SecurityWorld, { cases, things }: Trial): Promise<void> {
  const ids = Object.values(things.ids).flat();
  for (const prefix of ["/v1", "/api/gateway/v1"]) {
    for (const path of ["/videos", "/videos?limit=100&order=asc", "/models", "/key"]) {
      const target = prefix + path;
      const { status, body } = await world.ask({ method: "GET", target, key: world.keys.theirs });
      cases.that(status === 200, () => `${target}: ${status}`);
      const told = [...ids, ...things.marks, world.keyIds.mine, `"mine"`].find((one) =>
        body.includes(one)
      );
      cases.that(told === undefined, () => `${target} tells a stranger ${told}`);
    }
  }
}

/** An answer as a caller sees it, but for its own id. */
function shown({ status, headers, body }: RawAnswer, id: string): string {
  const requestId = headers.get("x-request-id") ?? "?";
  const told = [...headers].filter(([name]) => !CHANGING.includes(name)).sort();
  const text = body.replaceAll(requestId, "REQUEST");
  return `${status} ${JSON.stringify(told)} ${id === "" ? text : text.replaceAll(id, "ID")}`;
}
