/**
 * Kept answers of the Responses API as rows.
 *
 * @module
 */

import { isObject } from "../../domain/json_value.ts";
import type { StoredResponse } from "../../domain/stored_response.ts";
import type { SizedRow } from "./kept_row.ts";
import { flag, integer, orNone, RowOf, text } from "./row_of.ts";

export const RESPONSE = new RowOf<StoredResponse>({
  callId: integer(),
  id: text(),
  projectId: text(),
  status: text(),
  isBackground: flag(),
  previousId: orNone(text()),
  input: text(),
  body: text(),
  createdAt: integer(),
  expiresAt: integer(),
});

/** What a row counts for, before it is changed or removed. */
export interface CountedRow extends SizedRow {
  readonly call_id: number;
  readonly status: string;
}

/** Asks for the size alone: the texts themselves are not read for it. */
export const COUNTED =
  "call_id, project_id, status, octet_length(input) + octet_length(body) AS bytes";

export const IS_FINISHED = "status <> 'queued' AND status <> 'in_progress'";

export function isUnfinished({ status }: CountedRow): boolean {
  return status === "queued" || status === "in_progress";
}

/** The longest id of an item that is kept. */
const LONGEST_ITEM_ID = 200;

/**
 * The ids of the output items of an answer, each once. An id of an upstream that is none, or that no
 * column holds, is of no use to anyone: it is left out.
 */
export function itemIdsOf(body: string): readonly string[] {
  const { output } = JSON.parse(body) as { readonly output?: unknown };
  if (!Array.isArray(output)) return [];
  const ids = output.map((item: unknown) => isObject(item) ? item.id : undefined)
    .filter((id) => typeof id === "string")
    .filter((id) => id !== "" && [...id].length <= LONGEST_ITEM_ID && !id.includes("\0"));
  return [...new Set(ids)];
}
