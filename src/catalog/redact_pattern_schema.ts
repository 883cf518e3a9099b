/**
 * What is redacted, as an operator writes it.
 *
 * @module
 */

import * as z from "zod";
import { redactPatternFault } from "../domain/redact_pattern.ts";

/** See {@linkcode redactPatternFault}. */
export const redactPatternSchema = z.string().min(1).superRefine((pattern, context) => {
  const message = redactPatternFault(pattern);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});
