/**
 * Sees which calls are made by callbacks, and how far: what goes on inside shows nowhere else, as what
 * callers get is the same either way.
 *
 * @module
 */

import { CallEngine } from "../../../src/gateway/call_engine.ts";
import type { QuickCaller } from "../../../src/gateway/quick_caller.ts";

/** What a caller was told of a call, in order; parts of a stream that follow one another once. */
export type QuickStep = "answer" | "begin" | "part" | "last part" | "hand over" | "hand over parts";

/** Watches all engines of this process until it is disposed. */
export class QuickWatch implements Disposable {
  /** Calls that were begun by callbacks. */
  readonly calls: QuickStep[][] = [];
  /** The engine that was asked last. */
  engine: CallEngine | undefined;
  readonly #begin = CallEngine.prototype.begin;
  readonly #stream = CallEngine.prototype.stream;

  constructor() {
    const begin = this.#begin;
    const stream = this.#stream;
    const { calls } = this;
    const note = (engine: CallEngine) => this.engine = engine;
    CallEngine.prototype.begin = function (request, kind, caller) {
      note(this);
      const steps: QuickStep[] = [];
      const quick = begin.call(this, request, kind, watched(caller, steps));
      if (quick !== undefined) calls.push(steps);
      return quick;
    };
    CallEngine.prototype.stream = function (request, kind) {
      note(this);
      return stream.call(this, request, kind);
    };
  }

  [Symbol.dispose](): void {
    CallEngine.prototype.begin = this.#begin;
    CallEngine.prototype.stream = this.#stream;
  }
}

function watched(caller: QuickCaller, steps: QuickStep[]): QuickCaller {
  return {
    prepare: (text) => caller.prepare(text),
    answer(text) {
      steps.push("answer");
      caller.answer(text);
    },
    begin(provider, route) {
      steps.push("begin");
      caller.begin(provider, route);
    },
    part(text, isLast) {
      if (isLast) steps.push("last part");
      else if (steps.at(-1) !== "part") steps.push("part");
      caller.part(text, isLast);
    },
    handOver(rest) {
      steps.push("hand over");
      caller.handOver(rest);
    },
    handOverParts(rest) {
      steps.push("hand over parts");
      caller.handOverParts(rest);
    },
  };
}
