/**
 * The process that listens: what it was started with, and what is wrong around it.
 *
 * @module
 */

import * as z from "zod";
import { GatewayError } from "../errors.ts";
import type { AdminDeps } from "./base/deps.ts";
import { type Finding, shownFinding } from "./base/doctor_finding.ts";
import { defineOperation } from "./base/operation.ts";
import type { SystemView } from "./system.ts";
import { shownSetting } from "./base/shown_setting.ts";

export const showSettings = defineOperation({
  name: "settings.show",
  method: "GET",
  path: "/settings",
  role: "operator",
  summary: "Show every setting that the server was started with, and where it comes from; " +
    "secrets are masked.",
  input: z.strictObject({}),
  output: z.object({ settings: z.array(shownSetting) }),
  errors: ["conflict"],
  // deno-lint-ignore require-await -- a refusal is a rejection
  async run({ listening }) {
    return { settings: serving(listening).settings };
  },
});

export const diagnoseServer = defineOperation({
  name: "doctor.run",
  method: "POST",
  path: "/doctor",
  role: "operator",
  isLong: true,
  summary: "Look for what is wrong with the data dir, the server and its upstreams, and say what " +
    "to do; change nothing.",
  input: z.strictObject({ offline: z.boolean().default(false).describe("ask no upstream") }),
  output: z.object({ findings: z.array(shownFinding) }),
  errors: ["conflict"],
  async run({ listening, watcher }, { offline }) {
    const findings: Finding[] = [];
    const found = serving(listening).diagnose({ isOffline: offline, signal: watcher?.signal });
    for await (const finding of found) findings.push(finding);
    return { findings };
  },
});

/** What a server says of itself, to whoever looks for what is wrong. */
export interface ServerAnswers {
  readonly system: SystemView;
  readonly ready: boolean;
  /** Why it is not ready. */
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
}

/** Why a server that runs does not say that of itself: it does not know the question, its database is away, or else. */
export type ServerSilence =
  | { readonly kind: "older" }
  | { readonly kind: "database_away" }
  | { readonly kind: "other"; readonly reason: string };

/** @throws {GatewayError} `conflict` where no server listens. */
function serving(listening: AdminDeps["listening"]): NonNullable<AdminDeps["listening"]> {
  if (listening !== undefined) return listening;
  throw new GatewayError(
    "conflict",
    "No server runs: tollgate doctor and tollgate config show look at what is there without one",
  );
}
