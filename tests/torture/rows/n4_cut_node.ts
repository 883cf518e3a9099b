/**
 * N4: the line of one of several nodes to the database's server is silent, and nothing is closed.
 *
 * @module
 */

import type { Silence } from "../../support/cutting_line.ts";
import {
  type FaultUpstream,
  startFaultUpstream,
} from "../../support/fault_upstream/fault_upstream.ts";
import { until } from "../../support/until.ts";
import { SeveralNodes } from "../nodes/several_nodes.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";
import { taggedBody } from "../tagged_calls.ts";
import { QUICK_REAP_MS, quickReap } from "../test_build/quick_reap.ts";

const CALLS_PER_SECOND = 20;
const CUT = 2;
/** Whoever hears nothing of the server for so long begins no call. */
const SILENT_MS = 3_000;

export const row: ScorecardRow = {
  id: "N4",
  title: "a node cut off from the database",
  tools: ["postgresql"],
  testBuild: [quickReap],
  seededBug: {
    name: "promises_while_cut_off",
    says: "calls are begun while the server of the database is silent",
    edits: [{
      file: "src/app/database/watch_server.ts",
      find: `if (isHeldUp(server)) return false;
  return server.state().silentMs < SILENT_MS;`,
      replace: "return server.state().silentMs < Infinity + SILENT_MS;",
    }, {
      file: "src/http/endpoints/shape/when_current.ts",
      find: "configuration.isCurrent ? answer(context)",
      replace: "configuration !== undefined ? answer(context)",
    }, {
      file: "src/http/quick_chat.ts",
      find: "if (deps.configuration?.isCurrent === false) return undefined;",
      replace: "",
    }],
  },
  async run({ size, random, folder, note }) {
    const rounds = size.pick({ commit: 1, full: 10 });
    const found = new RowFinding("");
    await using upstream = await startFaultUpstream({ logFile: `${folder}/upstream.log` });
    await using nodes = await SeveralNodes.start({ folder, upstream, credit: "9000000" });
    let young = 0;
    const line = nodes.lines[CUT]!;
    let refusedMs = 0;
    const silences: readonly (readonly [Silence, number])[] = [
      ["both", 0.6],
      ["to_client", 0.6],
      ["both", 1.5],
    ];
    for (let round = 1; round <= rounds; round++) {
      for (const [silence, share] of silences) {
        const load = nodes.callAll({ callsPerSecond: CALLS_PER_SECOND, random });
        await nodes.untilAnswered(random.integer(50, 150));
        const { server, url } = nodes.at(CUT);
        line.hold(silence);
        const heldAt = performance.now();
        await found.during("the node that is cut off says so", async () => {
          await until("it", async () => (await fetch(`${url}/readyz`)).status === 503);
        });
        refusedMs = Math.max(refusedMs, performance.now() - heldAt);
        if (share > 1) {
          await new Promise((resolve) => setTimeout(resolve, SILENT_MS));
          await requireRefused(found, { nodes, upstream });
        }
        const restMs = share * QUICK_REAP_MS - (performance.now() - heldAt);
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, restMs)));
        if (share > 1) await nodes.untilDead(round);
        // The others go on.
        await nodes.untilAnswered(50);
        line.release();
        await load.over();
        young = await nodes.requireExact(found);
        if (share > 1) {
          await found.during("the end of the node that was taken for dead", async () => {
            await until("it", () => server.hasEnded);
          });
          await nodes.startNode(CUT);
        }
        note(`N4 round ${round} of ${rounds}: ${nodes.answered} of ${nodes.sent} calls answered`);
      }
    }
    found.tried = `a node cut off ${silences.length * rounds} times: ${nodes.sent} calls`;
    found.time("not ready at most after", refusedMs, { atMost: 4_000 });
    found.count("too young for a book", young);
    return found;
  },
};

/** Requires that the node that is cut off begins no call, as long as it is. */
async function requireRefused(
  found: RowFinding,
  { nodes, upstream }: { readonly nodes: SeveralNodes; readonly upstream: FaultUpstream },
): Promise<void> {
  const tag = nodes.nextTag();
  const answered = nodes.at(CUT).chat(nodes.key, taggedBody(tag, { stream: false, act: {} }))
    .then(async (response) => `${response.status} ${await response.text()}`);
  const begun = upstream.received(tag).then(() => "by the upstream");
  const what = await Promise.race([answered, begun]);
  found.require(
    what.startsWith("503") && what.includes("storage_away"),
    `a call at the node that is cut off is answered ${what}`,
  );
  answered.catch(() => "its node has ended");
}
