/**
 * Calls in Anthropic's dialect against the same calls as chat: passed through to an upstream that
 * speaks it, and converted for one that has only chat. One gateway serves all, in turn.
 *
 * @module
 */

import type { BenchRun, Findings } from "../bench_run.ts";
import { type ChatRequest, chatRequest } from "../chat_requests.ts";
import { inTurn } from "../in_turn.ts";
import { measureLoad, median, medianRatio } from "../measure_load.ts";
import { messageRequest } from "../message_requests.ts";
import { MESSAGES_MODEL, MODEL } from "../servers.ts";
import { startCompared } from "../started.ts";

const CONNECTIONS = 32;
const WARM_UP_SECONDS = 2;
/** The most that a call may cost, of what it costs as chat. */
const PASSED_AT_MOST = 1.1;
const CONVERTED_AT_MOST = 1.6;

interface Kind {
  readonly name: string;
  readonly model: string;
  readonly write: (request: ChatRequest) => string;
  readonly atMost?: number;
}

const KINDS: readonly Kind[] = [
  { name: "chat", model: MODEL, write: chatRequest },
  {
    name: "messages, passed through",
    model: MESSAGES_MODEL,
    write: messageRequest,
    atMost: PASSED_AT_MOST,
  },
  {
    name: "messages over chat, converted",
    model: MODEL,
    write: messageRequest,
    atMost: CONVERTED_AT_MOST,
  },
  {
    name: "chat over messages, converted",
    model: MESSAGES_MODEL,
    write: chatRequest,
    atMost: CONVERTED_AT_MOST,
  },
];

/** Plain calls, and streams of 20 pieces of text. */
export async function measureMessages(run: BenchRun): Promise<Findings> {
  const { sizes } = run;
  await using started = await startCompared(run);
  const { gateway, key } = started;
  const measured = [false, true].flatMap((stream) =>
    KINDS.map((kind) => ({
      ...kind,
      stream,
      request: kind.write({ model: kind.model, key, stream }),
    }))
  );
  const load = (request: string, seconds: number) =>
    measureLoad(gateway, { connections: CONNECTIONS, requests: [request], seconds });

  for (const { request } of measured) await load(request, WARM_UP_SECONDS);
  const loads = await inTurn(
    sizes.rounds,
    measured.map(({ request }) => () => load(request, sizes.secondsPerLoad)),
  );
  const cpuOf = loads.map((ofKind) => ofKind.map(({ cpuUs }) => cpuUs));
  const rows = measured.map(({ name, stream, atMost }, index) => ({
    what: `${stream ? "streams" : "calls"}: ${name}`,
    atMost,
    ratio: medianRatio(cpuOf[index]!, cpuOf[stream ? KINDS.length : 0]!),
    perSecond: median(loads[index]!.map(({ perSecond }) => perSecond)),
    p50Ms: median(loads[index]!.map(({ latency }) => latency.p50Ms)),
    cpuUs: median(cpuOf[index]!),
  }));
  return {
    title: `Anthropic's dialect, ${CONNECTIONS} connections`,
    rows: rows.map(({ what, perSecond, p50Ms, cpuUs, ratio }) => ({
      "": what,
      "calls/s": perSecond,
      "p50 ms": p50Ms,
      "CPU µs/call": cpuUs,
      "ratio": ratio,
    })),
    targets: rows.flatMap(({ what, atMost, ratio }) =>
      atMost === undefined ? [] : [{
        what: `CPU of ${what}, ratio to the same as chat`,
        unit: "",
        atMost,
        measured: ratio,
      }]
    ),
    notes: [],
  };
}
