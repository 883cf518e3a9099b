/**
 * What is not counted but looked at whenever metrics are asked for.
 *
 * @module
 */

import { statSync } from "node:fs";
import { VERSION } from "../version.ts";
import { UNITS_PER_CURRENCY } from "../domain/money.ts";
import type { Project } from "../domain/account.ts";
import type { CallEngine } from "../gateway/call_engine.ts";
import type { Readiness } from "../http/context/api_deps.ts";
import type { Listener } from "../http/listener.ts";
import { MOST_PROJECTS } from "../telemetry/metrics/families.ts";
import { type Family, labelText, type Reading, type Series } from "../telemetry/metrics/family.ts";
import { DATABASE_FILES, type DatabaseServer } from "./database/driver.ts";
import { answers } from "./database/watch_server.ts";
import type { Core } from "./open_core.ts";
import type { ThreadLoad } from "./threads/shared_memory.ts";

/** What is looked at. */
export interface GaugeSources {
  readonly core: Core;
  readonly engine: Pick<CallEngine, "openCalls" | "openStreams">;
  readonly listener: Pick<Listener, "openConnections">;
  readonly threads: () => readonly ThreadLoad[];
  readonly readiness: () => Readiness;
}

/** Everything, as it is now. Files are looked at, nothing is read. */
export function* readGauges(sources: GaugeSources): Iterable<Reading> {
  const { core, engine, listener } = sources;
  const { ready, warnings } = sources.readiness();
  yield gauge("tollgate_build_info", "What is running", [
    { labels: labelText({ version: VERSION, runtime: Deno.version.deno }), value: 1 },
  ]);
  yield one("process_start_time_seconds", "When the process started, since the epoch", {
    unit: "seconds",
    value: core.admin.system.startedAt / 1_000,
  });
  yield one("process_resident_memory_bytes", "Memory that the process has", {
    unit: "bytes",
    value: Deno.memoryUsage().rss,
  });
  yield one("tollgate_heap_used_bytes", "Of it, objects of the main thread", {
    unit: "bytes",
    value: Deno.memoryUsage().heapUsed,
  });
  yield one("tollgate_ready", "Whether /readyz says so: 1 or 0", { value: Number(ready) });
  yield one("tollgate_warnings", "Warnings that /readyz has", { value: warnings.length });
  yield one("tollgate_open_calls", "Calls under way", { value: engine.openCalls });
  yield one("tollgate_open_streams", "Of them, streams that have begun", {
    value: engine.openStreams,
  });
  yield one("tollgate_open_connections", "Connections of callers", {
    value: listener.openConnections,
  });
  yield* threads(sources.threads());
  yield one("tollgate_commit_queue_entries", "Entries that wait to be written, or are being", {
    value: core.commits.pending,
  });
  yield one("tollgate_ledger_troubled", "Whether nothing could be written last: 1 or 0", {
    value: Number(core.admin.ledger.troubled),
  });
  yield one("tollgate_open_batches", "Batches that are worked on", { value: core.batches.open });
  yield* disk(core);
  yield* films(core);
  yield routes(core);
  yield* projects(core);
}

/** Of none where one thread serves and keeps the books. */
function* threads(loads: readonly ThreadLoad[]): Iterable<Reading> {
  const of = (name: keyof ThreadLoad) =>
    loads.map((load, index) => ({
      labels: labelText({ thread: String(index + 1) }),
      value: load[name],
    }));
  yield gauge("tollgate_thread_open_calls", "Calls under way in a serving thread", of("calls"));
  yield gauge(
    "tollgate_thread_open_connections",
    "Connections of callers that a serving thread has",
    of("connections"),
  );
  yield gauge(
    "tollgate_thread_begun_calls",
    "Calls that have begun in a serving thread since it was started; others the main thread serves",
    of("begun"),
  );
}

function* disk({ reserve, dataDir, server, followed, admin }: Core): Iterable<Reading> {
  yield one("tollgate_disk_free_bytes", "Left on the data dir's disk beside the ledger's reserve", {
    unit: "bytes",
    value: reserve.freeBytes(),
  });
  if (server === undefined) return yield* databaseFile(dataDir);
  yield* databaseServer(server);
  yield one("tollgate_nodes", "Processes that use the database server, this one too", {
    value: server.nodes.count,
  });
  yield one("tollgate_changes_age_seconds", "Since it was known what other nodes have changed", {
    unit: "seconds",
    value: (followed?.ageMs ?? 0) / 1_000,
  });
  yield* leases(admin);
}

/** What this node has of balances that it shares with others. */
function* leases(
  { ledger: { allowances }, catalogue }: Pick<Core["admin"], "ledger" | "catalogue">,
): Iterable<Reading> {
  if (allowances === undefined) return;
  const { currency } = catalogue.current.catalogue;
  yield gauge("tollgate_leased", "What this node may spend of balances without asking", [
    { labels: labelText({ currency }), value: amount(allowances.leasedE8) },
  ]);
  yield one("tollgate_lease_asks", "Times that this node has asked for more of a balance", {
    value: allowances.asks,
  });
}

function* databaseFile(dataDir: string): Iterable<Reading> {
  const file = DATABASE_FILES.fileIn(dataDir);
  yield one("tollgate_database_size_bytes", "The database without its log", {
    unit: "bytes",
    value: statSync(file).size,
  });
  yield one("tollgate_database_log_size_bytes", "The database's write-ahead log", {
    unit: "bytes",
    value: statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0,
  });
}

function* databaseServer(server: DatabaseServer): Iterable<Reading> {
  const { silentMs, answerMs, clockAheadMs, writingMs } = server.state();
  yield one("tollgate_database_answers", "Whether the database server answers: 1 or 0", {
    value: Number(answers(server)),
  });
  yield one("tollgate_database_silence_seconds", "Since the database server's last answer", {
    unit: "seconds",
    value: silentMs / 1_000,
  });
  yield one("tollgate_database_answer_seconds", "How long that answer took", {
    unit: "seconds",
    value: answerMs / 1_000,
  });
  yield one(
    "tollgate_database_unconfirmed_seconds",
    "For how long the database server has confirmed nothing of what is being written",
    { unit: "seconds", value: writingMs / 1_000 },
  );
  yield one(
    "tollgate_database_clock_difference_seconds",
    "What this machine's clock is ahead of the database server's",
    { unit: "seconds", value: clockAheadMs / 1_000 },
  );
}

function* films(core: Core): Iterable<Reading> {
  const { book, admin } = core;
  const counts = { queued: 0, in_progress: 0 };
  let oldest = Infinity;
  for (const { status, createdAt } of book.openTasks()) {
    if (status !== "queued" && status !== "in_progress") continue;
    counts[status]++;
    if (status === "queued") oldest = Math.min(oldest, createdAt);
  }
  yield gauge(
    "tollgate_films",
    "Films that are not over, by status",
    Object.entries(counts).map(([status, value]) => ({ labels: labelText({ status }), value })),
  );
  yield one("tollgate_film_queue_pauses", "Pauses of the film queue that an operator has made", {
    value: core.videos.pauses.list.length,
  });
  yield one("tollgate_film_queue_age_seconds", "How long the film has waited that came first", {
    unit: "seconds",
    value: oldest === Infinity ? 0 : Math.max(0, admin.clock.now() - oldest) / 1_000,
  });
}

/** Whether calls may go to a route: it is switched on, and neither cools nor is its circuit open. */
function routes({ admin: { catalogue }, health }: Core): Reading {
  const series = catalogue.current.models.flatMap((model) =>
    model.routes.map((route): Series => ({
      labels: labelText({ model: model.id, provider: route.providerId, route: route.id }),
      value: Number(route.enabled && !route.maintenance && !health.isDown(route.id)),
    }))
  );
  return gauge("tollgate_route_up", "Whether a route is switched on and healthy: 1 or 0", series);
}

function* projects({ admin: { directory, ledger, spending, catalogue } }: Core): Iterable<Reading> {
  const { currency } = catalogue.current.catalogue;
  const all = directory.projects();
  let held = 0n;
  for (const { id } of all) held += ledger.balanceOf(id).held;
  yield gauge("tollgate_held", "What calls under way hold, in the currency", [
    { labels: labelText({ currency }), value: amount(held) },
  ]);
  const shown = all.slice(0, MOST_PROJECTS);
  yield gauge(
    "tollgate_project_balance",
    "What a project has left to spend, in the currency; of the first projects",
    shown.filter(({ unlimited }) => !unlimited).map(({ id }) => ({
      labels: labelText({ project: id, currency }),
      value: amount(ledger.balanceOf(id).avail),
    })),
  );
  const views = shown.map((project) => ({
    project,
    view: spending.view({ scope: "project", id: project.id }),
  }));
  yield gauge(
    "tollgate_project_budget_used_ratio",
    "Of a project's budget, what is spent of it in its period; of the first projects",
    views.flatMap(({ project, view }) => used(project, view)),
    "ratio",
  );
  yield gauge(
    "tollgate_project_paused",
    "Whether its spend brake has paused a project: 1 or 0; of the first projects",
    views.filter(({ project }) => project.budgets.brakeTimes !== undefined).map((
      { project, view },
    ) => ({
      labels: labelText({ project: project.id }),
      value: Number(view.pause !== undefined),
    })),
  );
}

function used(
  { id, budgets: { dailyE8, monthlyE8 } }: Project,
  { dayE8, monthE8 }: { readonly dayE8: bigint; readonly monthE8: bigint },
): readonly Series[] {
  const of = (period: string, spent: bigint, budget: bigint | undefined) =>
    budget === undefined
      ? []
      : [{ labels: labelText({ project: id, period }), value: Number(spent) / Number(budget) }];
  return [...of("day", dayE8, dailyE8), ...of("month", monthE8, monthlyE8)];
}

function amount(e8: bigint): number {
  return Number(e8) / Number(UNITS_PER_CURRENCY);
}

function gauge(
  name: string,
  help: string,
  series: readonly Series[],
  unit?: Family["unit"],
): Reading {
  return { family: { name, help, type: "gauge", ...(unit !== undefined && { unit }) }, series };
}

function one(
  name: string,
  help: string,
  { value, unit }: { readonly value: number; readonly unit?: Family["unit"] },
): Reading {
  return gauge(name, help, [{ labels: "", value }], unit);
}
