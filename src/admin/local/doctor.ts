/**
 * `doctor`: what is wrong with a data dir, its server and its upstreams.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import { defineLocalOperation } from "../base/operation.ts";

/** One line of the diagnosis. */
const finding = z.object({
  check: z.string().describe("What was looked at, such as `database`"),
  status: z.enum(["ok", "warning", "problem"]).describe(
    "ok: as it should be; warning: it works, and somebody should look at it; problem: something " +
      "does not work, or will not at the next start",
  ),
  detail: z.string(),
  remedy: z.string().nullable().describe("What to do; null when nothing is"),
});

export type Finding = Shown<typeof finding>;

/** Whoever looks. */
export interface Doctor {
  diagnose(options: { readonly isOffline: boolean }): AsyncIterable<Finding>;
  /** Told of each finding as soon as it is made. */
  onFinding(finding: Finding): void;
}

export const runDoctor = defineLocalOperation<Doctor>()({
  name: "doctor",
  isLong: true,
  summary: "Look for what is wrong, and say what to do; change nothing.",
  input: z.strictObject({ offline: z.boolean().default(false).describe("ask no upstream") }),
  output: z.array(finding),
  errors: [],
  async run(doctor, { offline }) {
    const findings: Finding[] = [];
    for await (const finding of doctor.diagnose({ isOffline: offline })) {
      findings.push(finding);
      doctor.onFinding(finding);
    }
    return findings;
  },
});
