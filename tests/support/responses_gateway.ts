/**
 * A gateway in this process with models for the Responses API and embeddings, a
 * project that pays, and what tests ask of it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { JsonObject } from "../../src/domain/json_value.ts";
import { until } from "./until.ts";
import { startTestGateway, type TestGateway, type TestGatewayOptions } from "./gateway.ts";

/** How to send a request. */
export interface ApiOptions {
  /** Key of the project that pays unless given. */
  readonly key?: string;
  /** JSON, unless it is text already. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly prefix?: "/v1" | "/api/gateway/v1";
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer as a test looks at it. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any -- each path has its own answer
  readonly body: any;
}

export interface ResponsesGateway extends TestGateway {
  /** A key of the project `paying`, which has a balance of 10. */
  readonly payer: string;
  /** A key of another project. */
  readonly stranger: string;
  /** Asks for a path under the prefix. */
  send(method: string, path: string, options?: ApiOptions): Promise<Response>;
  /** The same, with the answer's JSON. */
  api(method: string, path: string, options?: ApiOptions): Promise<ApiAnswer>;
  /** `POST responses` by the model `m`, which must succeed. */
  respond(fields: JsonObject, options?: ApiOptions): Promise<JsonObject & { readonly id: string }>;
  /** Resolves when every call has ended and is on disk. */
  quiet(): Promise<void>;
  /** What the paying project can spend and what is held, in memory and on disk alike. */
  balance(): Promise<{ readonly avail: bigint; readonly held: bigint }>;
}

const PRICE = `cost: { input: "1", output: "2" }, sale: { input: "2", output: "4" }`;

/**
 * At an upstream: `m`, which has only chat, `native`, which has `/responses`,
 * `both`, of two such routes, and `embed`, which takes two inputs at once;
 * built-in: `echo-1`, `slow` and `hash-embed-1`.
 */
export function responsesCatalogue(upstreamUrl: string): string {
  const upstream = `provider: remote, ${PRICE}`;
  return `
currency: USD
providers:
  - { id: builtin, kind: builtin }
  - { id: remote, kind: openai_compatible, base_url: "${upstreamUrl}", auth: none }
models:
  - id: m
    kind: chat
    routes: [{ id: remote/m, upstream_model: upstream-m, ${upstream} }]
  - id: native
    kind: chat
    routes: [{ id: remote/native, upstream_model: upstream-n, supports: { responses: true }, ${upstream} }]
  - id: both
    kind: chat
    routes:
      - { id: remote/first, upstream_model: first, ${upstream} }
      - { id: remote/second, upstream_model: second, ${upstream} }
  - id: embed
    kind: embedding
    routes: [{ id: remote/embed, upstream_model: upstream-e, supports: { max_inputs: 2 }, ${upstream} }]
  - id: echo-1
    kind: chat
    routes: [{ id: builtin/echo-1, provider: builtin, upstream_model: echo-1, ${PRICE} }]
  - id: slow
    kind: chat
    routes: [{ id: builtin/slow, provider: builtin, upstream_model: "echo-1:stall", ${PRICE} }]
  - id: hash-embed-1
    kind: embedding
    routes: [{ id: builtin/hash-embed-1, provider: builtin, upstream_model: hash-embed-1, ${PRICE} }]
projects:
  - { id: default, unlimited: true }
  - { id: paying, unlimited: false }
`;
}

/** Starts it against an upstream. */
export async function startResponsesGateway(
  upstreamUrl = "http://127.0.0.1:9/v1",
  options: Omit<TestGatewayOptions, "catalogue"> = {},
): Promise<ResponsesGateway> {
  const gateway = await startTestGateway({
    ...options,
    catalogue: responsesCatalogue(upstreamUrl),
  });
  await gateway.credit("paying", "10");
  const payer = await gateway.key("paying");
  const stranger = await gateway.key("default");
  async function send(
    method: string,
    path: string,
    { key, body, signal, prefix, headers }: ApiOptions = {},
  ): Promise<Response> {
    return await fetch(`${gateway.url}${prefix ?? "/v1"}${path}`, {
      method,
      headers: {
        "authorization": `Bearer ${key ?? payer}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  }
  async function api(method: string, path: string, options?: ApiOptions): Promise<ApiAnswer> {
    const response = await send(method, path, options);
    return {
      status: response.status,
      headers: response.headers,
      body: await response.json(),
    };
  }
  return Object.assign(gateway, {
    payer,
    stranger,
    send,
    api,
    async respond(fields: JsonObject, options: ApiOptions = {}) {
      const body = { model: "m", ...fields };
      const answer = await api("POST", "/responses", { ...options, body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body;
    },
    async quiet() {
      await until("the end of every call", () => gateway.running.openCalls() === 0, { everyMs: 1 });
      await gateway.admin.commits.flush();
    },
    async balance() {
      const { avail, held } = gateway.admin.ledger.balanceOf("paying");
      await gateway.admin.commits.flush();
      const stored = (await gateway.admin.storage.accounts.loadBalances())
        .find(({ projectId }) => projectId === "paying");
      assert.deepEqual(stored, { projectId: "paying", avail, held });
      return { avail, held };
    },
  });
}

/** Id and status of every kept answer, whoever's it is. */
export async function keptResponses(
  gateway: ResponsesGateway,
): Promise<readonly { readonly id: string; readonly status: string }[]> {
  await gateway.admin.commits.flush();
  const database = new DatabaseSync(`${gateway.dataDir}/tollgate.db`, { readOnly: true });
  try {
    return database.prepare("SELECT id, status FROM stored_responses ORDER BY call_id").all()
      .map(({ id, status }) => ({ id: String(id), status: String(status) }));
  } finally {
    database.close();
  }
}

/** The parsed events of a stream, which must be framed as clients need it; comments are left out. */
export function eventsOf(text: string): JsonObject[] {
  assert.ok(text.endsWith("\n\n"), "the last frame is whole");
  return text.split("\n\n").slice(0, -1).filter((frame) => !frame.startsWith(":")).map((frame) => {
    const [, name, data] = /^event: (\S+)\ndata: (\{.*\})$/.exec(frame) ?? [];
    assert.ok(data !== undefined, `no event: ${frame}`);
    const event = JSON.parse(data) as JsonObject;
    assert.equal(event.type, name);
    return event;
  });
}
