/**
 * What a process takes of the machine while something is done with it: memory and open files.
 *
 * @module
 */

/** One look at a process. */
export interface ProcessLook {
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
  /** Resident memory, MiB. */
  readonly memoryMb: number;
  readonly openFiles: number;
}

/** Looks now. */
export async function lookAtProcess(pid: number): Promise<ProcessLook> {
  // Deno lets only a process with every permission read another's folder in `/proc` itself.
  const script = `grep VmRSS /proc/${pid}/status && ls /proc/${pid}/fd | wc -l`;
  const { stdout } = await new Deno.Command("sh", { args: ["-c", script] }).output();
  const printed = new TextDecoder().decode(stdout);
  const [, kilobytes, openFiles] = /(\d+) kB\s+(\d+)/.exec(printed) ?? [];
  if (openFiles === undefined) throw new Error(`Cannot look at process ${pid}: it has ended`);
  return {
    at: performance.now(),
    memoryMb: Number(kilobytes) / 1024,
    openFiles: Number(openFiles),
  };
}

/** Looks again and again while `work` is done, and gives every look. */
export async function watchProcess(
  pid: number,
  { everyMs, work, onLook }: {
    readonly everyMs: number;
    readonly work: () => Promise<unknown>;
    readonly onLook?: (look: ProcessLook) => void;
  },
): Promise<readonly ProcessLook[]> {
  const looks = [await lookAtProcess(pid)];
  let isOver = false;
  const done = work().finally(() => isOver = true);
  // A rejection is told below, after the last look.
  done.catch(() => {});
  while (!isOver) {
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, everyMs))]).catch(
      () => {},
    );
    const look = await lookAtProcess(pid);
    looks.push(look);
    onLook?.(look);
  }
  await done;
  return looks;
}

/** The most that was seen, MiB. */
export function mostMemoryMb(looks: readonly ProcessLook[]): number {
  return Math.max(...looks.map(({ memoryMb }) => memoryMb));
}
