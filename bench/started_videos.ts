/**
 * A gateway that makes films, started afresh for one scenario.
 *
 * @module
 */

import type { BenchRun } from "./bench_run.ts";
import type { Server } from "./child_process.ts";
import {
  makeDataDir,
  SMALL_CATALOGUE,
  startBareServer,
  startFilmUpstream,
  startGateway,
} from "./servers.ts";
import { VideoClient } from "./video_client.ts";

/** The gateway and how to call it. */
export interface StartedVideos extends AsyncDisposable {
  readonly gateway: Server;
  readonly dataDir: string;
  readonly key: string;
  readonly client: VideoClient;
  /** Starts the bare server beside it; ended with it. */
  startBare(kind: "json" | "film", file: string): Promise<Server>;
}

/** What the gateway is to have. */
export interface StartVideosOptions {
  /** Starts an upstream whose films have so many bytes. Default: only the built-in model. */
  readonly filmBytes?: number;
  /** Films rendered at a time. Default: the gateway's own. */
  readonly workers?: number;
}

/** Starts a gateway on a new data dir. */
export async function startVideos(
  { compared, upstream, folder: parent }: BenchRun,
  { filmBytes, workers }: StartVideosOptions,
): Promise<StartedVideos> {
  const folder = await Deno.makeTempDir({ dir: parent });
  await using stack = new AsyncDisposableStack();
  const films = filmBytes === undefined
    ? "builtin"
    : stack.use(await startFilmUpstream(folder, filmBytes));
  const { path: dataDir, key } = await makeDataDir(compared.gateway, {
    path: `${folder}/data`,
    upstream,
    size: SMALL_CATALOGUE,
    films,
  });
  const settings = workers === undefined ? [] : ["--video-workers", String(workers)];
  const gateway = stack.use(await startGateway(compared.gateway, dataDir, settings));
  const kept = stack.move();
  return {
    gateway,
    dataDir,
    key,
    client: new VideoClient({ gateway, key }),
    async startBare(kind, file) {
      return kept.use(await startBareServer(compared.bareServer, { folder, kind, file }));
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
