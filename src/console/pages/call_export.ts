/**
 * Calls as a file: all that the filters of the page find, as far as a bound.
 *
 * @module
 */

import { type CallRow, listCalls } from "../../admin/list_calls.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { type Cells, sendRows } from "../parts/download.ts";
import { listPages } from "../parts/list_pages.ts";
import { filtersIn } from "./call_filters.tsx";

const CELLS: Cells<CallRow> = {
  request_id: (row) => row.request_id,
  opened_at: (row) => row.opened_at,
  closed_at: (row) => row.closed_at,
  project: (row) => row.project,
  key: (row) => row.key,
  endpoint: (row) => row.capability,
  model: (row) => row.model,
  provider: (row) => row.provider,
  route: (row) => row.route,
  state: (row) => row.state,
  result: (row) => row.result,
  error_code: (row) => row.error_code,
  why: (row) => row.refusal?.why,
  milliseconds: (row) => row.milliseconds,
  first_byte_ms: (row) => row.first_byte_ms,
  attempts: (row) => row.attempts,
  prompt_tokens: (row) => row.usage?.prompt_tokens,
  completion_tokens: (row) => row.usage?.completion_tokens,
  cached_tokens: (row) => row.usage?.cached_tokens,
  reasoning_tokens: (row) => row.usage?.reasoning_tokens,
  currency: (row) => row.currency,
  held: (row) => row.held,
  cost: (row) => row.cost,
  sale: (row) => row.sale,
  charged: (row) => row.charged,
  loss: (row) => row.loss,
  tags: (row) => row.tags,
};

export function exportCalls(context: ConsoleContext): Promise<Response> {
  const pages = listPages<CallRow>(context, {
    operation: listCalls,
    query: filtersIn(context),
    advice: "name the time with from and to",
  });
  return sendRows(context, { name: "calls", cells: CELLS, pages });
}
