/**
 * What each part of a process has run: the thread that serves, the Workers, of which one writes,
 * and the engine's helpers, which collect garbage and compile.
 *
 * @module
 */

import { printedBy } from "./process_stats.ts";

/** A part of a process. */
export type Part = "main" | "Workers" | "engine" | "other";

/** Time of each part, and of all together, microseconds. */
export type PartTimes = Readonly<Record<Part | "all", number>>;

/** Threads by their ids. */
export type ThreadTimes = ReadonlyMap<number, { readonly part: Part; readonly us: number }>;

/** What every thread of a process has run so far, by the scheduler, to the nanosecond. */
export function threadTimes(pid: number): ThreadTimes {
  const threads = new Map<number, { part: Part; us: number }>();
  // A thread may end meanwhile: then there is no line of it, or only one.
  const printed = printedBy("sh", "-c", `cd /proc/${pid}/task && grep -s . */comm */schedstat`);
  for (const [, id, name] of printed.matchAll(/^(\d+)\/comm:(.*)$/gm)) {
    const thread = Number(id);
    threads.set(thread, { part: thread === pid ? "main" : partOf(name!), us: 0 });
  }
  for (const [, id, ranNs] of printed.matchAll(/^(\d+)\/schedstat:(\d+)/gm)) {
    const thread = threads.get(Number(id));
    if (thread !== undefined) thread.us = Number(ranNs) / 1000;
  }
  if (!threads.has(pid)) throw new Error(`Cannot read the threads of process ${pid}: it has ended`);
  return threads;
}

/** What the processes of one thread have run so far, microseconds by their ids, that a process has started. */
export function childTimes(pid: number): ReadonlyMap<number, number> {
  const script = `cd /proc && for child in $(cat ${pid}/task/${pid}/children); do
    grep -sH . $child/schedstat; done`;
  // One may end meanwhile: then there is no line of it.
  const lines = printedBy("sh", "-c", script).matchAll(/^(\d+)\/schedstat:(\d+)/gm);
  return new Map([...lines].map(([, child, ranNs]) => [Number(child), Number(ranNs) / 1000]));
}

/** What has run between two looks. A thread that ended between them is not in it. */
export function ranBetween(before: ThreadTimes, after: ThreadTimes): PartTimes {
  const ran = { main: 0, Workers: 0, engine: 0, other: 0, all: 0 };
  for (const [id, { part, us }] of after) {
    const more = us - (before.get(id)?.us ?? 0);
    ran[part] += more;
    ran.all += more;
  }
  return ran;
}

/** By the names that the runtime and the engine give their threads. */
function partOf(name: string): Part {
  if (name.startsWith("worker-")) return "Workers";
  return name.startsWith("V8 ") ? "engine" : "other";
}
