import assert from "node:assert/strict";
import { hashKey } from "../../../src/accounts/project_key.ts";
import { KeyDirectory } from "../../../src/accounts/key_directory.ts";
import { ServingThreads } from "../../../src/app/threads/serving_threads.ts";
import { CatalogueHolder } from "../../../src/catalog/snapshot.ts";
import { systemClock } from "../../../src/domain/clock.ts";
import { SealedRoutes } from "../../../src/gateway/sealed_routes.ts";
import { Limiter } from "../../../src/limits/limiter.ts";
import { RouteCapacity } from "../../../src/limits/route_capacity.ts";
import { Health } from "../../../src/routing/health.ts";
import type { Log, LogFields } from "../../../src/telemetry/log.ts";
import { keyOf, openLedger } from "../../support/ledger_bench.ts";
import { until } from "../../support/until.ts";

const PROJECT = {
  id: "p",
  unlimited: false,
  disabled: false,
  models: ["*"],
  limits: { concurrent: 2 },
  budgets: {},
  quotas: {},
  createdAt: 0,
};

const KEY = {
  id: "k",
  projectId: "p",
  name: "",
  prefix: "sk-tg-o",
  expiresAt: undefined,
  hash: hashKey(keyOf),
  models: undefined,
  limits: {},
  budgets: {},
  disabled: false,
  createdAt: 0,
} as const;

/** Hears what is logged; whoever waits for an event goes on with its first. */
function listeningLog() {
  const heard = new Map<string, PromiseWithResolvers<LogFields>>();
  const of = (event: string) => {
    const found = heard.get(event) ?? Promise.withResolvers<LogFields>();
    heard.set(event, found);
    return found;
  };
  const write = (event: string, fields: LogFields = {}) => of(event).resolve(fields);
  const log: Log = {
    debug: write,
    info: write,
    warn: write,
    error: write,
    call() {},
    flush: () => Promise.resolve(),
  };
  return { log, next: (event: string) => of(event).promise };
}

/** One thread that runs a file of `tests/support`, beside what the main thread has. */
async function startOdd(
  file: string,
  settings: { readonly endedAfterMs?: number } = {},
) {
  const bench = await openLedger();
  const { log, next } = listeningLog();
  const clock = systemClock;
  const limiter = new Limiter({ clock });
  const threads = await ServingThreads.start({
    count: 1,
    entry: new URL(`../../support/${file}`, import.meta.url),
    ...settings,
    start: {
      callCount: new SharedArrayBuffer(8),
      idKey: new Uint8Array(32),
      listen: { hostname: "127.0.0.1", port: 0 },
      passagePath: "",
      limits: {},
      bodies: {
        maxJsonBytes: 1,
        maxFormBytes: 1,
        maxInFlightBytes: 1,
        maxJsonDepth: 1,
      },
      trustedProxies: undefined,
      usual: { mostBodyBytes: 1, hasBrowsers: false },
      isQuick: true,
      proxied: undefined,
    },
    ledger: bench.ledger,
    spending: { admit() {} },
    directory: new KeyDirectory([PROJECT], [KEY]),
    catalogue: new CatalogueHolder({ currency: "USD", providers: [], models: [] }),
    health: new Health({ clock }),
    limiter,
    capacity: new RouteCapacity({ clock }),
    seals: new SealedRoutes({ routeOf: () => undefined }),
    clock,
    log,
    onCall() {},
    onAttemptFailed() {},
    onKeyRefused() {},
    onRequest() {},
  });
  return {
    ...{ bench, next, limiter, threads },
    async [Symbol.asyncDispose]() {
      await threads.close();
      await bench[Symbol.asyncDispose]();
    },
  };
}

Deno.test("a thread that ends by a fault leaves nothing behind, and another takes its place", async () => {
  await using odd = await startOdd("odd_thread_worker.ts");
  const { bench, next, limiter, threads } = odd;
  const ended = await next("serving_thread_ended");
  assert.deepEqual([ended.thread, ended.released], [1, 1]);
  assert.match(String(ended.message), /a fault of the thread/);
  assert.deepEqual(threads.warnings(), ["serving thread 1 has ended and is started again"]);
  assert.deepEqual(bench.ledger.balanceOf("p"), { projectId: "p", avail: 250n, held: 0n });
  const subject = { scope: "project", id: "p", limits: PROJECT.limits } as const;
  assert.equal(limiter.remaining(subject).concurrent?.remaining, 2);
  const released = await bench.storage.calls.find(1);
  assert.ok(released !== undefined && released.state !== "open");
  assert.equal(released.result, "gateway_stopped");
  await next("serving_thread_started");
  assert.deepEqual(threads.warnings(), []);
});

Deno.test("a thread that hangs is ended, its calls are released, and another takes its place", async () => {
  await using odd = await startOdd("hung_thread_worker.ts", { endedAfterMs: 1_000 });
  const { bench, next } = odd;
  assert.equal((await next("serving_thread_hangs")).thread, 1);
  const ended = await next("serving_thread_ended");
  assert.deepEqual([ended.thread, ended.released], [1, 1]);
  assert.deepEqual(bench.ledger.balanceOf("p"), { projectId: "p", avail: 250n, held: 0n });
  await next("serving_thread_started");
});

Deno.test("a thread that hangs keeps no gateway from stopping", async () => {
  await using odd = await startOdd("hung_thread_worker.ts");
  const { bench, threads } = odd;
  await until("the hold is told of", () => bench.ledger.balanceOf("p").held > 0n);
  const drained = threads.drain();
  threads.cut();
  await drained;
  assert.deepEqual(bench.ledger.balanceOf("p"), { projectId: "p", avail: 250n, held: 0n });
});
