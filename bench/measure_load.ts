/**
 * Loads a server and reads what that cost it.
 *
 * @module
 */

import { runToEnd, scriptCommand, type Server } from "./child_process.ts";
import type { LoadPlan, LoadResult } from "./load_plan.ts";
import { cpuMicroseconds } from "./process_stats.ts";

/** A load and its cost. */
export interface MeasuredLoad extends LoadResult {
  readonly perSecond: number;
  /** CPU time of the server's process per answer. */
  readonly cpuUs: number;
}

/** Who is loaded, with what; the port is the server's. */
export type LoadOptions = Omit<LoadPlan, "port">;

/**
 * Loads a server from a process of its own.
 *
 * @throws {Error} When a call fails: a figure with failed calls in it says nothing.
 */
export async function measureLoad(server: Server, options: LoadOptions): Promise<MeasuredLoad> {
  const before = cpuMicroseconds(server.pid);
  const result = await runLoad({ ...options, port: server.port });
  const cpuUs = (cpuMicroseconds(server.pid) - before) / result.answered;
  if (Object.keys(result.failed).length > 0) {
    throw new Error(`Cannot measure: calls failed: ${JSON.stringify(result.failed)}`);
  }
  return { ...result, perSecond: result.answered / result.seconds, cpuUs };
}

/** Sends a load from a process of its own and gives what came of it, failed calls included. */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const answer = await runToEnd(scriptCommand("./load_generator.ts"), JSON.stringify(plan));
  return JSON.parse(answer);
}

/**
 * The middle of the ratios of figures that were measured in turn: what disturbs the machine for a
 * while disturbs both of a pair.
 */
export function medianRatio(values: readonly number[], others: readonly number[]): number {
  return median(values.map((value, index) => value / others[index]!));
}

/** The middle of some figures. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** What a quarter of some figures is below: what the machine disturbed least is in it. */
export function firstQuartile(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 4)]!;
}
