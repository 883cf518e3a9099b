/**
 * Both servers that are compared, started afresh for one scenario.
 *
 * @module
 */

import type { BenchRun } from "./bench_run.ts";
import type { Server } from "./child_process.ts";
import { makeDataDir, SMALL_CATALOGUE, startGateway, startPassThrough } from "./servers.ts";

/** The servers and how to call the gateway. */
export interface Started extends AsyncDisposable {
  readonly passThrough: Server;
  readonly gateway: Server;
  readonly dataDir: string;
  readonly key: string;
}

/** Starts a pass-through, and a gateway on a new data dir. */
export async function startCompared(
  { compared, upstream, folder: parent }: BenchRun,
): Promise<Started> {
  const folder = await Deno.makeTempDir({ dir: parent });
  const { path: dataDir, key } = await makeDataDir(compared.gateway, {
    path: `${folder}/data`,
    upstream,
    size: SMALL_CATALOGUE,
  });
  await using stack = new AsyncDisposableStack();
  const passThrough = stack.use(
    await startPassThrough(compared.passThrough, { folder, upstream }),
  );
  const gateway = stack.use(await startGateway(compared.gateway, dataDir));
  const kept = stack.move();
  return {
    passThrough,
    gateway,
    dataDir,
    key,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
