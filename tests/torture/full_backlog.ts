/**
 * A port that nobody accepts at: connections to it neither stand nor fail, as at a machine that
 * drops what it gets.
 *
 * @module
 */

import { ProcessOutput } from "../support/process_output.ts";

/** Listens, fills its own queue and waits for its input to end. */
const SCRIPT = `
import socket, sys
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(0)
waiting = []
for _ in range(4):
    one = socket.socket()
    one.setblocking(False)
    one.connect_ex(listener.getsockname())
    waiting.append(one)
print(f"port {listener.getsockname()[1]}", flush=True)
sys.stdin.read()
`;

/** A port whose queue of connections is full. `await using` frees it. */
export interface FullBacklog extends AsyncDisposable {
  readonly port: number;
}

/** Takes a port; needs the tool `python3`. */
export async function takeFullBacklog(): Promise<FullBacklog> {
  const python = new Deno.Command("python3", {
    args: ["-c", SCRIPT],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = new ProcessOutput(python);
  const [, port] = await output.waitFor(/port (\d+)/);
  return {
    port: Number(port),
    async [Symbol.asyncDispose]() {
      await python.stdin.close();
      await python.status;
      await output.ended;
    },
  };
}
