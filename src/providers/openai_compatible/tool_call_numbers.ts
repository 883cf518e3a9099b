/**
 * Numbers the tool calls of one streamed choice from 0 in order of first sight:
 * upstreams leave `index` out (Kimi), start at 1 (Anthropic's compatible
 * endpoint) or give every call the same one (Gemini's), and SDK accumulators
 * need neither gaps nor clashes.
 *
 * @module
 */

import type { JsonObject } from "../provider.ts";
import type { CompletionIds } from "../completion_ids.ts";
import { isObject, nonEmptyString } from "../json_value.ts";

interface SeenCall {
  readonly number: number;
  readonly id: string;
}

/** The tool calls of one choice so far. */
export class ToolCallNumbers {
  readonly #ids: CompletionIds;
  readonly #byIndex = new Map<number, SeenCall>();
  readonly #byId = new Map<string, SeenCall>();
  #last: SeenCall | undefined;
  #count = 0;

  constructor(ids: CompletionIds) {
    this.#ids = ids;
  }

  /** Whether any tool call was seen. */
  get any(): boolean {
    return this.#count > 0;
  }

  /** Repairs the deltas of one chunk in place. */
  repair(deltas: readonly unknown[]): void {
    for (const delta of deltas) if (isObject(delta)) this.#repairOne(delta);
  }

  #repairOne(delta: JsonObject): void {
    const index = Number.isInteger(delta.index) ? delta.index as number : undefined;
    const id = nonEmptyString(delta.id);
    const called = isObject(delta.function) ? delta.function : undefined;
    const name = nonEmptyString(called?.name) ??
      (isObject(delta.custom) ? nonEmptyString(delta.custom.name) : undefined);

    const known = this.#find(index, id, name);
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
    if (id !== undefined) return this.#byId.get(id);
    return name === undefined ? this.#last : undefined;
  }

  #begin(index: number | undefined, id: string | undefined): SeenCall {
    const call = { number: this.#count++, id: id ?? this.#ids.toolCall() };
    if (index !== undefined) this.#byIndex.set(index, call);
    this.#byId.set(call.id, call);
    return call;
  }
}
