/**
 * The process behind administration, as it sees itself: what `doctor` compares
 * with what it finds from outside.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../documents/shown.ts";
import { secretUses } from "../domain/secret_uses.ts";
import { VERSION } from "../version.ts";
import type { BackupScheduleView } from "./base/backup_report.ts";
import { shownCount, shownTime, timeToJson } from "./base/fields.ts";
import { defineOperation } from "./base/operation.ts";
import type { ServerFacts } from "../storage/ports/server_state.ts";
import { secretWarning } from "./catalogue/secret_warnings.ts";

/** A reference to a secret, as the process finds it. */
const shownSecret = z.object({
  provider: z.string(),
  reference: z.string(),
  readable: z.boolean(),
  ...z.object({
    part: z.string().describe("What it is for, such as `a key`"),
    trouble: z.string().nullable().describe("Why there is no value"),
    warning: z.string().nullable().describe("What is missing and what to do"),
  }).partial().shape,
});

/** The value of {@linkcode shownSecret}; servers of earlier versions leave out what may be absent. */
export type SecretView = Shown<typeof shownSecret>;

const shownSystem = z.object({
  version: z.string(),
  runtime: z.string(),
  pid: z.int(),
  data_dir: z.string(),
  started_at: shownTime,
  clock: z.object({ now: shownTime, jumped_ms: z.int() }),
  storage: z.object({ engine: z.string(), schema_version: shownCount, bytes: shownCount }),
  database_server: z.object({
    name: z.string(),
    is_standby: z.boolean().nullable().describe("null where it does not tell"),
    switched_off: z.array(z.string()).describe(
      "Settings that are off and without which a crash there loses what it has confirmed",
    ),
    synchronous_commit: z.string().nullable(),
    synchronous_standby_names: z.string().nullable().describe(
      "Who has to have what it confirms; empty for nobody",
    ),
    standbys: z.array(z.object({
      name: z.string(),
      state: z.string().nullable().describe("Such as `streaming`; null where it is not told"),
      mode: z.string().nullable().describe("`sync`, `quorum`, `potential` or `async`; likewise"),
      lag_ms: shownCount.nullable().describe("null where nothing is written, too"),
    })),
  }).nullable().optional().describe(
    "What the server that has the database says of itself; null where it is a file",
  ),
  disk_reserve_bytes: shownCount.optional().describe("What is left free for the ledger, at most"),
  alert_targets: z.array(z.object({
    target: z.string(),
    waiting: shownCount.describe("Messages that have not arrived"),
    trouble: z.string().nullable().describe("Why the last try failed"),
  })).optional().describe("Who is told of alerts; without what is a secret of them"),
  backup_schedule: z.object({
    folder: z.string(),
    next_at: shownTime.nullable().describe("When the next one is due"),
    trouble: z.string().nullable().describe("Why the last one failed"),
  }).nullable().optional().describe("Backups that the server makes by itself; null for none"),
  oidc_issuer: z.string().nullable().optional().describe(
    "Whose people may sign in at the console; null for nobody's",
  ),
  secrets: z.array(shownSecret).describe(
    "Every reference that is looked up for providers; never a value",
  ),
});

/** The process, shown. */
export type SystemView = Shown<typeof shownSystem>;

export const showSystem = defineOperation({
  name: "system.show",
  method: "GET",
  path: "/system",
  role: "operator",
  summary: "Show the process: its version, clock, storage, and which secrets it can read.",
  input: z.strictObject({}),
  output: shownSystem,
  errors: [],
  async run(
    { alerts, backupSchedule, console, system, storage, databaseServer, ...deps },
  ) {
    const { catalogue, clock, process } = deps;
    // First, since it says in words for whoever asks that the database is away.
    const facts = await databaseServer?.facts();
    const { engine, schemaVersion, bytes } = await storage.info();
    return {
      version: VERSION,
      runtime: Deno.version.deno,
      pid: process.pid,
      data_dir: system.dataDir,
      started_at: timeToJson(system.startedAt),
      clock: { now: timeToJson(clock.now()), jumped_ms: Math.round(system.jumpedMs()) },
      storage: { engine, schema_version: schemaVersion, bytes },
      database_server: facts === undefined ? null : serverOf(facts),
      disk_reserve_bytes: system.diskReserveBytes,
      alert_targets: alerts?.targets().map(({ trouble = null, ...target }) => ({
        ...target,
        trouble,
      })) ?? [],
      backup_schedule: scheduleOf(backupSchedule?.()),
      oidc_issuer: console?.oidcIssuer ?? null,
      secrets: catalogue.current.catalogue.providers.flatMap(secretUses).map((use) => {
        const why = system.secretTrouble(use.reference);
        const warning = why === undefined ? null : secretWarning(use, why);
        return { ...use, readable: why === undefined, trouble: why ?? null, warning };
      }),
    };
  },
});

function serverOf(
  { name, isStandby, switchedOff, synchronousCommit, synchronousStandbys, standbys }: ServerFacts,
) {
  return {
    name,
    is_standby: isStandby ?? null,
    switched_off: [...switchedOff],
    synchronous_commit: synchronousCommit ?? null,
    synchronous_standby_names: synchronousStandbys ?? null,
    standbys: standbys.map(({ state = null, mode = null, lagMs = null, ...standby }) => ({
      name: standby.name,
      state,
      mode,
      lag_ms: lagMs,
    })),
  };
}

function scheduleOf(schedule: BackupScheduleView | undefined) {
  if (schedule === undefined) return null;
  const { folder, nextAt, trouble = null } = schedule;
  return { folder, next_at: timeToJson(nextAt), trouble };
}
