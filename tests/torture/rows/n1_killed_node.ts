/**
 * N1: nodes that share a database are killed in the middle of calls, while the others go on.
 *
 * @module
 */

import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { SeveralNodes } from "../nodes/several_nodes.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";
import { QUICK_REAP_MS, quickReap } from "../test_build/quick_reap.ts";

const NODES = 3;
const CALLS_PER_SECOND = 20;

export const row: ScorecardRow = {
  id: "N1",
  title: "kill -9 of a node",
  tools: ["postgresql"],
  testBuild: [quickReap],
  seededBug: {
    name: "nothing_left_by_the_dead",
    says: "what an ended node has left open stays open",
    edits: [{
      file: "src/app/reap.ts",
      find: "released = open.length === 0 ? 0 : await ledger.reap(open);",
      replace: "    released = 0;",
    }],
  },
  async run({ size, random, folder, note }) {
    const kills = size.pick({ commit: 2, full: 100 });
    const found = new RowFinding(`${kills} kills of one of ${NODES} nodes`);
    await using upstream = await startFaultUpstream({ logFile: `${folder}/upstream.log` });
    await using nodes = await SeveralNodes.start({ folder, upstream, credit: "9000000" });
    let young = 0;
    let reapedMs = 0;
    for (let kill = 1; kill <= kills; kill++) {
      const load = nodes.callAll({ callsPerSecond: CALLS_PER_SECOND, random });
      await nodes.untilAnswered(random.integer(50, 150));
      const victim = random.integer(0, NODES - 1);
      await nodes.at(victim).server.kill();
      const killedAt = performance.now();
      await nodes.untilDead(kill);
      reapedMs = Math.max(reapedMs, performance.now() - killedAt);
      await nodes.untilAnswered(50);
      await load.over();
      // The dead one does not come back for it: the others give back what it held.
      young = await nodes.requireExact(found);
      await nodes.startNode(victim);
      note(`N1 kill ${kill} of ${kills}: ${nodes.answered} of ${nodes.sent} calls answered`);
    }
    found.tried = `${kills} kills of one of ${NODES} nodes: ${nodes.sent} calls`;
    found.time("reaped at most", reapedMs, { atMost: QUICK_REAP_MS + 1_000 });
    found.count("too young for a book", young);
    return found;
  },
};
