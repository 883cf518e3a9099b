/**
 * A whole gateway in this process: real database in a temporary folder, real
 * sockets, a catalogue file. For tests that need to see inside; what a user does
 * is tested on the executable.
 *
 * @module
 */

import "./held_answers.ts";
import type { DiskSettings, GuardSettings, Settings } from "../../src/config/process_settings.ts";
import type { AdminDeps } from "../../src/admin/base/deps.ts";
import { applyCatalogueText } from "../../src/admin/catalogue/apply_catalogue.ts";
import { createKey } from "../../src/admin/accounts/keys.ts";
import { creditProject } from "../../src/admin/accounts/credit_project.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import type { RunningGateway } from "../../src/app/gateway.ts";
import { createLog, startGateway } from "../../src/app/gateway.ts";
import type { OidcSettings } from "../../src/domain/oidc.ts";
import { systemClock } from "../../src/domain/clock.ts";
import { writeNewDatabase } from "./new_database.ts";

/** How to start. */
export interface TestGatewayOptions {
  /** A catalogue file; the built-in first run without one. */
  readonly catalogue?: string;
  /** Values of `env:NAME` references. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** An existing data dir, which then is not removed. */
  readonly dataDir?: string;
  readonly drainTimeoutMs?: number;
  readonly disk?: Partial<DiskSettings>;
  readonly adminKey?: string;
  readonly guard?: GuardSettings;
  /** Whether there are pages; there are unless given. */
  readonly console?: "on" | "off";
  /** Who signs people in at the console. */
  readonly oidc?: OidcSettings;
  /** Any free one unless given. */
  readonly port?: number;
  readonly privateAddresses?: boolean;
  /** Bytes that all bodies in flight may have together; the default of a server unless given. */
  readonly maxInFlightBytes?: number;
  /** Files of requests; the defaults of a server unless given. */
  readonly uploads?: Partial<Settings["uploads"]>;
  /** How batches are worked on; the defaults of a server unless given. */
  readonly batches?: Partial<Settings["batches"]>;
  /** Whether usual calls are made by callbacks; they are unless given. */
  readonly quickCalls?: Settings["quickCalls"];
}

/** A gateway under test. */
export interface TestGateway extends AsyncDisposable {
  readonly url: string;
  readonly running: RunningGateway;
  readonly admin: AdminDeps;
  readonly dataDir: string;
  /** Everything logged so far. */
  log(): string;
  /** A key of a project. */
  key(project: string, models?: readonly string[]): Promise<string>;
  credit(project: string, amount: string): Promise<void>;
  /** Posts a chat body; the key is the `default` project's unless given. */
  chat(body: unknown, options?: ChatOptions): Promise<Response>;
  stop(): Promise<void>;
}

/** How to send a chat request. */
export interface ChatOptions {
  readonly key?: string;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts a gateway on a free port. */
export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const dataDir = options.dataDir ?? await Deno.makeTempDir({ prefix: "tollgate-test-" });
  if (options.dataDir === undefined) await writeNewDatabase(`${dataDir}/tollgate.db`);
  const decoder = new TextDecoder();
  let logged = "";
  const log = createLog({
    format: "json",
    isTerminal: false,
    color: false,
    level: "info",
    clock: systemClock,
    secrets: () => Object.values(options.secrets ?? {}),
    write: (bytes) => {
      logged += decoder.decode(bytes);
      return Promise.resolve();
    },
  });
  const running = await startGateway({
    listen: { hostname: "127.0.0.1", port: options.port ?? 0 },
    dataDir,
    socketPath: `${dataDir}/control.sock`,
    baseUrl: undefined,
    catalog: undefined,
    adminKey: options.adminKey,
    console: options.console,
    guard: options.guard,
    oidc: options.oidc,
    bodies: {
      maxJsonBytes: 20 * 1024 * 1024,
      maxFormBytes: 50 * 1024 * 1024,
      maxInFlightBytes: options.maxInFlightBytes ?? 256 * 1024 * 1024,
      maxJsonDepth: 200,
    },
    uploads: {
      maxBytes: 512 * 1024 ** 2,
      maxInFlightBytes: 4 * 1024 ** 3,
      quotaBytes: 10 * 1024 ** 3,
      ...options.uploads,
    },
    batches: { linesAtOnce: 16, linesPerBatch: 8, ...options.batches },
    quickCalls: options.quickCalls,
    connections: {},
    drainTimeoutMs: options.drainTimeoutMs ?? 30_000,
    videos: {
      deletedVideoCharge: "progress",
      publicLinks: true,
      webhookPrivateAddresses: options.privateAddresses ?? false,
    },
    disk: { reserveBytes: 0, keptBytesPerProject: 268_435_456, ...options.disk },
    resolveSecret(reference) {
      const value = options.secrets?.[reference.replace(/^env:/, "")];
      return value === undefined
        ? { ok: false, message: `${reference} has no value` }
        : { ok: true, value };
    },
    log,
  });
  const deps = running.admin;
  let defaultKey = running.firstRun?.key;
  if (options.catalogue !== undefined) {
    await applyCatalogueText(deps, {
      file: "test.yaml",
      text: options.catalogue,
      dry_run: false,
      prune: true,
    });
  }
  const stop = async () => {
    await running.stop();
    if (options.dataDir === undefined) await Deno.remove(dataDir, { recursive: true });
  };
  let stopped: Promise<void> | undefined;
  const gateway: TestGateway = {
    url: running.baseUrl,
    running,
    admin: deps,
    dataDir,
    log: () => logged,
    async key(project, models) {
      const made = await runOperation(createKey, {
        deps,
        input: {
          project,
          name: "test",
          limits: {},
          budgets: {},
          ...(models === undefined ? {} : { models: [...models] }),
        },
      });
      return made.key;
    },
    async credit(project, amount) {
      await runOperation(creditProject, { deps, input: { project, amount } });
    },
    async chat(body, { key, signal, headers } = {}) {
      defaultKey ??= await gateway.key("default");
      return await fetch(`${running.baseUrl}/v1/chat/completions`, {
        method: "POST",
        headers: {
          "authorization": `Bearer ${key ?? defaultKey}`,
          "content-type": "application/json",
          ...headers,
        },
        body: typeof body === "string" ? body : JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      });
    },
    stop: () => stopped ??= stop(),
    [Symbol.asyncDispose]: () => stopped ??= stop(),
  };
  return gateway;
}
