/**
 * Batches and their results as they cross to the Worker and back: calls as one
 * flat list of values, since copying an object costs several times as much and
 * leaves garbage in both threads. Other entries are rare and cross as they are.
 *
 * @module
 */

import type { ClosedCall, OpenCall } from "../../domain/call.ts";
import type { Entry, EntryResult } from "../ports/entry.ts";
import { DONE } from "./entry_results.ts";

/** A batch in a message. */
export type BatchMessage = readonly unknown[];

/** Results in a message: 1 for a plain success. */
export type ResultsMessage = readonly (1 | EntryResult)[];

enum Tag {
  Hold,
  Rehold,
  Close,
  CloseWithHold,
  Other,
}

/** Puts a batch into a message. */
export function encodeBatch(batch: readonly Entry[]): BatchMessage {
  const values: unknown[] = [];
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
        values.push(entry.withHold === true ? Tag.CloseWithHold : Tag.Close);
        pushOpenCall(values, entry.call);
        pushOutcome(values, entry.call);
        break;
      default:
        values.push(Tag.Other, entry);
    }
  }
  return values;
}

/** Takes a batch out of a message. */
export function decodeBatch(message: BatchMessage): Entry[] {
  const batch: Entry[] = [];
  const values = new MessageReader(message);
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
        batch.push({ kind: "close", call: readClosedCall(values) });
        break;
      case Tag.CloseWithHold:
        batch.push({ kind: "close", call: readClosedCall(values), withHold: true });
        break;
      case Tag.Other:
        batch.push(values.next<Entry>());
    }
  }
  return batch;
}

/** Puts results into a message. */
export function encodeResults(results: readonly EntryResult[]): ResultsMessage {
  return results.map((result) => result === DONE ? 1 : result);
}

/** Takes results out of a message. */
export function decodeResults(message: ResultsMessage): EntryResult[] {
  return message.map((result) => result === 1 ? DONE : result);
}

class MessageReader {
  readonly #message: BatchMessage;
  #at = 0;

  constructor(message: BatchMessage) {
    this.#message = message;
  }

  get ended(): boolean {
    return this.#at === this.#message.length;
  }

  next<Value>(): Value {
    return this.#message[this.#at++] as Value;
  }
}

function pushOpenCall(values: unknown[], call: OpenCall): void {
  values.push(
    call.callId,
    call.requestId,
    call.projectId,
    call.keyId,
    call.capability,
    call.model,
    call.provider,
    call.route,
    call.priceVersion,
    call.heldE8,
    call.unlimited,
    call.stream,
    call.openedAt,
  );
}

function pushOutcome(values: unknown[], call: ClosedCall): void {
  const { usage } = call;
  values.push(
    call.state,
    call.result,
    call.closedAt,
    call.firstByteMs,
    call.attempts,
    usage.promptTokens,
    usage.completionTokens,
    usage.cachedTokens,
    usage.cacheWriteTokens,
    usage.reasoningTokens,
    call.usageSource,
    call.images,
    call.costE8,
    call.saleE8,
    call.chargedE8,
    call.lossE8,
    call.errorCode,
  );
}

/** In the order of `pushOpenCall`: an object's properties are evaluated as written. */
function readOpenCall(values: MessageReader): OpenCall {
  return {
    callId: values.next(),
    requestId: values.next(),
    projectId: values.next(),
    keyId: values.next(),
    capability: values.next(),
    model: values.next(),
    provider: values.next(),
    route: values.next(),
    priceVersion: values.next(),
    heldE8: values.next(),
    unlimited: values.next(),
    stream: values.next(),
    openedAt: values.next(),
  };
}

/** In the order of `pushOpenCall`, then `pushOutcome`. */
function readClosedCall(values: MessageReader): ClosedCall {
  return {
    ...readOpenCall(values),
    state: values.next(),
    result: values.next(),
    closedAt: values.next(),
    firstByteMs: values.next(),
    attempts: values.next(),
    usage: {
      promptTokens: values.next(),
      completionTokens: values.next(),
      cachedTokens: values.next(),
      cacheWriteTokens: values.next(),
      reasoningTokens: values.next(),
    },
    usageSource: values.next(),
    images: values.next(),
    costE8: values.next(),
    saleE8: values.next(),
    chargedE8: values.next(),
    lossE8: values.next(),
    errorCode: values.next(),
  };
}
