/**
 * N2: a node that shares a database stands still, for a moment and until the others take it for dead,
 * and wakes.
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
const STOPPED = 1;
/** Nobody takes a node for dead that stands still for so long. */
const SHORT_MS = 1_000;

export const row: ScorecardRow = {
  id: "N2",
  title: "a node that stands still",
  tools: ["postgresql"],
  testBuild: [quickReap],
  seededBug: {
    name: "no_fence",
    says: "who was taken for dead goes on writing, and its beats do not tell it",
    edits: [{
      file: "src/storage/postgres/write_turns.ts",
      find: "AND batch_no = ${batchNo - 1} AND state = 'live'`",
      replace: "           AND batch_no = ${batchNo - 1}`",
    }, {
      file: "src/storage/postgres/batch_texts.ts",
      find: "      AND batch_no = ?8::bigint - 1 AND state = 'live'",
      replace: "      AND batch_no = ?8::bigint - 1",
    }, {
      file: "src/storage/postgres/session_beat.ts",
      find: "isLive: counted!.count === 1",
      replace: "isLive: counted!.count <= 1",
    }],
  },
  async run({ size, random, folder, note }) {
    const rounds = size.pick({ commit: 1, full: 10 });
    const found = new RowFinding("");
    await using upstream = await startFaultUpstream({ logFile: `${folder}/upstream.log` });
    await using nodes = await SeveralNodes.start({ folder, upstream, credit: "9000000" });
    let young = 0;
    let rebooked = 0;
    let dead = 0;
    for (let round = 1; round <= rounds; round++) {
      for (const isTakenForDead of [false, true]) {
        const load = nodes.callAll({ callsPerSecond: CALLS_PER_SECOND, random });
        await nodes.untilAnswered(random.integer(50, 150));
        const { server } = nodes.at(STOPPED);
        server.process.kill("SIGSTOP");
        if (isTakenForDead) await nodes.untilDead(++dead);
        else await new Promise((resolve) => setTimeout(resolve, SHORT_MS));
        const written = await nodes.writtenByDead();
        server.process.kill("SIGCONT");
        await nodes.untilAnswered(50);
        await load.over();
        found.require(
          await nodes.writtenByDead() === written,
          "who was taken for dead has written something since",
        );
        found.require(
          await nodes.sessions("dead") === dead,
          "who stood still for a moment is taken for dead",
        );
        if (isTakenForDead) {
          await found.during("the end of the node that was taken for dead", async () => {
            await until("it", () => server.hasEnded);
          });
          rebooked += nodes.rebookedBy(STOPPED);
        }
        young = await nodes.requireExact(found, { isAllBooked: true });
        if (isTakenForDead) await nodes.startNode(STOPPED);
        note(`N2 round ${round} of ${rounds}: ${nodes.answered} of ${nodes.sent} calls answered`);
      }
    }
    found.tried = `a node stopped ${2 * rounds} times: ${nodes.sent} calls`;
    found.count("too young for a book", young);
    found.count("booked anew", rebooked);
    return found;
  },
};
