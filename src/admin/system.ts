/**
 * The process behind administration, as it sees itself: what `doctor` compares
 * with what it finds from outside.
 *
 * @module
 */

import * as z from "zod";
import { type SecretUse, secretUses } from "../domain/secret_uses.ts";
import { VERSION } from "../version.ts";
import { timeToJson } from "./input_fields.ts";
import { defineOperation } from "./operation.ts";
import { secretWarning } from "./secret_warnings.ts";

/** A reference to a secret, as the process finds it. */
export interface SecretView extends Omit<SecretUse, "part"> {
  /** What it is for, such as `a key`; not said by servers of earlier versions. */
  readonly part?: string;
  readonly readable: boolean;
  /** Why there is no value, as the process finds it; not said by servers of earlier versions. */
  readonly trouble?: string | null;
  /** What is missing and what to do; not said by servers of earlier versions. */
  readonly warning?: string | null;
}

/** The process, shown. */
export interface SystemView {
  readonly version: string;
  readonly runtime: string;
  readonly pid: number;
  readonly data_dir: string;
  readonly started_at: string;
  readonly clock: { readonly now: string; readonly jumped_ms: number };
  readonly storage: {
    readonly engine: string;
    readonly schema_version: number;
    readonly bytes: number;
  };
  /** What is left free for the ledger, at most; not said by servers of earlier versions. */
  readonly disk_reserve_bytes?: number;
  /** Every reference that is looked up for providers; never a value. */
  readonly secrets: readonly SecretView[];
}

export const showSystem = defineOperation({
  name: "system.show",
  method: "GET",
  path: "/system",
  summary: "Shows the process: its version, clock, storage, and which secrets it can read.",
  input: z.strictObject({}),
  async run({ system, storage, catalogue, clock, process }): Promise<SystemView> {
    const { engine, schemaVersion, bytes } = await storage.info();
    return {
      version: VERSION,
      runtime: Deno.version.deno,
      pid: process.pid,
      data_dir: system.dataDir,
      started_at: timeToJson(system.startedAt)!,
      clock: { now: timeToJson(clock.now())!, jumped_ms: Math.round(system.jumpedMs()) },
      storage: { engine, schema_version: schemaVersion, bytes },
      disk_reserve_bytes: system.diskReserveBytes,
      secrets: catalogue.current.catalogue.providers.flatMap(secretUses).map((use) => {
        const why = system.secretTrouble(use.reference);
        const warning = why === undefined ? null : secretWarning(use, why);
        return { ...use, readable: why === undefined, trouble: why ?? null, warning };
      }),
    };
  },
});
