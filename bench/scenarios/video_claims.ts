/**
 * Whether claiming a task costs more when many of many projects wait.
 *
 * @module
 */

import type { BenchRun, Findings } from "../bench_run.ts";
import { claimFor } from "../claim_load.ts";
import { inTurn } from "../in_turn.ts";
import { median, medianRatio } from "../measure_load.ts";
import { makeDataDir, SMALL_CATALOGUE } from "../servers.ts";
import { RENDERED_MODEL } from "../video_catalogue.ts";
import { addWaitingTasks } from "../waiting_tasks.ts";

const TASKS_PER_PROJECT = 10;

/** Two data dirs in turn: few tasks of one project, many of many. */
export async function measureVideoClaims(run: BenchRun): Promise<Findings> {
  const { compared, upstream, sizes } = run;
  const folder = await Deno.makeTempDir({ dir: run.folder });
  const measured = [];
  for (const tasks of sizes.videos.queued) {
    const { path } = await makeDataDir(compared.gateway, {
      path: `${folder}/${tasks}`,
      upstream,
      size: SMALL_CATALOGUE,
      films: "builtin",
    });
    const projects = Math.ceil(tasks / TASKS_PER_PROJECT);
    run.log(`Writing ${tasks} queued tasks`);
    await Deno.mkdir(`${path}/videos`, { recursive: true });
    await addWaitingTasks(path, { tasks, projects, model: RENDERED_MODEL });
    measured.push({ path, tasks, projects });
  }
  const found = await inTurn(
    sizes.rounds,
    measured.map(({ path }) => () => claimFor(path, sizes.secondsPerLoad)),
  );
  const [fewUs, manyUs] = found.map((loads) => loads.map(({ cpuUs }) => cpuUs));
  const [few, many] = sizes.videos.queued;
  return {
    title: "Claims of queued video tasks",
    rows: measured.map(({ tasks, projects }, index) => ({
      "": `${tasks} queued, ${projects} ${projects === 1 ? "project" : "projects"}`,
      "CPU µs/claim": median(found[index]!.map(({ cpuUs }) => cpuUs)),
      "claim p50 ms": median(found[index]!.map(({ p50Ms }) => p50Ms)),
      "claims": found[index]!.reduce((sum, { claims }) => sum + claims, 0),
      "tasks claimed": Math.max(...found[index]!.map(({ tasks }) => tasks)),
    })),
    targets: [{
      what: `cost of a claim with ${many} queued tasks, ratio to ${few}`,
      unit: "",
      atMost: 1.5,
      measured: medianRatio(manyUs!, fewUs!),
    }],
    notes: [
      "From source, in the process of the bench: the gateway's runner, storage Worker and database " +
      "with work that puts each task back at once. CPU time is for a claim and for putting the " +
      "task back, each a commit; the p50 is from a task's return to the next one's claim being " +
      "on disk.",
    ],
  };
}
