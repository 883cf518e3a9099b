/**
 * What many streams need that are open at one time and say little.
 *
 * @module
 */

import type { BenchRun, Findings, Row } from "../bench_run.ts";
import { chatRequest } from "../chat_requests.ts";
import { prepareGateways } from "../contestants.ts";
import { measureLoad } from "../measure_load.ts";
import { memoryBytes, mostMemoryDuring, printedBy } from "../process_stats.ts";
import { SLOW_MODEL, startGateway } from "../servers.ts";

const MIB = 1024 ** 2;
/** A stream takes a descriptor on each side; the rest is for the database, the log and whatever else. */
const OTHER_DESCRIPTORS = 512;
/** As many as there is a figure to reach for. */
const GOAL_STREAMS = 10_000;
/** No more than an upstream takes in turn; the first is still open when the last one begins. */
const OPENED_PER_SECOND = 200;

/** Streams of one chunk every 4 s, 88 s each: each executable by itself. */
export async function measureSlowStreams(run: BenchRun): Promise<Findings> {
  const wanted = run.sizes.slowStreams;
  const descriptors = descriptorLimit();
  const streams = Math.min(wanted, Math.floor((descriptors - OTHER_DESCRIPTORS) / 2));
  const rows: Row[] = [];
  const mostMiB = new Map<string, number>();
  for (const { name, command, dataDir: { path, key } } of await prepareGateways(run)) {
    await using server = await startGateway(command, path);
    const load = measureLoad(server, {
      connections: streams,
      requests: [chatRequest({ model: SLOW_MODEL, key, stream: true })],
      seconds: Math.ceil(streams / OPENED_PER_SECOND) + 1,
      perSecond: OPENED_PER_SECOND,
      maxRequests: streams,
    });
    const idle = memoryBytes(server.pid).now;
    const most = await mostMemoryDuring(server.pid, load);
    mostMiB.set(name, most / MIB);
    rows.push({
      "": name,
      "idle, MiB": idle / MIB,
      [`${streams} streams open`]: most / MIB,
      "KiB each": (most - idle) / 1024 / streams,
      "took s": (await load).seconds,
    });
  }
  const before = mostMiB.get("before");
  return {
    title: `${streams} streams open at one time, one chunk every 4 s`,
    rows,
    targets: wanted < GOAL_STREAMS ? [] : [{
      what: `memory with ${streams} slow streams open`,
      unit: "MiB",
      atMost: 600,
      aim: 300,
      measured: mostMiB.get("now")!,
      ...before !== undefined && { before },
    }],
    notes: [
      `Resident memory at its most, looked at every 50 ms while they are open.${
        streams < wanted
          ? ` Fewer than ${wanted}: a process may have ${descriptors} descriptors here.`
          : ""
      }`,
    ],
  };
}

/** Deno raises its own to the most that it may have, and what it starts has the same. */
function descriptorLimit(): number {
  const printed = printedBy("sh", "-c", "ulimit -n").trim();
  return printed === "unlimited" ? Infinity : Number(printed);
}
