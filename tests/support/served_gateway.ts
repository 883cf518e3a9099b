/**
 * The program as an operator sets it up: served, a catalogue applied, projects credited and keys
 * made, through its control socket. What a test is about is a command; a process for each of the
 * others is most of what a test of the executable would cost.
 *
 * @module
 */

import assert from "node:assert/strict";
import {
  type RunningTollgate,
  runTollgate,
  type StartOptions,
  startTollgate,
} from "./executable.ts";

/** How to start. */
export interface ServedOptions extends StartOptions {
  /** Applied once the server runs. */
  readonly catalogue?: string;
}

/** A served gateway and the command line beside it. `await using` ends it. */
export interface ServedGateway extends AsyncDisposable {
  readonly server: RunningTollgate;
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Runs a command on the data dir with `--json`; fails unless it exits with 0. */
  // deno-lint-ignore no-explicit-any -- each command has its own answer
  cli(...args: string[]): Promise<any>;
  /** The same operations of the running server at its control socket; fails unless it answers 200. */
  // deno-lint-ignore no-explicit-any -- each operation has its own answer
  admin(method: "GET" | "POST", path: string, body?: object): Promise<any>;
  /** Begins a long operation there as a job, and gives its result. */
  // deno-lint-ignore no-explicit-any -- each operation has its own answer
  job(path: string, body?: object): Promise<any>;
  apply(catalogue: string): Promise<void>;
  credit(project: string, amount: string): Promise<void>;
  /** A new key of a project. */
  key(project: string, settings?: { readonly models?: readonly string[] }): Promise<string>;
  /** `GET`s JSON with a key. */
  // deno-lint-ignore no-explicit-any -- each path has its own answer
  get(path: string, key: string): Promise<any>;
  /** Posts a chat body: bytes and text as they are, anything else as JSON. */
  chat(key: string, body: unknown, options?: Omit<RequestInit, "body">): Promise<Response>;
}

/** Starts the program and sets it up. */
export async function serveGateway(options: ServedOptions = {}): Promise<ServedGateway> {
  const { catalogue, ...start } = options;
  const server = await startTollgate(start);
  const url = server.baseUrl;
  const ask = async (
    method: string,
    path: string,
    { body, status, headers }: {
      readonly body?: object | undefined;
      readonly status: number;
      readonly headers?: Record<string, string>;
    },
  ) => {
    const unix = { transport: "unix", path: `${server.dataDir}/control.sock` } as const;
    using client = Deno.createHttpClient({ proxy: unix });
    const response = await fetch(`http://127.0.0.1/admin/v1${path}`, {
      method,
      client,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    assert.equal(response.status, status, `${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const gateway: ServedGateway = {
    server,
    url,
    async cli(...args) {
      const done = await runTollgate([...args, "--data-dir", server.dataDir, "--json"], {
        env: databaseOf(options.env),
      });
      assert.equal(done.code, 0, `tollgate ${args.join(" ")}: ${done.stderr}${done.stdout}`);
      return JSON.parse(done.stdout);
    },
    admin: (method, path, body) => ask(method, path, { body, status: 200 }),
    async job(path, body = {}) {
      const headers = { prefer: "respond-async" };
      const { id } = await ask("POST", path, { body, status: 202, headers });
      for (;;) {
        const { state, result } = await gateway.admin("GET", `/jobs/${id}`);
        if (state === "running") continue;
        assert.equal(state, "completed", path);
        return result;
      }
    },
    async apply(text) {
      await gateway.admin("POST", "/catalogue/apply", { text, prune: true });
    },
    async credit(project, amount) {
      await gateway.admin("POST", `/projects/${project}/credit`, { amount });
    },
    async key(project, settings = {}) {
      return (await gateway.admin("POST", "/keys", { project, ...settings })).key;
    },
    async get(path, key) {
      const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
      const body = await response.json();
      assert.equal(response.status, 200, JSON.stringify(body));
      return body;
    },
    async chat(key, body, init = {}) {
      return await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        ...init,
        headers: {
          "authorization": `Bearer ${key}`,
          "content-type": "application/json",
          ...init.headers as Record<string, string> | undefined,
        },
        body: typeof body === "string" || body instanceof ReadableStream
          ? body
          : JSON.stringify(body),
      });
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  try {
    if (catalogue !== undefined) await gateway.apply(catalogue);
    return gateway;
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

/** Of a server's variables, those that say which database its books are in. */
function databaseOf(env: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => name.startsWith("TOLLGATE_DATABASE_")),
  );
}
