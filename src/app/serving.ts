/**
 * Where calls come in: at a listener of this thread, or, where several threads serve, at theirs, all
 * at the same port, which pass on to this one what they do not serve themselves.
 *
 * @module
 */

import type { EngineDeps } from "../gateway/call_engine.ts";
import type { CallEngine } from "../gateway/call_engine.ts";
import type { RequestRecord } from "../http/context/api_deps.ts";
import { listen, type Listener, type ListenOptions } from "../http/listener.ts";
import type { ListenerLimits, RequestHandler } from "../http/listener/contract.ts";
import type { KeyRefusal } from "../providers/contract/provider.ts";
import type { Core } from "./open_core.ts";
import { keysOfUsual, type UsualBounds } from "../http/thread_handler.ts";
import { mayBeQuick } from "./may_be_quick.ts";
import { removeSocket } from "./remove_socket.ts";
import type { GatewayOptions } from "./running_gateway.ts";
import { ServingThreads } from "./threads/serving_threads.ts";
import type { ThreadLoad } from "./threads/shared_memory.ts";
import type { SealNote } from "./threads/thread_protocol.ts";

/** What takes calls, in however many threads. */
export interface Serving {
  readonly listener: Pick<
    Listener,
    "address" | "openConnections" | "drain" | "downloaded" | "close"
  >;
  readonly calls: Pick<CallEngine, "openCalls" | "openStreams" | "drain" | "stopStreams">;
  /** What is under way in each thread, where there are several. */
  readonly loads: () => readonly ThreadLoad[];
  /** What an operator should look at. */
  warnings(): readonly string[];
  /** Secrets are to be read again, and what routes are blamed for is forgotten. */
  reload(): void;
  /** Tells the other threads which route a conversation's sealed thoughts are from. */
  tellSeal(seal: SealNote): void;
  /** Ends the other threads, once they are drained. */
  end(): Promise<void>;
}

/** What is served, and who is told of what threads do. */
export interface ServingParts
  extends
    Pick<EngineDeps, "onCall" | "onAttemptFailed">,
    Pick<ListenOptions, "onError" | "refusal" | "quick"> {
  readonly handler: RequestHandler;
  readonly engine: CallEngine;
  readonly onKeyRefused: (refusal: KeyRefusal) => void;
  readonly onRequest: (record: RequestRecord) => void;
}

/**
 * Begins to listen.
 *
 * @throws {Deno.errors.AddrInUse} When the address is taken.
 */
export async function openServing(
  core: Core,
  options: GatewayOptions,
  parts: ServingParts,
): Promise<Serving> {
  const { handler, quick, engine, onError, refusal } = parts;
  const { connections: limits } = options;
  const count = threadsOf(options);
  if (count === 1) {
    const listener = listen(handler, { ...options.listen, quick, limits, onError, refusal });
    return {
      listener,
      calls: engine,
      loads: () => [],
      warnings: () => [],
      reload() {},
      tellSeal() {},
      end: () => Promise.resolve(),
    };
  }
  const passagePath = options.socketPath.replace(/(?:\.sock)?$/, PASSAGE);
  removeSocket(passagePath);
  const usual = {
    mostBodyBytes: Math.min(MOST_BODY_BYTES, threadBytes(options.bodies, count)),
    hasBrowsers: options.corsOrigins !== undefined,
  };
  let threads: ServingThreads | undefined;
  const passed = listen(handler, {
    ...{ unixPath: passagePath, isPassedOn: true, onError, refusal },
    // What follows what a thread would serve may be a thread's to serve as well.
    isLast(request) {
      const [key] = keysOfUsual(request, usual) ?? [];
      return key !== undefined && threads?.serves(key) === true;
    },
    // Each has counted its own already.
    limits: { ...limits, maxConnections: Infinity, maxPerAddress: Infinity },
  });
  try {
    const { address, free } = tryAddress(options.listen);
    try {
      threads = await startThreads(core, options, { ...parts, address, count, passagePath, usual });
    } finally {
      free();
    }
    return joined(threads, { address, passed, engine });
  } catch (error) {
    passed.close();
    throw error;
  }
}

/** Larger bodies are read by the main thread, which has room for the largest. */
const MOST_BODY_BYTES = 1024 ** 2;

/** Beside the control socket, and no longer than its name: a socket's path holds few bytes. */
const PASSAGE = ".pass";

/** How many threads serve: what follows or looks at every call does so in one. */
function threadsOf({ threads = 1, otlp, guard, log }: GatewayOptions): number {
  if (threads === 1 || (otlp === undefined && guard === undefined)) return threads;
  log.warn("threads_not_used", {
    message: `One thread serves, as ${
      guard === undefined ? "calls are traced" : "a guard is asked"
    }: --threads ${threads} has no effect`,
  });
  return 1;
}

function startThreads(
  core: Core,
  options: GatewayOptions,
  { address, count, passagePath, usual, engine, ...events }: ServingParts & {
    readonly address: Deno.NetAddr;
    readonly count: number;
    readonly passagePath: string;
    readonly usual: UsualBounds;
  },
): Promise<ServingThreads> {
  const { connections, bodies, trustedProxies, proxied, log } = options;
  const { ledger, spending, directory, catalogue, clock } = core.admin;
  return ServingThreads.start({
    ...{ count, ledger, spending, directory, catalogue, clock, log },
    ...{ health: core.health, limiter: core.limiter, capacity: core.capacity },
    seals: engine.seals,
    followed: core.followed,
    ...events,
    start: {
      callCount: core.callCount.buffer,
      idKey: core.consoleSecret,
      listen: { hostname: address.hostname, port: address.port },
      passagePath,
      limits: sharesOf(connections, count),
      bodies: { ...bodies, maxInFlightBytes: threadBytes(bodies, count) },
      trustedProxies,
      usual,
      isQuick: mayBeQuick(options),
      proxied,
    },
  });
}

/** The threads and the one that keeps the books, as one. */
function joined(
  threads: ServingThreads,
  { address, passed, engine }: Pick<ServingParts, "engine"> & {
    readonly address: Deno.NetAddr;
    readonly passed: Listener;
  },
): Serving {
  return {
    listener: {
      address,
      get openConnections() {
        return threads.sum("connections");
      },
      async drain() {
        await Promise.all([passed.drain(), threads.closeListeners()]);
      },
      // Threads pass on what is answered with a file.
      downloaded: () => passed.downloaded(),
      close() {
        passed.close();
        threads.cut();
      },
    },
    calls: {
      get openCalls() {
        return engine.openCalls + threads.sum("calls");
      },
      get openStreams() {
        return engine.openStreams + threads.sum("streams");
      },
      async drain() {
        await Promise.all([engine.drain(), threads.drain()]);
      },
      stopStreams() {
        engine.stopStreams();
        threads.stopStreams();
      },
    },
    loads: () => threads.loads,
    warnings: () => threads.warnings(),
    reload: () => threads.reload(),
    tellSeal: (seal) => threads.tellSeal(seal),
    end: () => threads.close(),
  };
}

/**
 * The address, with a port of its own where any will do. Sockets that share a port would not be told
 * that another process has it.
 */
function tryAddress(wanted: { readonly hostname: string; readonly port: number }): {
  readonly address: Deno.NetAddr;
  readonly free: () => void;
} {
  // One that the system chooses is kept until the threads have it: others would be given it meanwhile.
  const isChosen = wanted.port === 0;
  const tried = Deno.listen({ ...wanted, ...(isChosen && { reusePort: true }) });
  if (!isChosen) tried.close();
  return {
    address: tried.addr as Deno.NetAddr,
    free() {
      // Nobody can have come to it: its port was told to nobody.
      if (isChosen) tried.close();
    },
  };
}

/** What each thread may have of the connections that all may have together. */
function sharesOf(limits: Partial<ListenerLimits>, threads: number): Partial<ListenerLimits> {
  const { maxConnections, maxPerAddress } = limits;
  const share = (all: number) => Math.max(1, Math.floor(all / threads));
  return {
    ...limits,
    // One that is passed on takes two descriptors more.
    ...(maxConnections !== undefined && { maxConnections: share(maxConnections) }),
    ...(maxPerAddress !== undefined && { maxPerAddress: share(maxPerAddress) }),
  };
}

/** Half of the room for bodies is the main thread's, and at least as much as the largest takes. */
function threadBytes(
  { maxInFlightBytes, maxJsonBytes, maxFormBytes }: GatewayOptions["bodies"],
  threads: number,
): number {
  const own = Math.max(maxInFlightBytes / 2, maxJsonBytes, maxFormBytes);
  return Math.max(0, Math.floor((maxInFlightBytes - own) / threads));
}
