/**
 * From starting the executable on an existing data dir to its first answer to a chat call, beside
 * the least that a compiled program takes.
 *
 * @module
 */

import type { BenchRun, Findings } from "../bench_run.ts";
import { prepareGateways } from "../contestants.ts";
import { inTurn } from "../in_turn.ts";
import { firstQuartile, median } from "../measure_load.ts";
import { timeGatewayStart, timeStart } from "../time_start.ts";

/** Starts each several times, in turn, each time until it answers, then ends it. */
export async function measureStartUp(run: BenchRun): Promise<Findings> {
  const { compared: { helloWorld }, sizes } = run;
  const gateways = await prepareGateways(run);
  const found = await inTurn(sizes.starts, [
    () => timeStart((port) => [...helloWorld, String(port)]),
    ...gateways.map((gateway) => () => timeGatewayStart(gateway)),
  ]);
  const [hello, ...starts] = found as [number[], ...number[][]];
  const calm = firstQuartile(hello);
  const multipleOf = (name: string) => {
    const index = gateways.findIndex((gateway) => gateway.name === name);
    return index < 0 ? undefined : firstQuartile(starts[index]!) / calm;
  };
  const before = multipleOf("before");
  return {
    title: "Start to first answer",
    rows: [hello, ...starts].map((startsMs, index) => ({
      "": index === 0 ? "hello-world" : gateways[index - 1]!.name,
      "first quartile, ms": firstQuartile(startsMs),
      "median ms": median(startsMs),
      "slowest ms": Math.max(...startsMs),
      "× hello-world": firstQuartile(startsMs) / calm,
    })),
    targets: [{
      what: "start to first answer, of what a compiled hello-world takes",
      unit: "×",
      atMost: 5,
      aim: 3,
      measured: multipleOf("now")!,
      ...before !== undefined && { before },
    }],
    notes: [
      `${sizes.starts} starts of each, in turn. Gateways start on a data dir that exists, until the ` +
      `first byte of the first chat call's 200.`,
    ],
  };
}
