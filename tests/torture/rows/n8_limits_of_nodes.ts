/**
 * N8: far more calls than limits let in, over several nodes, with traffic that moves from one to the
 * others.
 *
 * @module
 */

import {
  type FaultUpstream,
  startFaultUpstream,
} from "../../support/fault_upstream/fault_upstream.ts";
import { scriptPrompt } from "../../support/fault_upstream/upstream_script.ts";
import { until } from "../../support/until.ts";
import { SeveralNodes } from "../nodes/several_nodes.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

/** After a refusal. */
const AGAIN_MS = 50;
/** Of a limit, what must be of use. */
const USABLE = 0.99;
/** A minute's limit must be used up within less. */
const WITHIN_MS = 45_000;
const CALL_MS = 2_000;

export const row: ScorecardRow = {
  id: "N8",
  title: "limits over nodes",
  tools: ["postgresql"],
  seededBug: {
    name: "a_limit_for_each_node",
    says: "each node lets in as many calls as all may have together",
    edits: [{
      file: "src/app/share_limits.ts",
      find: "limiter.shareAmongNodes(keeper);",
      replace: "",
    }],
  },
  async run({ size, folder, note }) {
    const perMinute = size.pick({ commit: 300, full: 3_000 });
    const atOnce = size.pick({ commit: 30, full: 100 });
    const found = new RowFinding("");
    await using upstream = await startFaultUpstream({ logFile: `${folder}/upstream.log` });
    await using nodes = await SeveralNodes.start({ folder, upstream });
    await nodes.at(0).apply(catalogue(upstream.url, { perMinute, atOnce }));
    const brisk = await nodes.newKey("brisk");
    const narrow = await nodes.newKey("narrow");

    const rate = callWithoutEnd(nodes, { key: brisk, delayMs: 0, workers: 60 });
    const startedAt = performance.now();
    await found.during("a limit in a minute", async () => {
      rate.to([0]);
      const most = { withinMs: WITHIN_MS };
      await until("half of it to be used", () => rate.served >= perMinute / 2, most);
      rate.to([1, 2]);
      await until("all of it to be used", () => rate.served >= USABLE * perMinute, most);
      const before = rate.refused;
      await until("refusals", () => rate.refused >= before + perMinute, most);
    });
    await rate.over();
    const tookMs = performance.now() - startedAt;
    await found.during("the upstream's attempts", () => upstream.ended());
    const begun = upstream.arrived;
    found.require(
      begun <= perMinute || tookMs >= 60_000,
      `${begun} calls were begun in ${tookMs.toFixed(0)} ms, and ${perMinute} may be in a minute`,
    );
    note(`N8: ${begun} of ${perMinute} in a minute, ${rate.refused} refused`);

    const places = callWithoutEnd(nodes, { key: narrow, delayMs: CALL_MS, workers: 2 * atOnce });
    await found.during("calls at one time", async () => {
      for (const active of [[0], [1, 2], [0, 1, 2]]) {
        places.to(active);
        const before = places.served;
        await until("calls", () => places.served >= before + 2 * atOnce);
        await until("all places to be used", () => upstream.open >= atOnce, { everyMs: 5 });
      }
    });
    await places.over();
    await found.during("the upstream's attempts", () => upstream.ended());
    const most = mostAtOnce(upstream, begun);
    note(`N8: ${most} of ${atOnce} at one time, ${places.refused} refused`);
    found.tried = `${rate.served + rate.refused + places.served + places.refused} calls to 3 nodes`;
    found.count("of so many in a minute", rate.served, { atMost: perMinute });
    found.count("at one time", most, { atMost: atOnce });
    await nodes.requireBooks(found);
    return found;
  },
};

function catalogue(
  url: string,
  { perMinute, atOnce }: { readonly perMinute: number; readonly atOnce: number },
): string {
  return `
providers:
  - { id: remote, kind: openai_compatible, base_url: "${url}", auth: none }
models:
  - id: m
    kind: chat
    routes:
      - { id: remote/m, provider: remote, upstream_model: m, free: true }
projects:
  - { id: default, unlimited: true }
  - { id: brisk, unlimited: true, limits: { requests_per_minute: ${perMinute} } }
  - { id: narrow, unlimited: true, limits: { concurrent: ${atOnce} } }
`;
}

/** Calls of many workers, each with one after the other, at those nodes that were named last. */
function callWithoutEnd(
  nodes: SeveralNodes,
  { key, delayMs, workers: count }: {
    readonly key: string;
    readonly delayMs: number;
    readonly workers: number;
  },
) {
  let served = 0;
  let refused = 0;
  let active: readonly number[] = [];
  let isOver = false;
  const work = async (worker: number) => {
    while (!isOver) {
      if (active.length > 0) {
        const gateway = nodes.at(active[worker % active.length]!);
        const tag = nodes.nextTag();
        const response = await gateway.chat(key, {
          model: "m",
          max_tokens: 10,
          messages: [{ role: "user", content: scriptPrompt({ tag, acts: [{ delayMs }] }) }],
        });
        await response.body?.cancel();
        if (response.status === 200) served++;
        else refused++;
        if (response.status === 200) continue;
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  };
  const workers = Array.from({ length: count }, (_, worker) => work(worker));
  return {
    get served() {
      return served;
    },
    get refused() {
      return refused;
    },
    to(next: readonly number[]) {
      active = next;
    },
    async over() {
      isOver = true;
      await Promise.all(workers);
    },
  };
}

/** How many attempts after the first ones were under way at one time: none after its last bytes. */
function mostAtOnce({ log }: FaultUpstream, after: number): number {
  const moments = log.records.filter(({ number }) => number > after)
    .flatMap(({ arrivedAt, lastWriteAt }) => [[arrivedAt, 1], [lastWriteAt, -1]] as const)
    .sort(([a, one], [b, other]) => a - b || one - other);
  let open = 0;
  let most = 0;
  for (const [, step] of moments) most = Math.max(most, open += step);
  return most;
}
