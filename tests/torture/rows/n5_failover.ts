/**
 * N5: the database's server is lost under load, and its standby takes its place: one that has all that
 * was acknowledged, then one that is behind.
 *
 * @module
 */

import { cutLine } from "../../support/cutting_line.ts";
import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import type { PostgresServer } from "../../support/postgres_server.ts";
import type { SeededRandom } from "../../support/seeded_random.ts";
import { until } from "../../support/until.ts";
import { SeveralNodes } from "../nodes/several_nodes.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";

const CALLS_PER_SECOND = 20;
/** Answers that a standby that is behind has nothing of. */
const BEHIND = 60;
const NAMED = /it has lost the last (\d+) batches that it had acknowledged/g;

export const row: ScorecardRow = {
  id: "N5",
  title: "failover to a standby",
  tools: ["postgresql"],
  seededBug: {
    name: "set_back_unseen",
    says: "a database that has lost what it had acknowledged is gone on with",
    edits: [{
      file: "src/storage/postgres/write_turns.ts",
      find: "if (batchNo < this.#heardOf) {",
      replace: "    if (batchNo < 0) {",
    }],
  },
  async run({ size, random, folder, note }) {
    const rounds = size.pick({ commit: 1, full: 5 });
    const found = new RowFinding("");
    await using upstream = await startFaultUpstream({ logFile: `${folder}/upstream.log` });
    await using nodes = await SeveralNodes.start({ folder, upstream, credit: "9000000" });
    let lost = 0;
    for (let round = 1; round <= rounds; round++) {
      await loseNothing(nodes, { found, random });
      note(`N5 round ${round} of ${rounds}: synchronous, ${nodes.answered} answers`);
      lost = await loseWhatIsNamed(nodes, { found, random });
      note(`N5 round ${round} of ${rounds}: asynchronous, ${lost} answers lost so far`);
    }
    found.tried = `${2 * rounds} failovers: ${nodes.sent} calls`;
    found.count("answers that a standby behind had nothing of", lost);
    return found;
  },
};

/** What a row finds with, and draws by. */
interface Row {
  readonly found: RowFinding;
  readonly random: SeededRandom;
}

async function loseNothing(nodes: SeveralNodes, { found, random }: Row): Promise<void> {
  const before = await nodes.lostAnswers();
  const standby = await nodes.server.follow();
  await nodes.server.ask("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await nodes.server.ask("postgres", "SELECT pg_reload_conf()");
  await untilFollowed(nodes.server, "sync");
  const load = nodes.callAll({ callsPerSecond: CALLS_PER_SECOND, random });
  await nodes.untilAnswered(random.integer(50, 150));
  await nodes.failOver(standby);
  await nodes.untilAnswered(50);
  await load.over();
  found.require(
    nodes.all.every(({ server }) => !server.hasEnded),
    () => `a node has ended: ${nodes.troubles.join("; ")}`,
  );
  await nodes.requireBooks(found);
  found.count("answers lost with a synchronous standby", await nodes.lostAnswers() - before, {
    exactly: 0,
  });
}

/** Says how many answers were lost. */
async function loseWhatIsNamed(nodes: SeveralNodes, { found, random }: Row): Promise<number> {
  using line = cutLine(nodes.server.port);
  const standby = await nodes.server.follow(line.port);
  await untilFollowed(nodes.server, "async");
  const earlier = namedBy(nodes);
  const load = nodes.callAll({ callsPerSecond: CALLS_PER_SECOND, random });
  await nodes.untilAnswered(random.integer(50, 100));
  line.hold("both");
  await nodes.untilAnswered(BEHIND);
  await load.over();
  const written = await nodes.written();
  await nodes.failOver(standby);
  const left = await nodes.written();
  const missing = [...written].reduce(
    (sum, [session, batches]) => sum + batches - (left.get(session) ?? 0),
    0,
  );
  found.require(missing > 0, "the standby was not behind");
  // Whoever writes next sees it.
  const again = nodes.callAll({ callsPerSecond: CALLS_PER_SECOND, random });
  await found.during(
    "the end of nodes",
    () =>
      until("nodes to see it", () => nodes.all.every(({ server }) => server.hasEnded), {
        withinMs: 60_000,
      }),
  );
  await again.over();
  const named = namedBy(nodes) - earlier;
  found.require(named >= missing, `${named} of ${missing} lost batches are named`);
  for (let node = 0; node < nodes.all.length; node++) await nodes.startNode(node);
  await nodes.requireBooks(found);
  return await nodes.lostAnswers();
}

function untilFollowed(server: PostgresServer, how: "sync" | "async"): Promise<unknown> {
  const sql = `SELECT count(*) FROM pg_stat_replication
    WHERE state = 'streaming' AND sync_state = '${how}'`;
  return until("a standby", async () => await server.ask("postgres", sql) === "1");
}

/** Batches that were lost, by what the nodes that run say. */
function namedBy(nodes: SeveralNodes): number {
  const said = nodes.all.flatMap(({ server }) => [...server.stderr.matchAll(NAMED)].slice(0, 1));
  return said.reduce((sum, [, batches]) => sum + Number(batches), 0);
}
