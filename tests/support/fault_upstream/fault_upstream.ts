/**
 * A model server on a real socket that does to each request what that request says, and writes down
 * what it did. See `upstream_script.ts` for what can be asked of it.
 *
 * ```ts
 * await using upstream = await startFaultUpstream();
 * const prompt = scriptPrompt({ tag: 7, acts: [{ status: 503 }, { chunks: 5, resetAt: 400 }] });
 * // … a call with that prompt, through a gateway whose provider is at upstream.url …
 * await upstream.ended();
 * upstream.log.records; // both attempts of tag 7
 * ```
 *
 * @module
 */

import { once } from "node:events";
import net from "node:net";
import { writeReply } from "../fake_upstream_reply.ts";
import { readRequests, type RequestParts } from "../fake_upstream_requests.ts";
import { SeededRandom } from "../seeded_random.ts";
import { until } from "../until.ts";
import { otherAnswer } from "./other_answers.ts";
import { type AskedFor, scriptedReply } from "./scripted_reply.ts";
import { UpstreamLog, type UpstreamRecord } from "./upstream_log.ts";
import { readScript, type UpstreamAct, type UpstreamScript } from "./upstream_script.ts";

/** What befalls a share of the attempts, whatever their scripts say. */
export interface RandomFault {
  /** From 0 to 1. */
  readonly share: number;
  readonly act: UpstreamAct;
}

/** How to start. */
export interface FaultUpstreamOptions {
  /** Where the log is written, too; by default it is in memory only. */
  readonly logFile?: string;
  /** `false` for long runs: the log is in its file alone. */
  readonly keepsRecords?: boolean;
  /** By the model's name at the upstream; the seed, tag and attempt decide whom they befall. */
  readonly faults?: Readonly<Record<string, RandomFault>>;
  /** Default 1. */
  readonly seed?: number;
  /** Default: any free one. */
  readonly port?: number;
}

/** A running fault upstream. `await using` ends it. */
export interface FaultUpstream extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/v1` */
  readonly url: string;
  readonly port: number;
  readonly log: UpstreamLog;
  /** Attempts that have arrived, those under way included. */
  readonly arrived: number;
  /** Attempts under way. */
  readonly open: number;
  /** Connections that are open, in use or not. */
  readonly connections: number;
  /**
   * Waits until no attempt is under way: the log tells of an attempt when that has ended, and a caller
   * may have its answer, or have left and paid, a moment before.
   *
   * @throws {Error} When an attempt is still under way after 20 seconds.
   */
  ended(): Promise<void>;
  /** Resolves once an attempt of that tag has arrived. */
  received(tag: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server on the loopback interface. */
export async function startFaultUpstream(
  options: FaultUpstreamOptions = {},
): Promise<FaultUpstream> {
  const { faults = {}, seed = 1 } = options;
  const log = new UpstreamLog(options.logFile, options);
  const sockets = new Map<net.Socket, Promise<void>>();
  const attempts = new Map<number, number>();
  const waiting = new Map<number, PromiseWithResolvers<void>>();
  let arrived = 0;
  let open = 0;
  let isStopped = false;

  const server = net.createServer((socket) => {
    socket.setNoDelay(true);
    const gone = Promise.withResolvers<void>();
    sockets.set(socket, gone.promise);
    socket.once("close", () => {
      sockets.delete(socket);
      gone.resolve();
    });
    // An end of the other side's half is a close to us: no gateway half-closes.
    socket.once("end", () => socket.destroy());
    socket.on("error", () => socket.destroy());
    void serve(socket, gone.promise);
  });

  async function serve(socket: net.Socket, gone: Promise<void>): Promise<void> {
    for await (const parts of readRequests(socket)) {
      await answer(socket, parts, gone);
      if (socket.destroyed) return;
    }
  }

  async function answer(
    socket: net.Socket,
    parts: RequestParts,
    gone: Promise<void>,
  ): Promise<void> {
    const [, path = "/"] = parts.head.split(" ", 2);
    const script = readScript(parts.body) ?? { tag: -1 };
    const asked = askedFor(path, parts.body);
    const attempt = (attempts.get(script.tag) ?? 0) + 1;
    if (script.tag >= 0) attempts.set(script.tag, attempt);
    const { reply, isCompletion, usage } = scriptedReply(asked, actOf(script, asked, attempt));
    const about = {
      number: ++arrived,
      tag: script.tag,
      attempt,
      path,
      model: asked.model,
      isStream: asked.isStream,
      arrivedAt: performance.now(),
    };
    open++;
    waiting.get(script.tag)?.resolve();
    const bytesBefore = socket.bytesWritten;
    let leftAt: number | undefined;
    let isDone = false;
    void gone.then(() => {
      if (!isDone) leftAt = performance.now();
    });
    let lastWriteAt = about.arrivedAt;
    const onWrite = () => lastWriteAt = performance.now();
    await writeReply(socket, { ...reply, onWrite }, gone);
    isDone = true;
    // A close that comes while the last bytes are handed over is seen a turn later.
    if (socket.destroyed) await gone;
    open--;
    log.append({
      ...about,
      outcome: outcomeOf({ isCompletion, isLeft: socket.destroyed, script, asked, attempt }),
      bytesSent: socket.bytesWritten - bytesBefore,
      usage,
      lastWriteAt,
      endedAt: leftAt ?? performance.now(),
    });
  }

  function actOf(script: UpstreamScript, { model }: AskedFor, attempt: number): UpstreamAct {
    const fault = faults[model];
    if (fault !== undefined) {
      const random = new SeededRandom(seed, `${model} ${script.tag} ${attempt}`);
      if (random.chance(fault.share)) return fault.act;
    }
    const acts = script.actsOf?.[model] ?? script.acts ?? [];
    return acts[Math.min(attempt, acts.length) - 1] ?? {};
  }

  function outcomeOf({ isCompletion, isLeft, script, asked, attempt }: {
    readonly isCompletion: boolean;
    readonly isLeft: boolean;
    readonly script: UpstreamScript;
    readonly asked: AskedFor;
    readonly attempt: number;
  }): UpstreamRecord["outcome"] {
    const { resetAt, cutAt } = actOf(script, asked, attempt);
    const breaksOff = resetAt !== undefined || cutAt !== undefined;
    if (isLeft && !breaksOff) return "left";
    return isCompletion ? "completed" : "failed";
  }

  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const port = (server.address() as net.AddressInfo).port;

  async function stop(): Promise<void> {
    if (isStopped) return;
    isStopped = true;
    server.close();
    const gone = [...sockets.values()];
    for (const socket of sockets.keys()) socket.destroy();
    await Promise.all(gone);
    log.close();
  }

  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    log,
    get arrived() {
      return arrived;
    },
    get open() {
      return open;
    },
    get connections() {
      return sockets.size;
    },
    async ended() {
      await until("the upstream's attempts to end", () => open === 0, { withinMs: 20_000 });
    },
    async received(tag) {
      if (attempts.has(tag)) return;
      let entry = waiting.get(tag);
      if (entry === undefined) waiting.set(tag, entry = Promise.withResolvers());
      await entry.promise;
      waiting.delete(tag);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Read without parsing the whole body where that is possible: this serves hundreds in a second. */
function askedFor(path: string, body: string): AskedFor {
  const kind = path.includes("/embeddings") ? "embeddings" : "chat";
  const fields = body.startsWith("{") ? JSON.parse(body) : {};
  const { model = "", stream, input } = fields;
  return {
    kind,
    other: otherAnswer(path, fields),
    isStream: stream === true,
    inputs: Array.isArray(input) ? input.length : 1,
    model,
  };
}
