/**
 * A thread that serves: takes connections from the same port as the others, and serves the usual
 * calls whole. Money, limits, keys and the catalogue are the main thread's, which tells of them, and
 * which alone writes.
 *
 * @module
 */

import type { KeyRefusal } from "../../providers/contract/provider.ts";
import { createSecretResolver, secretValue } from "../../config/secrets.ts";
import { readSurroundings } from "../../config/surroundings.ts";
import type { Clock } from "../../domain/clock.ts";
import { RequestIds } from "../../domain/ids.ts";
import { callIdsWith } from "../../domain/node_call_ids.ts";
import { CatalogueHolder } from "../../catalog/snapshot.ts";
import { ThoughtSeals } from "../../dialects/turns/thought_seals.ts";
import { GatewayError } from "../../errors.ts";
import { CallEngine, type EngineDeps } from "../../gateway/call_engine.ts";
import { delay } from "../../gateway/delay.ts";
import { RetryBudget } from "../../gateway/retry_budget.ts";
import { createSharedBudget } from "../../http/bodies/body_budget.ts";
import { listen } from "../../http/listener.ts";
import { openPassageTo } from "../../http/listener/passage.ts";
import { createClientAddress } from "../../http/listener/trusted_proxies.ts";
import { createQuickChat } from "../../http/quick_chat.ts";
import { createThreadHandler, type ThreadDeps } from "../../http/thread_handler.ts";
import { isLimited } from "../../limits/gauge.ts";
import { LargeBodyTurns } from "../../limits/large_body_turns.ts";
import { Limiter } from "../../limits/limiter.ts";
import { RouteCapacity } from "../../limits/route_capacity.ts";
import { createRegistry } from "../../providers/registry.ts";
import { createTransport } from "../../providers/transport/transport.ts";
import type { Candidate } from "../../routing/route_request.ts";
import { Health } from "../../routing/health.ts";
import { KnownCallers } from "./known_callers.ts";
import { SharedMemory } from "./shared_memory.ts";
import { ThreadLedger } from "./thread_ledger.ts";
import type {
  FromThread,
  SealNote,
  SharedCatalogue,
  ThreadStart,
  ToThread,
} from "./thread_protocol.ts";

/** How often it says that it lives, and what is under way. */
const BEAT_MS = 250;
/** How often silent streams are looked for. */
const KEEP_ALIVE_SWEEP_MS = 3_000;

/** Serves until it is ended. */
export function serveThread(
  start: ThreadStart,
  { post, onMessage }: {
    readonly post: (message: FromThread) => void;
    readonly onMessage: (listener: (message: ToThread) => void) => void;
  },
): void {
  const clock = clockOf(start.timeOrigin);
  const shared = new SharedMemory(start.buffers);
  const memory = shared.thread(start.index);
  const gauges = shared.gauges(start.index);
  const limiter = new Limiter({ clock });
  const callers = new KnownCallers(shared, {
    ask: (ask, key) => post({ kind: "learn", ask, key }),
    onLearnt({ caller: { project, key }, projectGauge, keyGauge }) {
      if (projectGauge !== undefined) {
        limiter.adopt({ scope: "project", id: project.id }, gauges.cells(projectGauge));
      }
      if (keyGauge !== undefined) {
        limiter.adopt({ scope: "key", id: key.id }, gauges.cells(keyGauge));
      }
    },
  });
  const ledger = new ThreadLedger({
    shared,
    memory,
    slotOf: (projectId) => callers.slotOf(projectId),
    send: (text) => post({ kind: "calls", text }),
  });
  const secrets = createSecretResolver({ env: readSurroundings().env, clock });
  const transport = createTransport({ clock, proxied: start.proxied ?? NO_PROXIES });
  const seals = new ThoughtSeals(start.idKey);
  const registry = createRegistry({
    ...{ seals, transport, clock, random: Math.random },
    secrets: (reference) => secretValue(secrets.resolve(reference)),
    onKeyRefused: (refusal: KeyRefusal) => post({ kind: "key_refused", refusal }),
  });
  const holder = new CatalogueHolder(start.catalogue.catalogue);
  const capacity = new RouteCapacity({ clock });
  let routeGauges: SharedCatalogue["gauges"] = new Map();
  /** Routes are counted at one place for as long as the process lives. */
  const adopt = (found: SharedCatalogue["gauges"]): void => {
    for (const [routeId, slot] of found) {
      if (!routeGauges.has(routeId)) capacity.adopt(routeId, gauges.cells(slot));
    }
    routeGauges = found;
  };
  adopt(start.catalogue.gauges);
  registry.update(holder.current.catalogue.providers);
  const health = new Health({ clock });
  health.mayProbe = (routeId) => shared.takeProbe(routeId, clock.monotonic());
  health.onSample = (routeId, sample, isNews) => ledger.sample(routeId, sample, isNews);
  const deps: EngineDeps = {
    ...{ catalogue: holder, registry, health, limiter, capacity, ledger, clock, seals, delay },
    random: Math.random,
    retryBudget: new RetryBudget(),
    mayAdmit({ selection: { candidates } }) {
      const isCounted = ({ route: { id, limits } }: Candidate) =>
        !isLimited(limits) || routeGauges.has(id);
      if (!candidates.every(isCounted)) {
        throw new GatewayError("internal_error", "This call is the main thread's to serve");
      }
    },
    onCall: (record) => ledger.ended(record),
    onSeal: (note: SealNote) => post({ kind: "seal", seal: note }),
    onAttemptFailed({ requestId, route, capability, error, message }) {
      const { failure, status, fault, key, cause } = error;
      post({
        kind: "attempt_failed",
        attempt: {
          ...{ requestId, routeId: route.id, capability, message, failure, status, fault, key },
          cause: cause === undefined ? undefined : String(cause),
        },
      });
    },
  };
  const engine = new CallEngine(deps);
  engine.seals.load(start.seals);
  let catalogueVersion = start.catalogue.version;
  let newer = Promise.withResolvers<void>();
  /** Waits for the catalogue that is the last when a request comes. */
  const current = async (): Promise<void> => {
    while (catalogueVersion !== shared.catalogueVersion) await newer.promise;
  };
  const { maxJsonBytes, maxInFlightBytes, maxJsonDepth } = start.bodies;
  const served: ThreadDeps = {
    ...{ engine, limiter, clock, directory: callers, catalogue: holder },
    ids: new RequestIds(callIdsWith(new BigInt64Array(start.callCount), Date.now), start.idKey),
    bodies: createSharedBudget({
      maxBytes: maxInFlightBytes,
      leastShareBytes: start.usual.mostBodyBytes,
      turns: new LargeBodyTurns(clock),
    }),
    jsonLimits: { maxBytes: maxJsonBytes, maxDepth: maxJsonDepth },
    repeatedRequests: { answer: notHere, stream: notHere },
    spool: { create: notHere },
    clientAddress: start.trustedProxies && createClientAddress(start.trustedProxies),
    ...start.usual,
    serves: (keys) =>
      // The main thread waits for what is not known.
      !shared.isCurrent(clock)
        ? false
        : catalogueVersion === shared.catalogueVersion
        ? callers.serves(keys)
        : current().then(() => callers.serves(keys)),
    onRequest({ cause, ...record }) {
      post({
        kind: "request",
        record: {
          ...record,
          // It has no form in which it could cross, and is told by its words.
          note: { ...record.note, refusal: undefined },
          ...(cause !== undefined && { cause: String(cause) }),
        },
      });
    },
  };
  const listener = listen(createThreadHandler(served), {
    quick: start.isQuick
      ? createQuickChat({ ...served, serves: (key) => served.serves([key]) === true })
      : undefined,
    ...start.listen,
    reusePort: true,
    openPassage: () => openPassageTo(start.passagePath),
    limits: start.limits,
    onError: (error) =>
      post({ kind: "log", event: "listener", fields: { message: String(error) } }),
  });
  setInterval(() => {
    memory.beat({ streams: engine.openStreams, connections: listener.openConnections });
  }, BEAT_MS);
  setInterval(() => engine.keepStreamsAlive(), KEEP_ALIVE_SWEEP_MS);

  onMessage((message) => {
    switch (message.kind) {
      case "settled":
        ledger.settled(message.text);
        break;
      case "learnt":
        callers.learnt(message.ask, message.version, message.found);
        break;
      case "catalogue": {
        const { catalogue, version } = message.shared;
        adopt(message.shared.gauges);
        registry.update(catalogue.providers);
        const { models } = holder.swap(catalogue);
        health.retain(models.flatMap(({ routes }) => routes.map(({ id }) => id)));
        catalogueVersion = version;
        newer.resolve();
        newer = Promise.withResolvers();
        break;
      }
      case "sample":
        health.hear(message.routeId, message.sample);
        break;
      case "seal":
        engine.seals.note(message.seal.projectId, message.seal.seal, message.seal.route);
        break;
      case "reload":
        secrets.reread();
        registry.secretsChanged();
        health.forgive();
        break;
      case "drain":
        void engine.drain().then(() => {
          ledger.flush();
          post({ kind: "idle" });
        });
        break;
      case "stop_streams":
        engine.stopStreams();
        break;
      case "close_listener":
        void listener.drain().then(() => post({ kind: "closed" }));
        break;
      case "cut":
        listener.close();
    }
  });
  post({ kind: "listening" });
}

const NO_PROXIES = { http: false, https: false };

/** The main thread's clock: times cross as they are. */
function clockOf(timeOrigin: number): Clock {
  const later = performance.timeOrigin - timeOrigin;
  return { now: () => Date.now(), monotonic: () => performance.now() + later };
}

function notHere(): never {
  throw new Error("This is the main thread's to do");
}
