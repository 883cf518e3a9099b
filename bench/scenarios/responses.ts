/**
 * Streams of the Responses API by an upstream that has only chat, against the same streams as chat
 * chunks: what converting them costs. One gateway serves both, in turn.
 *
 * @module
 */

import type { BenchRun, Findings } from "../bench_run.ts";
import { chatRequest } from "../chat_requests.ts";
import { inTurn } from "../in_turn.ts";
import { measureLoad, median, medianRatio } from "../measure_load.ts";
import { responseRequest } from "../response_requests.ts";
import { MODEL } from "../servers.ts";
import { startCompared } from "../started.ts";

const CONNECTIONS = 32;
const WARM_UP_SECONDS = 2;

/** Streams of 20 content chunks: as chat, converted, and converted and kept. */
export async function measureResponsesStream(run: BenchRun): Promise<Findings> {
  const { sizes } = run;
  await using started = await startCompared(run);
  const { gateway, key } = started;
  const call = { model: MODEL, key };
  const kinds = [
    { name: "chat", request: chatRequest({ ...call, stream: true }) },
    { name: "responses, `store: false`", request: responseRequest({ ...call, isStored: false }) },
    { name: "responses, kept", request: responseRequest({ ...call, isStored: true }) },
  ];
  const load = (request: string, seconds: number) =>
    measureLoad(gateway, { connections: CONNECTIONS, requests: [request], seconds });

  for (const { request } of kinds) await load(request, WARM_UP_SECONDS);
  const loads = await inTurn(
    sizes.rounds,
    kinds.map(({ request }) => () => load(request, sizes.secondsPerLoad)),
  );
  const cpuOf = loads.map((ofKind) => ofKind.map(({ cpuUs }) => cpuUs));
  const ratios = cpuOf.map((cpu) => medianRatio(cpu, cpuOf[0]!));
  return {
    title: `Converted streams of 20 chunks, ${CONNECTIONS} connections`,
    rows: kinds.map(({ name }, index) => ({
      "": name,
      "calls/s": median(loads[index]!.map(({ perSecond }) => perSecond)),
      "p50 ms": median(loads[index]!.map(({ latency }) => latency.p50Ms)),
      "CPU µs/call": median(cpuOf[index]!),
      "ratio": ratios[index]!,
    })),
    targets: [{
      what: "CPU per converted Responses stream, ratio to the same stream as chat",
      unit: "",
      atMost: 1.5,
      measured: ratios[1]!,
    }],
    notes: [
      "The figure to reach is of answers that are not kept, as those of chat are not. Each call " +
      "of either API is held for, settled on disk and logged.",
    ],
  };
}
