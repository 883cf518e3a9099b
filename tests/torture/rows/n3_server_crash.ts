/**
 * N3: the server of the database crashes in the middle of the calls of several nodes, and comes back.
 *
 * @module
 */

import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { SeveralNodes } from "../nodes/several_nodes.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

const NODES = 3;
const CALLS_PER_SECOND = 20;

export const row: ScorecardRow = {
  id: "N3",
  title: "crash of the database's server",
  tools: ["postgresql"],
  seededBug: {
    name: "no_second_try",
    says: "what was to be written as a connection was lost is given up",
    edits: [{
      file: "src/storage/postgres/write_turns.ts",
      find: "const mayHelp = error instanceof ConnectionLost || error instanceof Retry ||",
      replace: "        const mayHelp = error instanceof Retry ||",
    }],
  },
  async run({ size, random, folder, note }) {
    const crashes = size.pick({ commit: 2, full: 20 });
    const mostMs = size.pick({ commit: 4_000, full: 30_000 });
    const found = new RowFinding("");
    await using upstream = await startFaultUpstream({ logFile: `${folder}/upstream.log` });
    await using nodes = await SeveralNodes.start({ folder, upstream, credit: "9000000" });
    let young = 0;
    let awayMs = 0;
    for (let crash = 1; crash <= crashes; crash++) {
      const load = nodes.callAll({ callsPerSecond: CALLS_PER_SECOND, random });
      await nodes.untilAnswered(random.integer(50, 150));
      const crashedAt = performance.now();
      await nodes.server.crash();
      await new Promise((resolve) => setTimeout(resolve, random.integer(300, mostMs)));
      await nodes.server.start();
      awayMs = Math.max(awayMs, performance.now() - crashedAt);
      await nodes.untilAnswered(50);
      await load.over();
      note(`N3 crash ${crash} of ${crashes}: ${nodes.answered} of ${nodes.sent} calls answered`);
    }
    found.tried = `${crashes} crashes of the database's server: ${nodes.sent} calls`;
    found.require(
      nodes.all.every(({ server }) => !server.hasEnded),
      () => `a node has ended: ${nodes.troubles.join("; ")}`,
    );
    // All had the time to come back before anybody took anybody for dead.
    found.count("nodes that live", await nodes.sessions("live"), { exactly: NODES });
    young = await nodes.requireExact(found);
    const { calls } = await nodes.quietBooks();
    // What was made waits to be written: nothing of it is given up.
    const lost = calls.filter(({ loss }) => loss > 0n);
    found.require(lost.length === 0, () => {
      const { requestId, state, result, closedAt = 0n, openedAt } = lost[0]!;
      return `${lost.length} calls are given up: ${requestId} is ${state} as ${result} after ` +
        `${closedAt - openedAt} ms (${nodes.troubles.slice(0, 5).join("; ")})`;
    });
    found.time("away at most", awayMs);
    found.count("too young for a book", young);
    return found;
  },
};
