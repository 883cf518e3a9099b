/**
 * Embeddings that the upstream sends as numbers and the caller wants as base64: the gateway against
 * the pass-through, which parses the same numbers and writes them again.
 *
 * @module
 */

import type { BenchRun, Findings } from "../bench_run.ts";
import type { Server } from "../child_process.ts";
import { inTurn } from "../in_turn.ts";
import { measureLoad, median, medianRatio } from "../measure_load.ts";
import { postRequest } from "../post_request.ts";
import { cpuMicroseconds, memoryBytes } from "../process_stats.ts";
import {
  EMBEDDING_MODEL,
  makeDataDir,
  SMALL_CATALOGUE,
  startEmbeddingUpstream,
  startGateway,
  startPassThrough,
} from "../servers.ts";

const VECTORS = 256;
const DIMENSIONS = 1_536;
const CONNECTIONS = 4;
const WARM_UP_SECONDS = 2;

/** 256 vectors of 1536 numbers in one answer. */
export async function measureEmbeddings(run: BenchRun): Promise<Findings> {
  const { compared, sizes, folder: parent } = run;
  const folder = await Deno.makeTempDir({ dir: parent });
  await using upstream = await startEmbeddingUpstream(folder, {
    vectors: VECTORS,
    dimensions: DIMENSIONS,
  });
  const { path, key } = await makeDataDir(compared.gateway, {
    path: `${folder}/data`,
    upstream: run.upstream,
    size: SMALL_CATALOGUE,
    embeddings: upstream,
  });
  await using passThrough = await startPassThrough(compared.passThrough, { folder, upstream });
  await using gateway = await startGateway(compared.gateway, path);

  const requests = [postRequest("embeddings", key, {
    model: EMBEDDING_MODEL,
    input: Array.from({ length: VECTORS }, (_, index) => `Line ${index} of a text to look up`),
    encoding_format: "base64",
  })];
  const load = (server: Server, seconds = sizes.secondsPerLoad) =>
    measureLoad(server, { connections: CONNECTIONS, requests, seconds });
  for (const server of [passThrough, gateway]) await load(server, WARM_UP_SECONDS);
  const upstreamBefore = cpuMicroseconds(upstream.pid);
  const [bare, full] = await inTurn(sizes.rounds, [() => load(passThrough), () => load(gateway)]);
  const upstreamUs = cpuMicroseconds(upstream.pid) - upstreamBefore;
  const seconds = [...bare, ...full].reduce((sum, one) => sum + one.seconds, 0);
  return {
    title: `Embeddings, ${VECTORS} x ${DIMENSIONS} numbers, ${CONNECTIONS} connections`,
    rows: [
      { name: "pass-through, numbers", server: passThrough, loads: bare },
      { name: "gateway, base64", server: gateway, loads: full },
    ].map(({ name, server, loads }) => ({
      "": name,
      "calls/s": median(loads.map(({ perSecond }) => perSecond)),
      "p50 ms": median(loads.map(({ latency }) => latency.p50Ms)),
      "CPU ms/call": median(loads.map(({ cpuUs }) => cpuUs)) / 1_000,
      "peak MB": memoryBytes(server.pid).peak / 1e6,
    })),
    targets: [{
      what: "CPU per call of 256 embeddings to base64, ratio to the pass-through",
      unit: "",
      atMost: 1.3,
      measured: medianRatio(full.map(({ cpuUs }) => cpuUs), bare.map(({ cpuUs }) => cpuUs)),
    }],
    notes: [`The upstream worked ${Math.round(upstreamUs / 1e4 / seconds)} % of the time.`],
  };
}
