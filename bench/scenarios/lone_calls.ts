/**
 * What the gateway adds to a lone call, beside one sync of the same disk: no call is answered before
 * what it cost is on it.
 *
 * @module
 */

import type { BenchRun, Findings } from "../bench_run.ts";
import { loadOf, PLAIN_CALL } from "../call_kinds.ts";
import { type Contestant, type ContestantName, startContestants } from "../contestants.ts";
import { timeSyncs } from "../disk_sync.ts";
import { inTurn } from "../in_turn.ts";
import { firstQuartile, measureLoad, median } from "../measure_load.ts";

const LONE_CALL = { ...PLAIN_CALL, connections: 1 };
const SLICE_SECONDS = 1;
const WARM_UP_SECONDS = 60;
const SYNCS = 200;

/** One connection, one call after the other. */
export async function measureLoneCalls(run: BenchRun): Promise<Findings> {
  const { upstream, sizes, folder } = run;
  await using contestants = await startContestants(run);
  const servers: readonly (Omit<Contestant, "name"> & { readonly name: string })[] = [
    { name: "upstream itself", server: upstream, key: "none" },
    ...contestants.all,
  ];
  const p50 = async ({ server, key }: Omit<Contestant, "name">, maxRequests?: number) => {
    const seconds = maxRequests === undefined ? SLICE_SECONDS : WARM_UP_SECONDS;
    const load = loadOf(LONE_CALL, { key, seconds, ...maxRequests && { maxRequests } });
    return (await measureLoad(server, load)).latency.p50Ms;
  };
  for (const one of servers) await p50(one, sizes.warmUpCalls);
  const [syncs, ...p50s] = await inTurn(sizes.slices, [
    () => Promise.resolve(median(timeSyncs(folder, SYNCS))),
    ...servers.map((one) => () => p50(one)),
  ]) as [number[], ...number[][]];
  const foundOf = (name: string) => p50s[servers.findIndex((one) => one.name === name)];
  const bare = firstQuartile(foundOf("pass-through")!);
  const sync = firstQuartile(syncs);
  const beyondSync = (name: ContestantName) => {
    const found = foundOf(name);
    return found && firstQuartile(found) - bare - sync;
  };
  const before = beyondSync("before");
  return {
    title: "Plain calls, one connection",
    rows: [
      rowOf("one fdatasync", syncs, NaN),
      ...servers.map(({ name }, index) =>
        rowOf(name, p50s[index]!, firstQuartile(p50s[index]!) - bare)
      ),
    ],
    targets: [{
      what: "p50 at one connection, above the pass-through's and one fdatasync",
      unit: "ms",
      atMost: 0.35,
      aim: 0.2,
      measured: beyondSync("now")!,
      ...before !== undefined && { before },
    }],
    notes: [
      `First quartiles and medians of the p50 of ${sizes.slices} slices of 1 s, in turn; of the ` +
      `disk the p50 of ${SYNCS} pages of 4 KiB, each written over another and synced.`,
    ],
  };
}

function rowOf(name: string, p50s: readonly number[], added: number) {
  return {
    "": name,
    "p50 ms": firstQuartile(p50s),
    "p50 ms, median": median(p50s),
    "above the pass-through, ms": added,
  };
}
