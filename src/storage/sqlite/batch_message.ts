/**
 * Batches and their results as they cross to the Worker and back: calls as one
 * text of flat values, since the runtime walks through every object and list
 * that crosses, value by value. Other entries are rare and cross as they are.
 *
 * @module
 */

import type { BatchLine } from "../../domain/batch.ts";
import type { ClosedCall, FailedAttempt } from "../../domain/call.ts";
import type { IdempotencyRecord } from "../../domain/idempotency.ts";
import type { StoredResponse } from "../../domain/stored_response.ts";
import type { Entry, EntryResult, Kept } from "../ports/entry.ts";
import { pushOpenCall, readOpenCall, ValueReader } from "../entries/call_values.ts";
import { DONE } from "../entries/entry_results.ts";

/** What crosses beside a batch's calls. */
type Beside = Entry | IdempotencyRecord | string;

/**
 * A batch in a message: tags and calls as a JSON list, then in their order the other entries, the
 * answers for repeated requests, and long texts: those that may be large would be written twice.
 */
export type BatchMessage = readonly [values: string, ...others: readonly Beside[]];

/** Of a closed call, what few keep, but for long texts and answers for repeated requests. */
interface KeptParts {
  readonly hasAnswer: boolean;
  readonly response?: Omit<StoredResponse, "input" | "body"> & ShortTexts<"input" | "body">;
  readonly batchLine?: Omit<BatchLine, "text"> & ShortTexts<"text">;
}

type ShortTexts<Names extends string> = { readonly [name in Names]: string | null };

/** Characters from which on a text crosses by itself: copied, where as JSON it is escaped and read. */
const LONG_TEXT = 4_096;

/** Results in a message: how many plain successes, or each result. */
export type ResultsMessage = number | readonly EntryResult[];

enum Tag {
  Hold,
  Rehold,
  Close,
  Other,
}

/** Puts a batch into a message. */
export function encodeBatch(batch: readonly Entry[]): BatchMessage {
  const values: unknown[] = [];
  const others: Beside[] = [];
  for (const entry of batch) {
    switch (entry.kind) {
      case "hold":
        values.push(Tag.Hold);
        pushOpenCall(values, entry.call);
        break;
      case "rehold":
        values.push(Tag.Rehold);
        pushOpenCall(values, entry.call);
        break;
      case "close":
        values.push(Tag.Close);
        pushOpenCall(values, entry.call);
        pushOutcome(values, entry.call);
        pushKept(values, others, entry);
        break;
      default:
        values.push(Tag.Other);
        others.push(entry);
    }
  }
  return [JSON.stringify(values), ...others];
}

/** Takes a batch out of a message. */
export function decodeBatch([text, ...others]: BatchMessage): Entry[] {
  const batch: Entry[] = [];
  const values = new ValueReader(JSON.parse(text));
  while (!values.ended) {
    const tag = values.next<Tag>();
    switch (tag) {
      case Tag.Hold:
        batch.push({ kind: "hold", call: readOpenCall(values) });
        break;
      case Tag.Rehold:
        batch.push({ kind: "rehold", call: readOpenCall(values) });
        break;
      case Tag.Close:
        batch.push({ kind: "close", call: readClosedCall(values), ...readKept(values, others) });
        break;
      case Tag.Other:
        batch.push(others.shift() as Entry);
    }
  }
  return batch;
}

/** Puts results into a message. */
export function encodeResults(results: readonly EntryResult[]): ResultsMessage {
  return results.every((result) => result === DONE) ? results.length : results;
}

/** Takes results out of a message. */
export function decodeResults(message: ResultsMessage): readonly EntryResult[] {
  return typeof message === "number" ? Array<EntryResult>(message).fill(DONE) : message;
}

function pushOutcome(values: unknown[], call: ClosedCall): void {
  values.push(
    call.state,
    call.result,
    call.closedAt,
    call.firstByteMs,
    call.attempts,
    call.work,
    call.usageSource,
    call.costE8.toString(),
    call.saleE8.toString(),
    call.chargedE8.toString(),
    call.lossE8.toString(),
    call.errorCode,
    call.failedAttempts,
  );
}

/** What is kept of a call, as one value, as of most nothing is. */
function pushKept(
  values: unknown[],
  others: Beside[],
  { response, idempotency, batchLine }: Kept,
): void {
  if ((response ?? idempotency ?? batchLine) === undefined) {
    values.push(undefined);
    return;
  }
  const parts: KeptParts = {
    hasAnswer: idempotency !== undefined,
    response: response && {
      ...response,
      input: shortOrBeside(response.input, others),
      body: shortOrBeside(response.body, others),
    },
    batchLine: batchLine && { ...batchLine, text: shortOrBeside(batchLine.text, others) },
  };
  if (idempotency !== undefined) others.push(idempotency);
  values.push(parts);
}

/** A text for the values, or what stands there for one that crosses beside them. */
function shortOrBeside(text: string, others: Beside[]): string | null {
  if (text.length < LONG_TEXT) return text;
  others.push(text);
  return null;
}

/** Of texts and answers that cross beside the values, in the order of `pushKept`. */
function readKept(values: ValueReader, others: Beside[]): Kept {
  const parts = values.nextOptional<KeptParts>();
  if (parts === undefined) return NOTHING_KEPT;
  const { hasAnswer, response, batchLine } = parts;
  const text = (short: string | null) => short ?? others.shift() as string;
  return {
    ...(response !== undefined && {
      response: {
        ...response,
        previousId: response.previousId,
        input: text(response.input),
        body: text(response.body),
      },
    }),
    ...(batchLine !== undefined && { batchLine: { ...batchLine, text: text(batchLine.text) } }),
    ...(hasAnswer && { idempotency: others.shift() as IdempotencyRecord }),
  };
}

const NOTHING_KEPT: Kept = {};

/** In the order of `pushOpenCall`, then `pushOutcome`. */
function readClosedCall(values: ValueReader): ClosedCall {
  const call: ClosedCall = {
    ...readOpenCall(values),
    state: values.next(),
    result: values.next(),
    closedAt: values.next(),
    firstByteMs: values.nextOptional(),
    attempts: values.next(),
    work: values.next(),
    usageSource: values.next(),
    costE8: values.nextAmount(),
    saleE8: values.nextAmount(),
    chargedE8: values.nextAmount(),
    lossE8: values.nextAmount(),
    errorCode: values.nextOptional(),
  };
  const failedAttempts = values.nextOptional<readonly FailedAttempt[]>();
  return failedAttempts === undefined ? call : { ...call, failedAttempts };
}
