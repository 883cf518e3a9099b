/**
 * Data dirs for the doctor to look at.
 *
 * @module
 */

import { diagnose } from "../../../src/app/doctor/diagnose.ts";
import type { Finding } from "../../../src/app/doctor/finding.ts";
import type { ServerAnswers } from "../../../src/admin/process.ts";
import type { AskedServer, Patient } from "../../../src/app/doctor/patient.ts";
import { createSecretResolver } from "../../../src/config/secrets.ts";
import { systemClock } from "../../../src/domain/clock.ts";
import { VERSION } from "../../../src/version.ts";

/** What is looked at, and how. */
export interface ExamineOptions extends Partial<Patient> {
  /** Variables, for secrets. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Every finding. Upstreams are not asked unless a test wants it. */
export async function examine(
  dataDir: string,
  { env = {}, ...patient }: ExamineOptions = {},
): Promise<readonly Finding[]> {
  const secrets = createSecretResolver({ env, clock: systemClock });
  return await Array.fromAsync(diagnose({
    dataDir,
    server: undefined,
    resolveSecret: (reference) => secrets.resolve(reference),
    reserveBytes: 0,
    proxied: { http: false, https: false },
    isOffline: true,
    clock: systemClock,
    ...patient,
  }));
}

/** What is not as it should be, as `status check: detail → remedy`. */
export async function complaints(dataDir: string, options?: ExamineOptions): Promise<string[]> {
  return (await examine(dataDir, options)).filter(({ status }) => status !== "ok").map(
    ({ check, status, detail, remedy }) => `${status} ${check}: ${detail} → ${remedy}`,
  );
}

/** A server that is well, but for what a test changes. */
export function wellServer(changes: {
  readonly system?: Partial<ServerAnswers["system"]>;
  readonly answers?: Partial<ServerAnswers>;
  readonly testProviders?: AskedServer["testProviders"];
} = {}): AskedServer {
  const now = new Date().toISOString();
  return {
    pid: 4711,
    answers: {
      ready: true,
      reasons: [],
      warnings: [],
      system: {
        version: VERSION,
        runtime: "2",
        pid: 4711,
        data_dir: "/",
        started_at: now,
        clock: { now, jumped_ms: 0 },
        storage: { engine: "SQLite", schema_version: 1, bytes: 1 },
        secrets: [],
        ...changes.system,
      },
      ...changes.answers,
    },
    testProviders: changes.testProviders ?? (() => Promise.resolve([])),
  };
}
