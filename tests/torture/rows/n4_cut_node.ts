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
/** Nobody takes a node for dead that is cut off for so long. */
const SHORT_MS = 3_500;

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
  return server.state().silentMs < AWAY_MS;`,
      replace: "return server.state().silentMs < Infinity + AWAY_MS;",
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
    // Of a project that has a balance a node may have none left, and ask for more in vain.
    const key = await nodes.newKey("default");
    let young = 0;
    let rebooked = 0;
    const line = nodes.lines[CUT]!;
    let refusedMs = 0;
    const [short, long] = [["to_client", SHORT_MS], ["both", QUICK_REAP_MS]] as const;
    const silences: readonly (readonly [Silence, number])[] = size.pick({
      commit: [short, long],
      full: [["both", SHORT_MS], short, long],
    });
    for (let round = 1; round <= rounds; round++) {
      for (const [silence, silentMs] of silences) {
        const isTakenForDead = silentMs >= QUICK_REAP_MS;
        const load = nodes.callAll({ callsPerSecond: CALLS_PER_SECOND, random });
        await nodes.untilAnswered(random.integer(50, 150));
        const { server, url } = nodes.at(CUT);
        line.hold(silence);
        const heldAt = performance.now();
        await found.during("the node that is cut off says so", async () => {
          await until("it", async () => (await fetch(`${url}/readyz`)).status === 503);
        });
        refusedMs = Math.max(refusedMs, performance.now() - heldAt);
        const othersGoOn = nodes.untilAnswered(50);
        if (isTakenForDead) {
          await requireRefused(found, { nodes, upstream, key });
          await nodes.untilDead(round);
          await othersGoOn;
        } else {
          const restMs = silentMs - (performance.now() - heldAt);
          await new Promise((resolve) => setTimeout(resolve, Math.max(0, restMs)));
        }
        line.release();
        await othersGoOn;
        await load.over();
        if (isTakenForDead) {
          await found.during("the end of the node that was taken for dead", async () => {
            await until("it", () => server.hasEnded);
          });
          rebooked += nodes.rebookedBy(CUT);
        }
        young = await nodes.requireExact(found, { isAllBooked: true });
        if (isTakenForDead) await nodes.startNode(CUT);
        note(`N4 round ${round} of ${rounds}: ${nodes.answered} of ${nodes.sent} calls answered`);
      }
    }
    found.tried = `a node cut off ${silences.length * rounds} times: ${nodes.sent} calls`;
    found.time("not ready at most after", refusedMs, { atMost: 4_000 });
    found.count("too young for a book", young);
    found.count("booked anew", rebooked);
    return found;
  },
};

/** Requires that the node that is cut off begins no call, as long as it is. */
async function requireRefused(
  found: RowFinding,
  { nodes, upstream, key }: {
    readonly nodes: SeveralNodes;
    readonly upstream: FaultUpstream;
    readonly key: string;
  },
): Promise<void> {
  const tag = nodes.nextTag();
  const answered = nodes.at(CUT).chat(key, taggedBody(tag, { stream: false, act: {} }))
    .then(async (response) => `${response.status} ${await response.text()}`);
  const begun = upstream.received(tag).then(() => "by the upstream");
  const what = await Promise.race([answered, begun]);
  found.require(
    what.startsWith("503") && what.includes("storage_away"),
    `a call at the node that is cut off is answered ${what}`,
  );
  answered.catch(() => "its node has ended");
}
