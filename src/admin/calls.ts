/**
 * One call by its request id, as the operator sees it.
 *
 * @module
 */

import { completionTokens, namedWork, promptTokens } from "../domain/work.ts";
import * as z from "zod";
import type { Shown } from "../documents/shown.ts";
import { billedVideo, DELETED_VIDEO_CHARGES, type StoredCall } from "../domain/call.ts";
import type { Checkpoint } from "../domain/checkpoint.ts";
import { formatAmount } from "../domain/money.ts";
import { GatewayError } from "../errors.ts";
import { heldToOwn } from "./accounts/own_project.ts";
import { shownAmount, shownCount, shownTime, timeToJson } from "./base/fields.ts";
import { defineOperation } from "./base/operation.ts";
import type { AdminDeps } from "./base/deps.ts";

/** A call as shown; what is not known while it is open is null. */
export const shownCall = z.object({
  request_id: z.string(),
  project: z.string(),
  key: z.string(),
  capability: z.string(),
  model: z.string(),
  provider: z.string(),
  route: z.string(),
  stream: z.boolean(),
  tags: z.record(z.string(), z.string()).optional().describe("What its caller calls it by"),
  batch: z.string().optional().describe("Id of the batch that it is a line of"),
  sticky: z.object({ route: z.string(), seal: z.string() }).optional().describe(
    "The route that the conversation's sealed thoughts are from, and the end of the seal that says so; " +
      "the call's own route where it could stay",
  ),
  state: z.enum(["open", "settled", "released"]),
  result: z.string().nullable(),
  error_code: z.string().nullable(),
  opened_at: shownTime,
  closed_at: shownTime.nullable(),
  first_byte_ms: z.number().nullable(),
  milliseconds: shownCount.nullable().optional().describe(
    "From its hold to its end; servers of earlier versions leave it out",
  ),
  attempts: shownCount.nullable(),
  failed_attempts: z.array(z.object({
    route: z.string(),
    failure: z.string(),
    status: z.number().nullable().describe("The upstream's; null when there was no answer"),
    milliseconds: shownCount,
    message: z.string().describe("The upstream's words, without what they quote of the request"),
  })).optional().describe("The attempts that failed, in their order, at most 12; absent: none"),
  usage: z.object({
    prompt_tokens: shownCount,
    completion_tokens: shownCount,
    cached_tokens: shownCount,
    cache_write_tokens: shownCount,
    reasoning_tokens: shownCount,
    images: shownCount,
    work: z.record(z.string(), shownCount).optional().describe(
      "All that was bought besides a film, by unit: no token is counted twice; servers of earlier " +
        "versions leave it out",
    ),
    source: z.string(),
  }).nullable(),
  video: z.object({
    size: z.string(),
    seconds: z.number(),
    percent: z.number().optional().describe("How much was made of one that was given up"),
    deleted: z.enum(DELETED_VIDEO_CHARGES).optional(),
  }).nullable().describe("The film that the call bought"),
  price_version: shownCount,
  currency: z.string(),
  held: shownAmount,
  cost: shownAmount.nullable(),
  sale: shownAmount.nullable(),
  charged: shownAmount.nullable(),
  loss: shownAmount.nullable(),
  archive: z.string().nullable().describe(
    "The archive that it was read from; null for a call that the database has",
  ),
});

export type CallAnswer = Shown<typeof shownCall>;

export const showCall = defineOperation({
  name: "calls.show",
  method: "GET",
  path: "/calls/{request_id}",
  role: "viewer",
  summary: "Show what a call was, used, cost and was charged.",
  input: z.strictObject({
    request_id: z.string().min(1).max(100).describe("the answer's x-request-id"),
  }),
  output: shownCall,
  errors: ["not_found"],
  async heldTo(project, input, deps) {
    const found = await findCall(deps, input.request_id);
    return heldToOwn(input, {
      of: found.call?.projectId,
      project,
      missing: () => new GatewayError("not_found", notFoundText(input.request_id, [])),
    });
  },
  async run(deps, { request_id }) {
    const { call, archive, unread } = await findCall(deps, request_id);
    if (call === undefined) throw new GatewayError("not_found", notFoundText(request_id, unread));
    const answer = callAnswer(call, deps.catalogue.current.catalogue.currency);
    return archive === undefined ? answer : { ...answer, archive: archive.file };
  },
});

/** A call, wherever it is; `unread` are archives that may have it and cannot be read. */
interface CallSearch {
  readonly call: StoredCall | undefined;
  readonly archive?: Checkpoint;
  readonly unread: readonly Checkpoint[];
}

async function findCall(deps: AdminDeps, requestId: string): Promise<CallSearch> {
  const callId = deps.requestIds.callIdOf(requestId);
  // A hold may still be on its way to disk.
  await deps.commits.flush();
  if (callId === undefined) return { call: undefined, unread: [] };
  const call = await deps.storage.calls.find(callId);
  if (call?.requestId === requestId) return { call, unread: [] };
  const { found, unread } = await findArchivedCall(deps, { callId, requestId });
  return { call: undefined, unread, ...found };
}

function notFoundText(requestId: string, unread: readonly Checkpoint[]): string {
  if (unread.length === 0) {
    return `There is no call '${requestId}': take the id from the answer's x-request-id (what was refused before a first attempt has none)`;
  }
  const files = unread.map(({ number, file }) => `${number}, written to ${file}`).join(", or ");
  return `The database has no call '${requestId}'. If there was one, it is in archive ${files}, which cannot be read there: put the file back and ask again`;
}

/** A call as it is shown. */
export function callAnswer(call: StoredCall, currency: string): CallAnswer {
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
    ...(call.tags !== undefined && { tags: call.tags }),
    ...(call.batchId !== undefined && { batch: call.batchId }),
    ...(call.sticky !== undefined && { sticky: call.sticky }),
    state: call.state,
    result: closed?.result ?? null,
    error_code: closed?.errorCode ?? null,
    opened_at: timeToJson(call.openedAt),
    closed_at: timeToJson(closed?.closedAt),
    first_byte_ms: closed?.firstByteMs ?? null,
    milliseconds: closed === undefined ? null : Math.max(0, closed.closedAt - closed.openedAt),
    attempts: closed?.attempts ?? null,
    ...(closed?.failedAttempts !== undefined && {
      failed_attempts: closed.failedAttempts.map(({ ms, status, ...attempt }) => ({
        ...attempt,
        status: status ?? null,
        milliseconds: ms,
      })),
    }),
    usage: closed === undefined ? null : {
      prompt_tokens: promptTokens(closed.work),
      completion_tokens: completionTokens(closed.work),
      cached_tokens: closed.work.cachedInput ?? 0,
      cache_write_tokens: closed.work.cacheWrite ?? 0,
      reasoning_tokens: closed.work.reasoning ?? 0,
      images: closed.work.image ?? 0,
      work: namedWork(closed.work),
      source: closed.usageSource,
    },
    video: billedVideo(call) ?? null,
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

/** Where a call may be that the database has no more. */
interface ArchivedSearch {
  readonly found: { readonly call: StoredCall; readonly archive: Checkpoint } | undefined;
  /** Archives that may have it, and whose file is not where it was written. */
  readonly unread: readonly Checkpoint[];
}

/** Looks for a call by its id. */
async function findArchivedCall(
  { storage, archives }: Pick<AdminDeps, "storage" | "archives">,
  { callId, requestId }: { readonly callId: number; readonly requestId: string },
): Promise<ArchivedSearch> {
  const unread: Checkpoint[] = [];
  for (const archive of await storage.checkpoints.list()) {
    if (callId < archive.firstCallId || callId > archive.lastCallId) continue;
    const result = archives.findCall(archive, callId);
    if (result.kind === "unreadable") unread.push(archive);
    if (result.kind === "found" && result.call.requestId === requestId) {
      return { found: { call: result.call, archive }, unread: [] };
    }
  }
  return { found: undefined, unread };
}
