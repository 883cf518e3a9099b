/**
 * From starting the executable on an existing data dir to its first answer to a chat call.
 *
 * @module
 */

import type { BenchRun, Findings } from "../bench_run.ts";
import { chatRequest } from "../chat_requests.ts";
import type { Command } from "../child_process.ts";
import { median } from "../measure_load.ts";
import { type DataDir, MODEL } from "../servers.ts";
import { startCompared } from "../started.ts";

const GIVE_UP_MS = 10_000;

/** Starts the gateway several times, each time until it answers, then ends it. */
export async function measureStartUp(run: BenchRun): Promise<Findings> {
  const { compared, sizes } = run;
  const started = await startCompared(run);
  const { dataDir, key } = started;
  await started.gateway.end("SIGTERM");
  await started[Symbol.asyncDispose]();
  const startsMs: number[] = [];
  for (let start = 0; start < sizes.starts; start++) {
    startsMs.push(await timeStart(compared.gateway, { path: dataDir, key }));
  }
  const middle = median(startsMs);
  return {
    title: "Start to first answer",
    rows: [{ "starts": startsMs.length, "median ms": middle, "slowest ms": Math.max(...startsMs) }],
    targets: [{
      what: "executable: start to first answer",
      unit: "ms",
      atMost: 300,
      measured: middle,
    }],
    notes: ["On a data dir that exists, until the first byte of the first chat call's 200."],
  };
}

/** Milliseconds from the start of a gateway on a data dir to its first answer; then it is ended. */
export async function timeStart(
  [program, ...args]: Command,
  { path, key }: DataDir,
): Promise<number> {
  const port = freePort();
  const request = new TextEncoder().encode(chatRequest({ model: MODEL, key, stream: false }));
  const startedAt = performance.now();
  const process = new Deno.Command(program, {
    args: [...args, "serve", "--listen", `127.0.0.1:${port}`, "--data-dir", path],
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
