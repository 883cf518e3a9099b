/**
 * Batches and their results as they cross to the Worker and back: calls as one
 * text of flat values, since the runtime walks through every object and list
 * that crosses, value by value. Other entries are rare and cross as they are.
 *
 * @module
 */

import type { ClosedCall, OpenCall, VideoWork } from "../../domain/call.ts";
import type { StoredResponse } from "../../domain/stored_response.ts";
import type { Entry, EntryResult } from "../ports/entry.ts";
import { DONE } from "./entry_results.ts";

/** A batch in a message: tags and calls as a JSON list, then the other entries in their order. */
export type BatchMessage = readonly [values: string, ...others: readonly Entry[]];

/** Results in a message: how many plain successes, or each result. */
export type ResultsMessage = number | readonly EntryResult[];

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
  const others: Entry[] = [];
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
        pushResponse(values, entry.response);
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
        batch.push({ kind: "close", call: readClosedCall(values), ...readResponse(values) });
        break;
      case Tag.CloseWithHold:
        batch.push({
          kind: "close",
          call: readClosedCall(values),
          withHold: true,
          ...readResponse(values),
        });
        break;
      case Tag.Other:
        batch.push(others.shift()!);
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

class ValueReader {
  readonly #values: readonly unknown[];
  #at = 0;

  constructor(values: readonly unknown[]) {
    this.#values = values;
  }

  get ended(): boolean {
    return this.#at === this.#values.length;
  }

  next<Value>(): Value {
    return this.#values[this.#at++] as Value;
  }

  /** JSON has no `undefined`: it crosses as null. */
  nextOptional<Value>(): Value | undefined {
    return this.next<Value | null>() ?? undefined;
  }

  /** JSON has no big integers: an amount crosses as its digits. */
  nextAmount(): bigint {
    return BigInt(this.next<string>());
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
    call.heldE8.toString(),
    call.unlimited,
    call.stream,
    call.openedAt,
    call.video,
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
    call.costE8.toString(),
    call.saleE8.toString(),
    call.chargedE8.toString(),
    call.lossE8.toString(),
    call.errorCode,
  );
}

function pushResponse(values: unknown[], response: StoredResponse | undefined): void {
  values.push(response !== undefined);
  if (response === undefined) return;
  values.push(
    response.id,
    response.callId,
    response.projectId,
    response.status,
    response.isBackground,
    response.previousId,
    response.input,
    response.body,
    response.createdAt,
    response.expiresAt,
  );
}

/** In the order of `pushResponse`. */
function readResponse(values: ValueReader): { readonly response?: StoredResponse } {
  if (!values.next<boolean>()) return {};
  return {
    response: {
      id: values.next(),
      callId: values.next(),
      projectId: values.next(),
      status: values.next(),
      isBackground: values.next(),
      previousId: values.nextOptional(),
      input: values.next(),
      body: values.next(),
      createdAt: values.next(),
      expiresAt: values.next(),
    },
  };
}

/** In the order of `pushOpenCall`: an object's properties are evaluated as written. */
function readOpenCall(values: ValueReader): OpenCall {
  const call: OpenCall = {
    callId: values.next(),
    requestId: values.next(),
    projectId: values.next(),
    keyId: values.next(),
    capability: values.next(),
    model: values.next(),
    provider: values.next(),
    route: values.next(),
    priceVersion: values.next(),
    heldE8: values.nextAmount(),
    unlimited: values.next(),
    stream: values.next(),
    openedAt: values.next(),
  };
  const video = values.nextOptional<VideoWork>();
  return video === undefined ? call : { ...call, video };
}

/** In the order of `pushOpenCall`, then `pushOutcome`. */
function readClosedCall(values: ValueReader): ClosedCall {
  return {
    ...readOpenCall(values),
    state: values.next(),
    result: values.next(),
    closedAt: values.next(),
    firstByteMs: values.nextOptional(),
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
    costE8: values.nextAmount(),
    saleE8: values.nextAmount(),
    chargedE8: values.nextAmount(),
    lossE8: values.nextAmount(),
    errorCode: values.nextOptional(),
  };
}
