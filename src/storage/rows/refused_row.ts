/**
 * Refused requests as rows.
 *
 * @module
 */

import type { RefusedRequest } from "../../domain/refused_request.ts";
import type { RefusalGroup } from "../ports/refusals.ts";
import { freeText, integer, json, orNone, RowOf, text } from "./row_of.ts";

export const REQUEST = new RowOf<RefusedRequest>({
  callId: integer(),
  requestId: text(),
  projectId: text(),
  keyId: text(),
  capability: text(),
  model: freeText(),
  reason: text(),
  why: text(),
  status: integer(),
  param: freeText(),
  message: freeText(),
  at: integer(),
  leftOut: orNone(json()),
});

/** The columns of each group, and the names that they are read by. */
export const REFUSAL_GROUPS: {
  readonly [group in RefusalGroup]: readonly (readonly [sql: string, name: string])[];
} = {
  project: [["project_id", "projectId"]],
  key: [["key_id", "keyId"]],
  model: [["model", "model"]],
  reason: [["reason", "reason"], ["why", "why"]],
  hour: [["hour", "hour"]],
  day: [["hour / 24", "day"]],
};
