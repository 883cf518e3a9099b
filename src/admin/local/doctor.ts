/**
 * `doctor`: what is wrong with a data dir, its server and its upstreams.
 *
 * @module
 */

import * as z from "zod";
import { type Finding, shownFinding } from "../base/doctor_finding.ts";
import { defineLocalOperation } from "../base/operation.ts";

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
  output: z.array(shownFinding),
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
