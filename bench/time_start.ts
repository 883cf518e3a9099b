/**
 * How long a program takes from its start to its first answer.
 *
 * @module
 */

import { chatRequest } from "./chat_requests.ts";
import type { Command } from "./child_process.ts";
import type { IdleGateway } from "./contestants.ts";
import { MODEL } from "./servers.ts";

const GIVE_UP_MS = 10_000;

/** Milliseconds from the start of a gateway on its data dir to its first answer; then it is ended. */
export function timeGatewayStart(
  { command, dataDir: { path, key } }: IdleGateway,
): Promise<number> {
  return timeStart(
    (port) => [...command, "serve", "--listen", `127.0.0.1:${port}`, "--data-dir", path],
    key,
  );
}

/** The same of any program that answers on the port that it is given. */
export async function timeStart(commandOf: (port: number) => Command, key = ""): Promise<number> {
  const port = freePort();
  const request = new TextEncoder().encode(chatRequest({ model: MODEL, key, stream: false }));
  const [program, ...args] = commandOf(port);
  const startedAt = performance.now();
  const process = new Deno.Command(program, {
    args,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    for (;;) {
      const status = await firstLine(port, request);
      const tookMs = performance.now() - startedAt;
      if (status?.startsWith("HTTP/1.1 200")) return tookMs;
      if (status !== undefined) throw new Error(`Cannot measure the start: it answered ${status}`);
      if (tookMs > GIVE_UP_MS) throw new Error(`Cannot measure the start: no answer so far`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  } finally {
    process.kill("SIGTERM");
    await process.status;
  }
}

/** `undefined` while nobody listens. */
async function firstLine(port: number, request: Uint8Array): Promise<string | undefined> {
  let connection;
  try {
    connection = await Deno.connect({ hostname: "127.0.0.1", port });
  } catch (error) {
    if (error instanceof Deno.errors.ConnectionRefused) return undefined;
    throw error;
  }
  using open = connection;
  await open.write(request);
  const buffer = new Uint8Array(4096);
  const bytes = await open.read(buffer);
  return new TextDecoder().decode(buffer.subarray(0, bytes ?? 0)).split("\r\n", 1)[0];
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
