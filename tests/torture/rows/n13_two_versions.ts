/**
 * N13: nodes are updated one after the other, under load; the old version starts again in the middle of
 * it, after the new one has added to the tables.
 *
 * @module
 */

import { SCHEMA_VERSION } from "../../../src/storage/postgres/schema/versions.ts";
import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import { SeveralNodes } from "../nodes/several_nodes.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";
import { laterVersion } from "../test_build/later_version.ts";

const NODES = 3;
const CALLS_PER_SECOND = 20;
/** Answers between one step and the next. */
const ANSWERS = 40;

/** Which node starts next, and whether with the later version. */
const STEPS: readonly (readonly [node: number, isLater: boolean])[] = [
  ...[[0, true], [1, false], [1, true], [0, false], [2, true], [0, true]] as const,
];

export const row: ScorecardRow = {
  id: "N13",
  title: "two versions side by side",
  tools: ["postgresql"],
  laterBuild: [laterVersion],
  seededBug: {
    name: "only_own_version",
    says: "a version works with no tables but those it knows all of",
    edits: [{
      file: "src/storage/postgres/schema_state.ts",
      find: "if (version <= known || least <= known) return undefined;",
      replace: "if (version <= known) return undefined;",
    }],
  },
  async run({ size, random, folder, later, note }) {
    const rounds = size.pick({ commit: 1, full: 10 });
    const found = new RowFinding("");
    await using upstream = await startFaultUpstream({ logFile: `${folder}/upstream.log` });
    await using nodes = await SeveralNodes.start({ folder, upstream, credit: "9000000" });
    for (let step = 0; step < rounds * STEPS.length; step++) {
      const [node, isLater] = STEPS[step % STEPS.length]!;
      const load = nodes.callAll({ callsPerSecond: CALLS_PER_SECOND, random });
      await nodes.untilAnswered(ANSWERS);
      // In order or not: neither leaves anything that the other version cannot go on with.
      if (random.integer(0, 1) === 0) await nodes.at(node).server.stop();
      else await nodes.at(node).server.kill();
      const started = nodes.startNode(node, isLater ? later : undefined);
      const why = await started.then(() => undefined, (error) => String(error));
      found.require(why === undefined, `a node does not start: ${why}`);
      if (why === undefined) await nodes.untilAnswered(ANSWERS);
      await load.over();
      if (why !== undefined) return found;
      const { schema, programs } = await nodes.versions();
      found.require(schema === SCHEMA_VERSION + 1, `the tables have version ${schema}`);
      note(
        `N13 step ${step + 1}: programs of ${programs.join(" and ")}, ${nodes.answered} answers`,
      );
    }
    const { programs } = await nodes.versions();
    found.require(programs.join() === `${SCHEMA_VERSION + 1}`, `programs of ${programs} are left`);
    found.tried = `${rounds * STEPS.length} starts of ${NODES} nodes: ${nodes.sent} calls`;
    found.count("too young for a book", await nodes.requireExact(found));
    return found;
  },
};
