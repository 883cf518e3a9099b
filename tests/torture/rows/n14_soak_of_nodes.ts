/**
 * N14: three nodes under load for a long time, and every few minutes something befalls them or their
 * database. `deno task soak:nodes --minutes 60`
 *
 * @module
 */

import type { Silence } from "../../support/cutting_line.ts";
import { startFaultUpstream } from "../../support/fault_upstream/fault_upstream.ts";
import type { SeededRandom } from "../../support/seeded_random.ts";
import { until } from "../../support/until.ts";
import { lookAtProcess } from "../process_watch.ts";
import { SeveralNodes } from "../nodes/several_nodes.ts";
import type { ScorecardRow } from "../row.ts";
import { RowFinding } from "../row_finding.ts";
import { QUICK_REAP_MS, quickReap } from "../test_build/quick_reap.ts";
import { row as stoppedNode } from "./n2_stopped_node.ts";

const CALLS_PER_SECOND = 20;
/** Nobody takes a node for dead that is silent for so long. */
const SHORT_MS = 1_000;
/** From one fault to the next, at most. */
const MOST_QUIET_MS = 5 * 60_000;
const DAY_MINUTES = 24 * 60;

/** What befalls them; each leaves all nodes serving. */
const FAULTS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  "killed": async ({ nodes, victim }) => {
    await nodes.at(victim).server.kill();
    await nodes.startNode(victim);
  },
  "stopped in order": async ({ nodes, victim }) => {
    await nodes.at(victim).server.stop();
    await nodes.startNode(victim);
  },
  "still for a moment": (scene) => standStill(scene, { isTakenForDead: false }),
  "still until it is taken for dead": (scene) => standStill(scene, { isTakenForDead: true }),
  "unheard for a moment": (scene) => cutOff(scene, "to_client", SHORT_MS),
  "cut off until it is taken for dead": (scene) => cutOff(scene, "both", QUICK_REAP_MS),
  "the server crashes": async ({ nodes, random }) => {
    await nodes.server.crash();
    await new Promise((resolve) => setTimeout(resolve, random.integer(300, 3_000)));
    await nodes.server.start();
  },
  "the standby takes over": async ({ nodes }) => {
    const standby = await nodes.server.follow();
    await nodes.server.ask("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'");
    await nodes.server.ask("postgres", "SELECT pg_reload_conf()");
    const sql = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
    await until("a standby", async () => await nodes.server.ask("postgres", sql) === "1");
    await nodes.untilAnswered(20);
    await nodes.failOver(standby);
  },
};

export const row: ScorecardRow = {
  id: "N14",
  title: "a long time of three nodes",
  tools: ["postgresql"],
  testBuild: [quickReap],
  withinMs: (DAY_MINUTES + 60) * 60_000,
  seededBug: stoppedNode.seededBug,
  async run({ size, random, folder, note }) {
    const minutes = Number(
      Deno.env.get("TORTURE_SOAK_MINUTES") ?? size.pick({ commit: 2, full: 60 }),
    );
    const found = new RowFinding("");
    await using upstream = await startFaultUpstream({ logFile: `${folder}/upstream.log` });
    await using nodes = await SeveralNodes.start({ folder, upstream, credit: "9000000" });
    const endAt = performance.now() + minutes * 60_000;
    const names = Object.keys(FAULTS);
    const times = new Map<string, number>(names.map((name) => [name, 0]));
    let young = 0;
    let mostMb = 0;
    for (let count = 0; performance.now() < endAt || count < names.length; count++) {
      const name = names[count % names.length]!;
      const victim = random.integer(0, nodes.all.length - 1);
      const load = nodes.callAll({ callsPerSecond: CALLS_PER_SECOND, random });
      await nodes.untilAnswered(random.integer(50, 150));
      await FAULTS[name]!({ nodes, random, victim, found });
      times.set(name, times.get(name)! + 1);
      await nodes.untilAnswered(50);
      await load.over();
      young = await nodes.requireExact(found);
      for (const { server } of nodes.all) {
        mostMb = Math.max(mostMb, (await lookAtProcess(server.process.pid)).memoryMb);
      }
      note(
        `N14 fault ${count + 1}, node ${victim}, ${name}: ${nodes.answered} of ${nodes.sent} ` +
          `calls answered`,
      );
      // A short run has its faults one after the other.
      const left = endAt - performance.now();
      const quietMs = Math.min(MOST_QUIET_MS, left / names.length);
      if (quietMs > 10_000) await underLoad(nodes, { random, ms: quietMs });
    }
    found.tried = `${minutes} minutes: ${nodes.sent} calls, ` +
      [...times].map(([name, count]) => `${count} × ${name}`).join(", ");
    found.require(young < nodes.sent / 100, `${young} calls of ${nodes.sent} are in no book`);
    found.count("too young for a book", young);
    found.count("MiB of a node at most", Math.round(mostMb));
    return found;
  },
};

/** The nodes, and which one it is about. */
interface Scene {
  readonly nodes: SeveralNodes;
  readonly random: SeededRandom;
  readonly victim: number;
  readonly found: RowFinding;
}

async function underLoad(
  nodes: SeveralNodes,
  { random, ms }: { readonly random: SeededRandom; readonly ms: number },
): Promise<void> {
  const load = nodes.callAll({ callsPerSecond: CALLS_PER_SECOND, random });
  await new Promise((resolve) => setTimeout(resolve, ms));
  await load.over();
}

async function standStill(
  { nodes, victim, found }: Scene,
  { isTakenForDead }: { readonly isTakenForDead: boolean },
): Promise<void> {
  const { server } = nodes.at(victim);
  const dead = await nodes.sessions("dead");
  server.process.kill("SIGSTOP");
  if (isTakenForDead) await nodes.untilDead(dead + 1);
  else await new Promise((resolve) => setTimeout(resolve, SHORT_MS));
  const written = await nodes.writtenByDead();
  server.process.kill("SIGCONT");
  if (!isTakenForDead) return;
  await comeBack({ nodes, victim, found });
  found.require(
    await nodes.writtenByDead() === written,
    "who was taken for dead has written something since",
  );
}

async function cutOff({ nodes, victim, found }: Scene, silence: Silence, ms: number) {
  const line = nodes.lines[victim]!;
  const dead = await nodes.sessions("dead");
  line.hold(silence);
  if (ms >= QUICK_REAP_MS) await nodes.untilDead(dead + 1);
  else await new Promise((resolve) => setTimeout(resolve, ms));
  line.release();
  if (ms >= QUICK_REAP_MS) await comeBack({ nodes, victim, found });
}

/** Who was taken for dead ends by itself, and is started again. */
async function comeBack({ nodes, victim, found }: Omit<Scene, "random">): Promise<void> {
  const { server } = nodes.at(victim);
  await found.during("the end of the node that was taken for dead", async () => {
    await until("it", () => server.hasEnded);
  });
  await nodes.startNode(victim);
}
