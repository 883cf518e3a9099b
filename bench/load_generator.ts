/**
 * The load generator, a process of its own: reads a {@linkcode LoadPlan} from its input, sends
 * it to 127.0.0.1 and prints a {@linkcode LoadResult}.
 *
 * @module
 */

import { AnswerReader } from "./answer_reader.ts";
import {
  closeSocket,
  connectToLoopback,
  monotonicNs,
  ownCpuNs,
  Poller,
  receive,
  send,
} from "./libc_sockets.ts";
import { type LoadPlan, type LoadResult, type Spread, STAMP } from "./load_plan.ts";
import { Pace } from "./pace.ts";

/** What an answer may take before the load is given up. */
const PATIENCE_MS = 30_000;

interface Connection {
  readonly reader: AnswerReader;
  sentAtNs: number;
}

const latin1 = new TextDecoder("latin1");

function runLoad(plan: LoadPlan): LoadResult {
  const requests = plan.requests.map((text) => new TextEncoder().encode(text));
  const maxRequests = plan.maxRequests ?? Infinity;
  const poller = new Poller();
  const buffer = new Uint8Array(65_536);
  const connections = new Map<number, Connection>();
  const latenciesNs: number[] = [];
  const stampAgesNs: number[] = [];
  const failed: Record<string, number> = {};
  let sent = 0;

  const onData = plan.readStamps
    ? (bytes: Uint8Array) => {
      const nowNs = monotonicNs();
      for (const [, stamp] of latin1.decode(bytes).matchAll(STAMP)) {
        stampAgesNs.push(nowNs - Number(stamp) * 1000);
      }
    }
    : undefined;
  const connect = () => {
    const fd = connectToLoopback(plan.port);
    poller.watch(fd);
    connections.set(fd, { reader: new AnswerReader(onData), sentAtNs: 0 });
    return fd;
  };
  const fail = (fault: string) => failed[fault] = (failed[fault] ?? 0) + 1;
  const drop = (fd: number) => {
    if (fd < 0) return;
    closeSocket(fd);
    connections.delete(fd);
  };

  const cpuBeforeNs = ownCpuNs();
  const startNs = monotonicNs();
  const endNs = startNs + plan.seconds * 1e9;
  const pace = plan.perSecond === undefined
    ? undefined
    : new Pace(plan.perSecond, { startNs, endNs });
  /** Connections that wait for a request to be due; -1 for one that is not open. */
  const idle: number[] = [];
  const sendNext = (given: number, nowNs: number) => {
    if (sent >= maxRequests || (nowNs >= endNs && pace?.isOver !== false)) return drop(given);
    const sinceNs = pace === undefined ? nowNs : pace.take(nowNs);
    if (sinceNs === undefined) return void idle.push(given);
    const fd = given < 0 ? connect() : given;
    connections.get(fd)!.sentAtNs = sinceNs;
    if (send(fd, requests[sent++ % requests.length]!)) return;
    fail("connection closed");
    drop(fd);
    sendNext(-1, nowNs);
  };
  const takeAnswer = (fd: number, { reader, sentAtNs }: Connection) => {
    const nowNs = monotonicNs();
    latenciesNs.push(nowNs - sentAtNs);
    if (reader.status !== 200) fail(String(reader.status));
    else if (reader.isStream && !reader.isDone) fail("no end");
    sendNext(fd, nowNs);
  };

  for (let count = 0; count < plan.connections; count++) sendNext(-1, monotonicNs());
  while (connections.size > 0 || idle.length > 0) {
    const ready = poller.wait(idle.length > 0 ? pace!.waitMs(monotonicNs()) : PATIENCE_MS);
    if (ready.length === 0 && idle.length === 0) {
      throw new Error(`Cannot wait longer for ${connections.size} answers`);
    }
    if (idle.length > 0) {
      const nowNs = monotonicNs();
      // The first that still waits says that nothing more is due.
      for (let left = Infinity; idle.length > 0 && idle.length < left;) {
        left = idle.length;
        sendNext(idle.shift()!, nowNs);
      }
    }
    for (const fd of ready) {
      const connection = connections.get(fd)!;
      const bytes = receive(fd, buffer);
      if (bytes < 0) continue;
      if (bytes === 0) {
        drop(fd);
        const waiting = idle.indexOf(fd);
        if (waiting >= 0) idle[waiting] = -1;
        else {
          fail("connection closed");
          if (monotonicNs() < endNs) sendNext(-1, monotonicNs());
        }
      } else if (connection.reader.push(buffer.subarray(0, bytes))) takeAnswer(fd, connection);
    }
  }
  const failures = Object.values(failed).reduce((sum, count) => sum + count, 0);
  const seconds = (monotonicNs() - startNs) / 1e9;
  return {
    answered: sent - failures,
    failed,
    seconds,
    generatorShare: (ownCpuNs() - cpuBeforeNs) / 1e9 / seconds,
    latency: spreadOf(latenciesNs),
    stamps: plan.readStamps ? spreadOf(stampAgesNs) : undefined,
  };
}

function spreadOf(samplesNs: readonly number[]): Spread {
  const sorted = Float64Array.from(samplesNs).sort();
  const at = (share: number) => (sorted[Math.ceil(sorted.length * share) - 1] ?? NaN) / 1e6;
  return { samples: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), mostMs: at(1) };
}

const result = runLoad(JSON.parse(await new Response(Deno.stdin.readable).text()));
Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(result)));
