/**
 * Embeddings that the upstream sends as numbers and the caller wants as base64: the gateway against
 * the pass-through, which parses the same numbers and writes them again.
 *
 * @module
 */

import type { BenchRun, Findings } from "../bench_run.ts";
import { type MeasuredLoad, measureLoad, median, medianRatio } from "../measure_load.ts";
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
  const kinds = [
    { name: "pass-through, numbers", server: passThrough },
    { name: "gateway, base64", server: gateway },
  ].map((kind) => ({ ...kind, loads: [] as MeasuredLoad[] }));
  const load = { connections: CONNECTIONS, requests };
  for (const { server } of kinds) {
    await measureLoad(server, { ...load, seconds: WARM_UP_SECONDS });
  }
  const upstreamBefore = cpuMicroseconds(upstream.pid);
  for (let round = 0; round < sizes.rounds; round++) {
    for (const { server, loads } of kinds) {
      loads.push(await measureLoad(server, { ...load, seconds: sizes.secondsPerLoad }));
    }
  }
  const upstreamUs = cpuMicroseconds(upstream.pid) - upstreamBefore;
  const seconds = kinds.flatMap(({ loads }) => loads).reduce((sum, one) => sum + one.seconds, 0);
  const [bareUs, gatewayUs] = kinds.map(({ loads }) => loads.map(({ cpuUs }) => cpuUs));
  return {
    title: `Embeddings, ${VECTORS} x ${DIMENSIONS} numbers, ${CONNECTIONS} connections`,
    rows: kinds.map(({ name, server, loads }) => ({
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
      measured: medianRatio(gatewayUs!, bareUs!),
    }],
    notes: [`The upstream worked ${Math.round(upstreamUs / 1e4 / seconds)} % of the time.`],
  };
}
