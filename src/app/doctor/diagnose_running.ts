/**
 * `doctor` of a server by itself: files and the database are looked at by a Worker, beside the calls;
 * what waits for others is asked from here.
 *
 * @module
 */

import type { AdminDeps, AdminListening } from "../../admin/base/deps.ts";
import { runOperation } from "../../admin/base/run_operation.ts";
import { testProviders } from "../../admin/catalogue/providers.ts";
import { showSystem, type SystemView } from "../../admin/system.ts";
import { answerWithin, LateError } from "../../domain/wait_at_most.ts";
import { GatewayError } from "../../errors.ts";
import type { Jobs } from "../jobs/jobs.ts";
import { examineBucket } from "./examine_bucket.ts";
import { guarded, lookAhead } from "./diagnose.ts";
import { examineUpstreams } from "./examine_catalogue.ts";
import { examineOidc } from "./examine_oidc.ts";
import type { Finding } from "./finding.ts";
import type { ServerAnswers, ServerSilence } from "../../admin/process.ts";
import type { Patient } from "./patient.ts";

/** Longer than a database that works keeps anybody waiting. */
const ANSWER_MS = 5_000;

/** What is looked at, and by what. */
export interface RunningPatient extends
  Pick<
    Patient,
    "dataDir" | "database" | "filmBucket" | "reserveBytes" | "resolveSecret" | "proxied" | "clock"
  > {
  readonly admin: () => AdminDeps;
  readonly readiness: () => Omit<ServerAnswers, "system">;
  readonly jobs: Pick<Jobs, "run">;
}

/** Gives what the Worker finds, then what the issuer of sign-ins and upstreams say. */
export async function* diagnoseRunning(
  patient: RunningPatient,
  { isOffline, signal }: Parameters<AdminListening["diagnose"]>[0],
): AsyncGenerator<Finding> {
  const { dataDir, database, reserveBytes, readiness, jobs } = patient;
  const deps = patient.admin();
  const [{ system, silence }, looked] = await Promise.all([
    askItself(deps),
    // The Worker looks where this cannot, and says why.
    lookAhead(database)?.catch(() => undefined),
  ]);
  const { ready, reasons, warnings } = readiness();
  const answers = system && { system, ready, reasons, warnings };
  const server = { pid: deps.process.pid, answers, silence };
  const job = { kind: "diagnose", dataDir, database, looked, reserveBytes, server } as const;
  const found = await jobs.run(job, signal === undefined ? {} : { signal });
  yield* found.filter(({ check }) => check !== "bucket" && (isOffline || check !== "upstreams"));
  if (isOffline) return;
  const asking: Patient = {
    ...patient,
    isOffline,
    oidcIssuer: system?.oidc_issuer ?? undefined,
    server: { ...server, testProviders: () => runOperation(testProviders, { deps, input: {} }) },
  };
  yield* guarded("bucket", () =>
    examineBucket(
      { ...asking, server: undefined },
      deps.storage,
    ));
  yield* guarded("oidc", () => examineOidc(asking));
  signal?.throwIfAborted();
  yield* guarded("upstreams", () => examineUpstreams(asking, deps.catalogue.current.catalogue));
}

/** A database server that is away is what is looked for, and no reason to find nothing. */
async function askItself(deps: AdminDeps): Promise<{
  readonly system?: SystemView;
  readonly silence?: ServerSilence;
}> {
  try {
    return {
      system: await answerWithin(ANSWER_MS, runOperation(showSystem, { deps, input: {} })),
    };
  } catch (error) {
    const isAway = error instanceof LateError ||
      (error instanceof GatewayError && error.code === "storage_away");
    if (deps.databaseServer !== undefined && isAway) return { silence: { kind: "database_away" } };
    const reason = error instanceof Error ? error.message : String(error);
    return { silence: { kind: "other", reason } };
  }
}
