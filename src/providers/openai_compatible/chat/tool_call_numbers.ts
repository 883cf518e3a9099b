/**
 * Numbers the tool calls of one streamed choice from 0 in order of first sight:
 * upstreams leave `index` out (Kimi), start at 1 (Anthropic's compatible
 * endpoint) or give every call the same one (Gemini's), and SDK accumulators
 * need neither gaps nor clashes.
 *
 * @module
 */

import type { CompletionIds } from "../../../dialects/base/completion_ids.ts";
import { checkBlocks } from "../../../dialects/base/most_blocks.ts";
import { isObject, type JsonObject, nonEmptyString } from "../../../domain/json_value.ts";

interface SeenCall {
  readonly number: number;
  readonly id: string;
}

/** The tool calls of one choice so far. */
export class ToolCallNumbers {
  readonly #ids: CompletionIds;
  readonly #byIndex = new Map<number, SeenCall>();
  readonly #byId = new Map<string, SeenCall>();
  /** By number. */
  readonly #calls: SeenCall[] = [];
  #last: SeenCall | undefined;

  constructor(ids: CompletionIds) {
    this.#ids = ids;
  }

  /** Whether any tool call was seen. */
  get any(): boolean {
    return this.#calls.length > 0;
  }

  /**
   * Repairs the deltas of one chunk in place. One that does not say which call it
   * goes on with means the last one; several of that kind in one chunk mean the
   * calls at their own positions.
   */
  repair(deltas: readonly unknown[]): void {
    const goOn = deltas.length > 1 && deltas.every(saysNoCall) ? [...this.#calls] : undefined;
    deltas.forEach((delta, position) => {
      if (isObject(delta)) this.#repairOne(delta, goOn?.[position] ?? this.#last);
    });
  }

  #repairOne(delta: JsonObject, unnamed: SeenCall | undefined): void {
    const index = Number.isInteger(delta.index) ? delta.index as number : undefined;
    const id = nonEmptyString(delta.id);
    const called = isObject(delta.function) ? delta.function : undefined;
    const name = nonEmptyString(called?.name) ??
      (isObject(delta.custom) ? nonEmptyString(delta.custom.name) : undefined);

    const known = index === undefined && id === undefined
      ? name === undefined ? unnamed : undefined
      : this.#find(index, id, name);
    const call = known ?? this.#begin(index, id);
    this.#last = call;
    delta.index = call.number;
    if (known === undefined) {
      delta.id = call.id;
      if (nonEmptyString(delta.type) === undefined) {
        delta.type = delta.custom === undefined ? "function" : "custom";
      }
    } else {
      // Accumulators add strings up: what was said once is not said again as nothing.
      if (id === undefined) delete delta.id;
      if (nonEmptyString(delta.type) === undefined) delete delta.type;
    }
    if (called === undefined) return;
    if (name === undefined) delete called.name;
    if (called.arguments !== undefined && typeof called.arguments !== "string") {
      called.arguments = called.arguments === null ? "" : JSON.stringify(called.arguments);
    }
    if (known === undefined) called.arguments ??= "";
  }

  #find(index: number | undefined, id: string | undefined, name: string | undefined) {
    if (index !== undefined) {
      const call = this.#byIndex.get(index);
      // An index used again with another id and a name is another call.
      const isAnother = id !== undefined && name !== undefined && call !== undefined &&
        call.id !== id;
      return isAnother ? this.#byId.get(id) : call;
    }
    return id === undefined ? undefined : this.#byId.get(id);
  }

  #begin(index: number | undefined, id: string | undefined): SeenCall {
    const call = { number: this.#calls.length, id: id ?? this.#ids.toolCall() };
    this.#calls.push(call);
    checkBlocks(this.#calls.length);
    if (index !== undefined) this.#byIndex.set(index, call);
    this.#byId.set(call.id, call);
    return call;
  }
}

/** Neither index nor id, nor a name, which would begin a call. */
function saysNoCall(delta: unknown): boolean {
  if (!isObject(delta) || Number.isInteger(delta.index)) return false;
  const named = isObject(delta.function) ? delta.function : delta.custom;
  return nonEmptyString(delta.id) === undefined &&
    !(isObject(named) && nonEmptyString(named.name) !== undefined);
}
