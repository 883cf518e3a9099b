/**
 * The program as an operator sets it up: served, a catalogue applied, projects
 * credited and keys made, all through its own command line.
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
  apply(catalogue: string): Promise<void>;
  /** A new key of a project. */
  key(project: string, options?: { readonly models?: string }): Promise<string>;
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
  const gateway: ServedGateway = {
    server,
    url,
    async cli(...args) {
      const done = await runTollgate([...args, "--data-dir", server.dataDir, "--json"]);
      assert.equal(done.code, 0, `tollgate ${args.join(" ")}: ${done.stderr}${done.stdout}`);
      return JSON.parse(done.stdout);
    },
    async apply(text) {
      const file = `${server.cwd}/catalogue-${crypto.randomUUID()}.yaml`;
      await Deno.writeTextFile(file, text);
      await gateway.cli("apply", file, "--prune");
    },
    async key(project, { models } = {}) {
      const more = models === undefined ? [] : ["--models", models];
      return (await gateway.cli("keys", "create", "--project", project, ...more)).key;
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
