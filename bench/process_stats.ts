/**
 * What the operating system accounts to a process: CPU time of all its threads, and memory.
 *
 * @module
 */

/** The kernel's `USER_HZ`, the unit of `/proc/PID/stat`: 100 on every Linux that Deno runs on. */
const TICKS_PER_SECOND = 100;

/** User and system time of a process so far, threads that have ended included, microseconds. */
export function cpuMicroseconds(pid: number): number {
  const stat = readProc(pid, "stat");
  // The second field, the name, may hold spaces; proc(5) numbers the fields from 1.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [userTicks, systemTicks] = [Number(fields[14 - 3]), Number(fields[15 - 3])];
  return (userTicks + systemTicks) / TICKS_PER_SECOND * 1e6;
}

/** Resident memory of a process, bytes: now, and at its peak. */
export function memoryBytes(pid: number): { readonly now: number; readonly peak: number } {
  const status = readProc(pid, "status");
  const read = (name: string) => {
    const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
    if (kilobytes === undefined) throw new Error(`Cannot read ${name} of process ${pid}`);
    return Number(kilobytes) * 1024;
  };
  return { now: read("VmRSS"), peak: read("VmHWM") };
}

/** Deno lets only a process with every permission read another's folder in `/proc` itself. */
function readProc(pid: number, name: string): string {
  const printed = printedBy("cat", `/proc/${pid}/${name}`);
  if (printed === "") throw new Error(`Cannot read the figures of process ${pid}: it has ended`);
  return printed;
}

/** What a short command prints, whether or not it succeeds. */
export function printedBy(program: string, ...args: string[]): string {
  const { stdout } = new Deno.Command(program, { args, stderr: "null" }).outputSync();
  return new TextDecoder().decode(stdout);
}

/** The least resident memory while `work` runs, looked at every 50 ms. */
export function leastMemoryDuring(pid: number, work: Promise<unknown>): Promise<number> {
  return memoryDuring(pid, work, Math.min);
}

/** The most of it. */
export function mostMemoryDuring(pid: number, work: Promise<unknown>): Promise<number> {
  return memoryDuring(pid, work, Math.max);
}

async function memoryDuring(
  pid: number,
  work: Promise<unknown>,
  choose: (one: number, other: number) => number,
): Promise<number> {
  let chosen = memoryBytes(pid).now;
  const look = () => chosen = choose(chosen, memoryBytes(pid).now);
  const timer = setInterval(look, 50);
  try {
    await work;
    look();
    return chosen;
  } finally {
    clearInterval(timer);
  }
}

const QUIET_LOOK_MS = 200;
/** Of one look: a server that rests has its timers. */
const QUIET_SHARE = 0.05;
const QUIET_PATIENCE_MS = 30_000;

/**
 * Waits until a process has nothing to do.
 *
 * @throws {Error} When it goes on working.
 */
export async function untilQuiet(pid: number): Promise<void> {
  const endAt = performance.now() + QUIET_PATIENCE_MS;
  for (;;) {
    const before = cpuMicroseconds(pid);
    await new Promise((resolve) => setTimeout(resolve, QUIET_LOOK_MS));
    if (cpuMicroseconds(pid) - before <= QUIET_LOOK_MS * 1000 * QUIET_SHARE) return;
    if (performance.now() > endAt) throw new Error(`Cannot wait longer for process ${pid} to rest`);
  }
}
