/**
 * A response in one piece, made of the responses of a stream.
 *
 * @module
 */

import { asArray, asObject, type JsonObject } from "../../domain/json_value.ts";

/** Adds up responses that are put right. */
export class WholeResponse {
  #fields: JsonObject = {};
  #candidate: JsonObject | undefined;
  #content: JsonObject = {};
  readonly #parts: unknown[] = [];

  /** Takes one; what it holds may be kept. */
  add({ candidates, ...fields }: JsonObject): void {
    this.#fields = { ...this.#fields, ...fields };
    const candidate = asObject(asArray(candidates)[0]);
    if (candidate === undefined) return;
    const { content, ...told } = candidate;
    this.#candidate = { ...this.#candidate, ...told };
    const { parts, ...further } = asObject(content) ?? {};
    this.#content = { ...this.#content, ...further };
    for (const part of asArray(parts)) this.#parts.push(part);
  }

  /** The response so far. */
  get body(): JsonObject {
    if (this.#candidate === undefined) return this.#fields;
    const content = { ...this.#content, parts: this.#parts };
    return { ...this.#fields, candidates: [{ ...this.#candidate, content }] };
  }
}
