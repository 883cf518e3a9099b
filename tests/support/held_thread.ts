/**
 * Holds one thread of a process, as a call that never returns would, while its
 * other threads go on. (SIGSTOP holds them all.)
 *
 * @module
 */

/** ptrace(2): PTRACE_SEIZE and PTRACE_INTERRUPT; the thread goes on when this program ends. */
const HOLD = `
import ctypes, os, sys
pid, name = sys.argv[1:]
thread = int(pid)
if name:
    threads = sorted(map(int, os.listdir(f"/proc/{pid}/task")))
    names = {id: open(f"/proc/{pid}/task/{id}/comm").read().strip() for id in threads}
    found = [id for id in threads if names[id].startswith(name)]
    if not found:
        sys.exit(f"no thread {name} among {sorted(names.values())}")
    thread = found[0]
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long
for request in 0x4206, 0x4207:
    if libc.ptrace(request, thread, None, None) == -1:
        sys.exit(os.strerror(ctypes.get_errno()))
os.waitpid(thread, 0x40000000)
print("held", flush=True)
sys.stdin.read()
`;

/** A thread that does not move. `await using` lets it go on. */
export class HeldThread implements AsyncDisposable {
  readonly #holder: Deno.ChildProcess;

  private constructor(holder: Deno.ChildProcess) {
    this.#holder = holder;
  }

  /**
   * Holds the first thread of a process whose name begins so; by default its main thread.
   *
   * @throws {Error} when there is none, or this user may not hold it.
   */
  static async hold(pid: number, name = ""): Promise<HeldThread> {
    const holder = new Deno.Command("python3", {
      args: ["-c", HOLD, String(pid), name],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const reader = holder.stdout.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    if (value !== undefined) return new HeldThread(holder);
    const { stderr } = await holder.output();
    throw new Error(`Cannot hold a thread: ${new TextDecoder().decode(stderr)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#holder.stdin.close();
    await this.#holder.output();
  }
}

/** Options for tests that hold a thread: skipped where none can be held, but never in CI. */
export const needsHeldThread: { readonly ignore: boolean } = {
  ignore: Deno.env.get("CI") !== "true" && !await canHold(),
};

async function canHold(): Promise<boolean> {
  try {
    const child = new Deno.Command("sleep", { args: ["60"], stdin: "null" }).spawn();
    try {
      await using _ = await HeldThread.hold(child.pid);
      return true;
    } finally {
      child.kill("SIGKILL");
      await child.status;
    }
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}
