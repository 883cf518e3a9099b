/**
 * One call by its request id, as the operator sees it.
 *
 * @module
 */

import * as z from "zod";
import type { StoredCall } from "../domain/call.ts";
import type { Checkpoint } from "../domain/checkpoint.ts";
import { type BilledFilm, billedFilm } from "../domain/deleted_film_charge.ts";
import { formatAmount } from "../domain/money.ts";
import { GatewayError } from "../errors.ts";
import { type ArchivedSearch, findArchivedCall } from "./archives/archived_call.ts";
import { timeToJson } from "./input_fields.ts";
import { defineOperation } from "./operation.ts";

/** A call as shown. Amounts are decimal strings with 8 fractional digits; `null` while it is open. */
export interface CallAnswer {
  readonly request_id: string;
  readonly project: string;
  readonly key: string;
  readonly capability: string;
  readonly model: string;
  readonly provider: string;
  readonly route: string;
  readonly stream: boolean;
  readonly state: "open" | "settled" | "released";
  readonly result: string | null;
  readonly error_code: string | null;
  readonly opened_at: string;
  readonly closed_at: string | null;
  readonly first_byte_ms: number | null;
  readonly attempts: number | null;
  readonly usage: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly cached_tokens: number;
    readonly cache_write_tokens: number;
    readonly reasoning_tokens: number;
    readonly images: number;
    readonly source: string;
  } | null;
  /** The film that a call of capability `videos` bought; `percent` where it was given up half-made. */
  readonly video: BilledFilm | null;
  readonly price_version: number;
  readonly currency: string;
  readonly held: string;
  readonly cost: string | null;
  readonly sale: string | null;
  readonly charged: string | null;
  readonly loss: string | null;
  /** The archive that it was read from; `null` for a call that the database has. */
  readonly archive: string | null;
}

export const showCall = defineOperation({
  name: "calls.show",
  method: "GET",
  path: "/calls/{request_id}",
  summary: "Shows what a call was, used, cost and was charged.",
  input: z.strictObject({ request_id: z.string().min(1).max(100) }),
  async run(deps, { request_id }): Promise<CallAnswer> {
    const callId = deps.requestIds.callIdOf(request_id);
    // A hold may still be on its way to disk.
    await deps.commits.flush();
    const call = callId === undefined ? undefined : await deps.storage.calls.find(callId);
    const { currency } = deps.catalogue.current.catalogue;
    if (call?.requestId === request_id) return callAnswer(call, currency);
    const { found, unread } = callId === undefined
      ? NOWHERE
      : await findArchivedCall(deps, { callId, requestId: request_id });
    if (found !== undefined) {
      return { ...callAnswer(found.call, currency), archive: found.archive.file };
    }
    throw new GatewayError("not_found", notFoundText(request_id, unread));
  },
});

const NOWHERE: ArchivedSearch = { found: undefined, unread: [] };

function notFoundText(requestId: string, unread: readonly Checkpoint[]): string {
  if (unread.length === 0) {
    return `There is no call '${requestId}': take the id from the answer's x-request-id (what was refused before a first attempt has none)`;
  }
  const files = unread.map(({ number, file }) => `${number}, written to ${file}`).join(", or ");
  return `The database has no call '${requestId}'. If there was one, it is in archive ${files}, which cannot be read there: put the file back and ask again`;
}

function callAnswer(call: StoredCall, currency: string): CallAnswer {
  const closed = call.state === "open" ? undefined : call;
  return {
    request_id: call.requestId,
    project: call.projectId,
    key: call.keyId,
    capability: call.capability,
    model: call.model,
    provider: call.provider,
    route: call.route,
    stream: call.stream,
    state: call.state,
    result: closed?.result ?? null,
    error_code: closed?.errorCode ?? null,
    opened_at: timeToJson(call.openedAt),
    closed_at: timeToJson(closed?.closedAt),
    first_byte_ms: closed?.firstByteMs ?? null,
    attempts: closed?.attempts ?? null,
    usage: closed === undefined ? null : {
      prompt_tokens: closed.usage.promptTokens,
      completion_tokens: closed.usage.completionTokens,
      cached_tokens: closed.usage.cachedTokens,
      cache_write_tokens: closed.usage.cacheWriteTokens,
      reasoning_tokens: closed.usage.reasoningTokens,
      images: closed.images,
      source: closed.usageSource,
    },
    video: billedFilm(call) ?? null,
    price_version: call.priceVersion,
    currency,
    held: formatAmount(call.heldE8),
    cost: amount(closed?.costE8),
    sale: amount(closed?.saleE8),
    charged: amount(closed?.chargedE8),
    loss: amount(closed?.lossE8),
    archive: null,
  };
}

function amount(amountE8: bigint | undefined): string | null {
  return amountE8 === undefined ? null : formatAmount(amountE8);
}
