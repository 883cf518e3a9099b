/**
 * N6: far more calls at once than a balance pays for, over several nodes; some of it may be with a node
 * that has no calls.
 *
 * @module
 */

import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { SeveralNodes } from "../nodes/several_nodes.ts";
import { callAllAtOnce, fundsFor } from "../overdraft.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

const SERVED = 100;
const CALLS = 2_000;

export const row: ScorecardRow = {
  id: "N6",
  title: "overdraft over nodes",
  tools: ["postgresql"],
  seededBug: {
    name: "lent_twice",
    says: "what a node has of a balance is still there for others",
    edits: [{
      file: "src/storage/postgres/apply_lease.ts",
      find: "pool.avail -= amountE8;",
      replace: "",
    }],
  },
  async run({ seed, size, random, folder, note }) {
    const rounds = size.pick({ commit: 2, full: 20 });
    const found = new RowFinding(
      `${CALLS} calls at once over nodes, funds for ${SERVED}, ${rounds} times`,
    );
    await using upstream = await startFaultUpstream({ logFile: `${folder}/upstream.log`, seed });
    await using nodes = await SeveralNodes.start({ folder, upstream });
    const [idle, ...others] = nodes.all;
    let served = 0;
    let refused = 0;
    for (let round = 0; round < rounds; round++) {
      await found.during(`round ${round + 1}`, async () => {
        const maxTokens = random.integer(1, 50_000);
        const of = { keys: [nodes.key], maxTokens, random, nextTag: nodes.nextTag };
        await idle!.credit("paying", fundsFor(SERVED, maxTokens));
        // A node that has had a call has some of the balance for more of them.
        const before = round % 2 === 0 ? 0 : 1;
        const first = await callAllAtOnce([idle!], { ...of, count: before });
        const begunAt = performance.now();
        const rest = await callAllAtOnce(before === 0 ? nodes.all : others, {
          ...of,
          count: CALLS - before,
        });
        found.time(`round ${round + 1}`, performance.now() - begunAt);
        served += first.served + rest.served;
        refused += first.refused + rest.refused;
        found.requireNone([...first.others, ...rest.others].slice(0, 3));
        const { projects } = await nodes.quietBooks();
        const { avail, held } = projects.find(({ id }) => id === "paying")!;
        found.require(
          avail === 0n && held === 0n,
          `round ${round} leaves ${avail} and ${held} held`,
        );
        note(`N6 round ${round + 1} of ${rounds}: ${rest.served} served, ${rest.refused} refused`);
      });
    }
    found.count("served", served, { exactly: SERVED * rounds });
    found.count("refused with 402", refused, { exactly: (CALLS - SERVED) * rounds });
    found.count("upstream calls", upstream.arrived, { exactly: SERVED * rounds });
    await nodes.requireBooks(found);
    return found;
  },
};
