/**
 * N15: a node that was taken for dead books what it has made, once: it stood still, or it was cut off
 * behind the end of a transaction, of which it then has to find out whether it was written.
 *
 * @module
 */

import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { until } from "../../support/until.ts";
import { SeveralNodes } from "../nodes/several_nodes.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";
import { quickReap } from "../test_build/quick_reap.ts";

const CALLS_PER_SECOND = 20;
const LOST = 1;
/** What is said in a transaction that ends calls. */
const SETTLES = /(?:batch_no|tollgate_[0-9a-f]{32})[^]*"settle"/;

export const row: ScorecardRow = {
  id: "N15",
  title: "a node that books what it had made",
  tools: ["postgresql"],
  testBuild: [quickReap],
  seededBug: {
    name: "doubt_forgotten",
    says: "whether the batch in doubt was written is not asked once the session has ended",
    edits: [{
      file: "src/storage/postgres/write_turns.ts",
      find: "if (written.batchNo === doubt?.batchNo) return this.#written(doubt);",
      replace:
        "if (written.isLive && written.batchNo === doubt?.batchNo) return this.#written(doubt);",
    }],
  },
  async run({ size, random, folder, note }) {
    const rounds = size.pick({ commit: 1, full: 10 });
    const found = new RowFinding("");
    await using upstream = await startFaultUpstream({ logFile: `${folder}/upstream.log` });
    await using nodes = await SeveralNodes.start({ folder, upstream, credit: "9000000" });
    const line = nodes.lines[LOST]!;
    let dead = 0;
    let young = 0;
    let rebooked = 0;
    for (let round = 1; round <= rounds; round++) {
      for (const fault of ["in_doubt", "cut", "stopped"] as const) {
        const load = nodes.callAll({ callsPerSecond: CALLS_PER_SECOND, random });
        await nodes.untilAnswered(random.integer(50, 150));
        const { server } = nodes.at(LOST);
        if (fault === "stopped") server.process.kill("SIGSTOP");
        else if (fault === "cut") line.hold("both");
        else {
          line.holdAfter(SETTLES);
          await until("a transaction that ends calls", () => line.isHeld);
        }
        await nodes.untilDead(++dead);
        if (fault === "stopped") server.process.kill("SIGCONT");
        else line.release();
        await load.over();
        await found.during("the end of the node that was taken for dead", async () => {
          await until("it", () => server.hasEnded);
        });
        rebooked += nodes.rebookedBy(LOST);
        young = await nodes.requireExact(found, { isAllBooked: true });
        await nodes.startNode(LOST);
        note(`N15 round ${round} of ${rounds}, ${fault}: ${rebooked} calls booked anew`);
      }
    }
    found.require(rebooked > 0, "no call was booked anew");
    found.tried = `a node taken for dead ${dead} times: ${nodes.sent} calls`;
    found.count("booked anew", rebooked);
    found.count("too young for a book", young);
    return found;
  },
};
