/**
 * How much of a processor a process uses.
 *
 * @module
 */

const TICKS_PER_SECOND = 100;

/** The share of one processor that a process uses during the next `forMs` milliseconds; 1 for all of it. */
export async function processorShare(pid: number, forMs: number): Promise<number> {
  const before = await secondsOf(pid);
  const startedAt = performance.now();
  await new Promise((resolve) => setTimeout(resolve, forMs));
  const seconds = await secondsOf(pid) - before;
  return seconds / ((performance.now() - startedAt) / 1_000);
}

/** Seconds of a processor so far, its threads' together: fields 14 and 15 of `proc(5)`'s stat. */
async function secondsOf(pid: number): Promise<number> {
  // Deno lets only a process with every permission read another's folder in `/proc` itself.
  const { stdout } = await new Deno.Command("cat", { args: [`/proc/${pid}/stat`] }).output();
  const fields = new TextDecoder().decode(stdout).replace(/^.*\) /, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
