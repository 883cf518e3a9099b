/**
 * What the starts of the program load: what is imported by statements on the way from `main.ts` is
 * read and evaluated before the first line of work, whoever needs it.
 *
 * @module
 */

import type { ImportEdge, ModuleGraph } from "./module_graph.ts";

/** A start, and what it does without. */
export interface Start {
  readonly name: string;
  /** What it loads, on demand or not. */
  readonly entries: readonly string[];
  /** Files and packages that it does not load; a folder ends in `/`. */
  readonly without: readonly string[];
}

/** What belongs to the product's pages, to administration and to what is rarely set or asked for. */
const SELDOM = [
  "pg",
  "yaml",
  "src/admin/accounts/",
  "src/admin/calls.ts",
  "src/admin/catalogue/apply_catalogue.ts",
  "src/admin/ledger_check/",
  "src/admin/local/",
  "src/admin/operations.ts",
  "src/admin/vendors/",
  "src/app/doctor/",
  "src/app/films/",
  "src/app/measure.ts",
  "src/app/trace_calls.ts",
  "src/catalog/file_schema.ts",
  "src/catalog/price_schema.ts",
  "src/catalog/read_file.ts",
  "src/catalog/route_schema.ts",
  "src/cli/operations/",
  "src/config/config_file.ts",
  "src/console/",
  "src/http/docs/",
  "src/http/endpoints/admin/",
  "src/storage/postgres/",
  "src/storage/sqlite/maintenance/sqlite_maintenance.ts",
  "src/storage/sqlite/migrations.ts",
  "src/storage/sqlite/stores.ts",
  "src/telemetry/metrics/",
  "src/telemetry/traces/",
  "src/vendors/prices.json",
  "src/videos/files/bucket_films.ts",
  "src/objects/bucket_sweep.ts",
  "src/uploads/upload_bucket.ts",
  "src/batches/shared_batch_place.ts",
];

/** The starts that people wait for. */
export const STARTS: readonly Start[] = [
  {
    name: "tollgate version",
    entries: ["main.ts", "src/cli/commands/version.ts"],
    without: [
      ...SELDOM,
      "zod",
      "@hono/hono",
      "src/admin/",
      "src/app/",
      "src/catalog/",
      "src/config/load_settings.ts",
      "src/http/",
      "src/providers/",
      "src/storage/",
      "src/vendors/",
    ],
  },
  {
    // All else is loaded while the database is being opened.
    name: "tollgate serve, up to its database",
    entries: ["main.ts", "src/cli/commands/serve.ts"],
    without: [
      ...SELDOM,
      "@hono/hono",
      "src/accounts/",
      "src/admin/",
      "src/catalog/",
      "src/dialects/",
      "src/gateway/",
      "src/http/endpoints/",
      "src/limits/",
      "src/providers/",
      "src/routing/",
      "src/vendors/",
      "src/videos/",
    ],
  },
  {
    name: "tollgate serve",
    entries: [
      "main.ts",
      "src/cli/commands/serve.ts",
      "src/app/assemble_core.ts",
      "src/app/start_server.ts",
    ],
    without: [...SELDOM, "src/cli/commands/keys.ts"],
  },
];

/** Every file or package that a start loads and should do without, with the way to it. */
export function checkStarts({ imports }: ModuleGraph, starts = STARTS): string[] {
  const known = new Set(imports.flatMap(({ from, to }) => [from, to]));
  return starts.flatMap(({ name, entries, without }) => {
    const ways = loadedBy(imports, entries);
    return without.flatMap((one) => {
      const isIt = (path: string) => one.endsWith("/") ? path.startsWith(one) : path === one;
      if (![...known].some(isIt)) return [`${name}: there is no ${one} any more`];
      const loaded = [...ways.keys()].find(isIt);
      if (loaded === undefined) return [];
      return [`${name} loads ${one}: ${wayTo(loaded, ways).join(" → ")}`];
    });
  });
}

/** What is loaded, each with who imports it first. */
function loadedBy(
  imports: readonly ImportEdge[],
  entries: readonly string[],
): ReadonlyMap<string, string | undefined> {
  const targets = Map.groupBy(imports.filter(({ load }) => load === "at_once"), ({ from }) => from);
  const ways = new Map<string, string | undefined>(entries.map((entry) => [entry, undefined]));
  for (const [from] of ways) {
    for (const { to } of targets.get(from) ?? []) if (!ways.has(to)) ways.set(to, from);
  }
  return ways;
}

function wayTo(end: string, ways: ReadonlyMap<string, string | undefined>): readonly string[] {
  const from = ways.get(end);
  return from === undefined ? [end] : [...wayTo(from, ways), end];
}
