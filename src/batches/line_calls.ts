/**
 * How a line of a batch is asked, and what becomes of it.
 *
 * @module
 */

import type { Caller } from "../accounts/key_directory.ts";
import { type BatchLine, type BatchUsage, NO_BATCH_USAGE } from "../domain/batch.ts";
import type { ClosedCall } from "../domain/call.ts";
import { randomName } from "../domain/ids.ts";
import { completionTokens, promptTokens } from "../domain/work.ts";

/** A line as a call. */
export interface LineCall {
  readonly caller: Caller;
  readonly batchId: string;
  /** The same of the same line of the same batch, and of no other, whenever it is asked. */
  readonly name: string;
  /** Path of the API. */
  readonly url: string;
  /** JSON. */
  readonly body: string;
  /** Fires when it is to be cut off. */
  readonly signal: AbortSignal;
  /** What is stored of its answer with the end of its call. */
  readonly make: (
    text: string,
    about: { readonly requestId: string; readonly closed: Pick<ClosedCall, "work"> },
  ) => BatchLine;
}

/** What came of it. */
export interface LineAnswer {
  readonly status: number;
  readonly requestId: string;
  /** JSON. */
  readonly text: string;
  /** Of the error, where it is one. */
  readonly code: string | undefined;
  /** Whether the same call may succeed later, after so many seconds. */
  readonly retryAfterSeconds: number | undefined;
  /** Of an answer that was not stored with its call; `undefined` where no call was made. */
  readonly usage: BatchUsage | undefined;
}

/** Asks as every caller does; never throws for the call's sake. */
export type CallLine = (call: LineCall) => Promise<LineAnswer>;

/** A line of a batch, by its caller's name for it. */
export interface LineName {
  readonly batchId: string;
  readonly line: number;
  readonly customId: string;
}

/** What becomes of a line that was answered. */
export function answeredLine(
  { batchId, line, customId }: LineName,
  { status, requestId, text, usage }: Pick<LineAnswer, "status" | "requestId" | "text"> & {
    readonly usage: BatchUsage;
  },
): BatchLine {
  const response = `{"status_code":${status},"request_id":${JSON.stringify(requestId)},"body":${
    oneLine(text)
  }}`;
  return {
    batchId,
    line,
    isFailed: status !== 200,
    usage,
    text: `${beginning(customId)},"response":${response},"error":null}`,
  };
}

/** What becomes of a line that was not asked. */
export function unaskedLine(
  { batchId, line, customId }: LineName,
  error: { readonly code: string; readonly message: string },
): BatchLine {
  return {
    batchId,
    line,
    isFailed: true,
    usage: NO_BATCH_USAGE,
    text: `${beginning(customId)},"response":null,"error":${JSON.stringify(error)}}`,
  };
}

/** Tokens of a call as a batch adds them up. */
export function usageOf({ work }: Pick<ClosedCall, "work">): BatchUsage {
  return {
    inputTokens: promptTokens(work),
    cachedTokens: work.cachedInput ?? 0,
    outputTokens: completionTokens(work),
    reasoningTokens: work.reasoning ?? 0,
  };
}

function beginning(customId: string): string {
  return `{"id":"batch_req_${randomName(26)}","custom_id":${JSON.stringify(customId)}`;
}

/** JSON has line breaks between its parts alone; of those no line may have any. */
function oneLine(text: string): string {
  return /[\r\n]/.test(text) ? text.replaceAll(/[\r\n]+/g, " ") : text;
}
