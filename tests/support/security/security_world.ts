/**
 * The program with two projects that are strangers to each other, an upstream that
 * notes every byte it gets, and a client that sends exactly what it is told. Every
 * answer that comes through here is looked at for what no answer may ever have.
 *
 * @module
 */

import assert from "node:assert/strict";
import { answerBody, chunk, finishChunk, usageChunk } from "../chat_bodies.ts";
import { embedding } from "../embedding_upstream.ts";
import {
  type FakeUpstream,
  jsonReply,
  type RecordedRequest,
  type Reply,
  sseReply,
  startFakeUpstream,
} from "../fake_upstream.ts";
import { RawSocket } from "../raw_socket.ts";
import { responseBody } from "../response_bodies.ts";
import { type ServedGateway, serveGateway } from "../served_gateway.ts";
import { until } from "../until.ts";
import {
  UPSTREAM_VARIABLE,
  WORLD_PROJECTS,
  worldCatalogue,
  type WorldProject,
} from "./world_catalogue.ts";

// deno-lint-ignore no-explicit-any -- each path has its own answer
type Json = any;

/** How to start. */
export interface SecurityWorldOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** See `StartOptions.through`. */
  readonly through?: readonly string[];
  /** Answers before the upstream does; `undefined` leaves the request to it. */
  readonly upstream?: (request: RecordedRequest) => Reply | undefined;
}

/** A request, to be sent as it is written. */
export interface RawAsk {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Sent as a bearer key; none when absent. */
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text as it is, anything else as JSON. */
  readonly body?: unknown;
  /** Whether its upstream is broken, so that 502 and 503 are right. */
  readonly mayFail?: boolean;
}

/** What came back. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** `error.code`, `""` where there is none. */
  readonly code: string;
}

/** The only paths at which the upstream may be asked. */
const UPSTREAM_TARGETS = ["/v1/chat/completions", "/v1/responses", "/v1/embeddings"];
/** The only headers that the upstream may see. */
const UPSTREAM_HEADERS = new Set([
  "host",
  "authorization",
  "content-type",
  "content-length",
  "accept",
  "accept-encoding",
  "user-agent",
  "connection",
]);
/** Words of the program's inside; an answer of another kind may repeat what its caller sent. */
const INSIDE = /\.ts:\d|\bat \S+ \(|SQLITE_|tollgate\.db|os error/;

/** `await using` ends it. */
export class SecurityWorld implements AsyncDisposable {
  readonly gateway: ServedGateway;
  readonly upstream: FakeUpstream;
  readonly keys: Readonly<Record<WorldProject, string>>;
  /** Ids of {@linkcode SecurityWorld.keys}. */
  readonly keyIds: Readonly<Record<WorldProject, string>>;
  /** By what they are: everything that no answer may have. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly #faults = new Set<string>();

  private constructor(parts: {
    readonly gateway: ServedGateway;
    readonly upstream: FakeUpstream;
    readonly keys: Record<WorldProject, string>;
    readonly keyIds: Record<WorldProject, string>;
    readonly secrets: Record<string, string>;
  }) {
    this.gateway = parts.gateway;
    this.upstream = parts.upstream;
    this.keys = parts.keys;
    this.keyIds = parts.keyIds;
    this.secrets = parts.secrets;
  }

  static async start(options: SecurityWorldOptions = {}): Promise<SecurityWorld> {
    const upstream = await startFakeUpstream((request) =>
      options.upstream?.(request) ?? answerAsAsked(request)
    );
    const secrets: Record<string, string> = {
      "the upstream's key": `upstream-canary-${crypto.randomUUID()}`,
      "the admin key": `admin-canary-${crypto.randomUUID()}`,
    };
    let gateway: ServedGateway | undefined;
    try {
      gateway = await serveGateway({
        args: options.args ?? [],
        env: {
          [UPSTREAM_VARIABLE]: secrets["the upstream's key"]!,
          TOLLGATE_ADMIN_KEY: secrets["the admin key"]!,
          ...options.env,
        },
        ...(options.through !== undefined && { through: options.through }),
      });
      const keys: Record<string, string> = {};
      const keyIds: Record<string, string> = {};
      const world = new SecurityWorld({ gateway, upstream, keys, keyIds, secrets });
      await world.admin("POST", "/catalogue/apply", {
        text: worldCatalogue(upstream.url),
        prune: true,
      });
      for (const project of WORLD_PROJECTS) {
        await world.admin("POST", `/projects/${project}/credit`, { amount: "1000" });
        const made = await world.admin("POST", "/keys", { project });
        const hook = await world.admin("POST", `/projects/${project}/webhook-secret`, {});
        keys[project] = made.key;
        keyIds[project] = made.id;
        secrets[`the key of ${project}`] = made.key;
        secrets[`the webhook secret of ${project}`] = hook.secret;
      }
      return world;
    } catch (error) {
      await gateway?.[Symbol.asyncDispose]();
      await upstream.stop();
      throw error;
    }
  }

  /** What answers and the upstream have seen that nobody should. */
  get faults(): readonly string[] {
    return [...this.#faults, ...this.upstream.requests.flatMap((one) => this.#faultsOf(one))];
  }

  /** Sends exactly this. */
  async ask(ask: RawAsk): Promise<RawAnswer> {
    const { method, target, key, headers = {}, body } = ask;
    const { hostname, port } = new URL(this.gateway.url);
    using socket = await RawSocket.connect({ transport: "tcp", hostname, port: Number(port) });
    const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
    const lines = {
      ...("host" in headers ? {} : { host: `${hostname}:${port}` }),
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
      "content-length": String(new TextEncoder().encode(text).length),
      connection: "close",
    };
    const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`).join("");
    await socket.send(`${method} ${target} HTTP/1.1\r\n${head}\r\n${text}`);
    const answer = await socket.readResponse({ bodyless: method === "HEAD" });
    this.#look(ask, answer);
    return { ...answer, code: errorCode(answer.body) };
  }

  /** Posts JSON under `/v1` with a project's key; fails unless it is answered with 200. */
  async post(path: string, body: object, project: WorldProject = "mine"): Promise<Json> {
    const { status, body: text } = await this.ask({
      method: "POST",
      target: `/v1${path}`,
      key: this.keys[project],
      body,
    });
    assert.equal(status, 200, `POST ${path}: ${text}`);
    return JSON.parse(text);
  }

  /** Gets JSON under `/v1` with a project's key; fails unless it is answered with 200. */
  async get(path: string, project: WorldProject = "mine"): Promise<Json> {
    const { status, body } = await this.ask({
      method: "GET",
      target: `/v1${path}`,
      key: this.keys[project],
    });
    assert.equal(status, 200, `GET ${path}: ${body}`);
    return JSON.parse(body);
  }

  /** A batch whose one line says this, once it has ended; it is told this too. */
  async batch(text: string, project: WorldProject = "mine"): Promise<Json> {
    const line = {
      custom_id: text,
      method: "POST",
      url: "/v1/chat/completions",
      body: { model: "plain", messages: [{ role: "user", content: text }] },
    };
    const file = await this.upload(JSON.stringify(line), project, "batch");
    const { id } = await this.post("/batches", {
      input_file_id: file.id,
      endpoint: line.url,
      completion_window: "24h",
      metadata: { text },
    }, project);
    return await until("the batch to end", async () => {
      const batch = await this.get(`/batches/${id}`, project);
      return batch.status === "completed" && batch.output_file_id !== null ? batch : undefined;
    });
  }

  /** A file of this text. */
  async upload(
    text: string,
    project: WorldProject = "mine",
    purpose: "user_data" | "batch" = "user_data",
  ): Promise<Json> {
    const part = (name: string, value: string) =>
      `--line\r\ncontent-disposition: form-data; ${name}\r\n\r\n${value}\r\n`;
    const { status, body } = await this.ask({
      method: "POST",
      target: "/v1/files",
      key: this.keys[project],
      headers: { "content-type": "multipart/form-data; boundary=line" },
      body: `${part('name="purpose"', purpose)}${
        part('name="file"; filename="own.txt"', text)
      }--line--\r\n`,
    });
    assert.equal(status, 200, `POST /files: ${body}`);
    return JSON.parse(body);
  }

  /** An operation of administration; fails unless it is done. */
  async admin(method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<Json> {
    const response = await fetch(`${this.gateway.url}/admin/v1${path}`, {
      method,
      headers: {
        "authorization": `Bearer ${this.secrets["the admin key"]}`,
        "content-type": "application/json",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.equal(response.status, 200, `${method} ${path}: ${text}`);
    return JSON.parse(text);
  }

  /** A film that is there. */
  async film(fields: object = {}, project: WorldProject = "mine"): Promise<Json> {
    const { id } = await this.post(
      "/videos",
      { model: "film", prompt: "a red kite", ...fields },
      project,
    );
    return await until(`${id} to be there`, async () => {
      const task = await this.get(`/videos/${id}`, project);
      return task.status === "completed" && task;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway[Symbol.asyncDispose]();
    await this.upstream.stop();
  }

  #look({ method, target, mayFail = false }: RawAsk, { status, headers, body }: {
    readonly status: number;
    readonly headers: ReadonlyMap<string, string>;
    readonly body: string;
  }): void {
    const shown = `${method} ${target.slice(0, 120)} answered ${status}`;
    const fault = (what: string) => this.#faults.add(`${shown}: ${what}: ${body.slice(0, 200)}`);
    if (status >= 500 && !(mayFail && (status === 502 || status === 503))) fault("a failure");
    if (/html|xml|javascript/.test(headers.get("content-type") ?? "")) fault("markup");
    if (headers.get("x-content-type-options") !== "nosniff") fault("its type may be guessed");
    const told = `${[...headers].flat().join("\n")}\n${body}`;
    for (const [name, secret] of Object.entries(this.secrets)) {
      if (told.includes(secret)) fault(`tells ${name}`);
    }
    if (status >= 400 && INSIDE.test(body)) fault("tells of the inside");
  }

  #faultsOf({ method, target, headers, head, body }: RecordedRequest): readonly string[] {
    const faults: string[] = [];
    if (method !== "POST" || !UPSTREAM_TARGETS.includes(target)) faults.push(`${method} ${target}`);
    for (const name of headers.keys()) {
      if (!UPSTREAM_HEADERS.has(name)) faults.push(`the header ${name}`);
    }
    if (headers.get("host") !== `127.0.0.1:${this.upstream.port}`) faults.push("another host");
    for (const [name, secret] of Object.entries(this.secrets)) {
      const text = name === "the upstream's key" ? body : `${head}\n${body}`;
      if (text.includes(secret)) faults.push(name);
    }
    return faults.map((what) => `The upstream got ${what}: ${head.slice(0, 200)}`);
  }
}

function errorCode(body: string): string {
  try {
    return JSON.parse(body)?.error?.code ?? "";
  } catch {
    return ""; // A film, a stream, or nothing.
  }
}

function answerAsAsked(request: RecordedRequest): Reply {
  // The doctor's look at its models.
  if (request.method === "GET") return jsonReply({ object: "list", data: [] });
  if (request.target.endsWith("/embeddings")) {
    return embedding({ form: "as_asked", order: "in_order" })(request);
  }
  if (request.target.endsWith("/responses")) return jsonReply(responseBody());
  if (request.json().stream !== true) return jsonReply(answerBody("Hi"));
  return sseReply([chunk({ content: "Hi" }), finishChunk(), usageChunk(3, 1), "[DONE]"]);
}
