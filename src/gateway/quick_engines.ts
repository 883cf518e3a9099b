/**
 * What the engine does for calls that go on by callbacks, kind by kind.
 *
 * @module
 */

import type { Dialect } from "../dialects/base/dialect.ts";
import type { Plan } from "../planning/plan_call.ts";
import type { BegunAttempt } from "./attempt_loop.ts";
import type { AnswerKind, StreamKind } from "./call_request.ts";
import type { MeteredCall } from "./metered_call.ts";
import { providerCallOf } from "./provider_call.ts";
import type { QuickEngine } from "./quick_call.ts";
import type { RelayOptions } from "./stream_relay.ts";

/** What may begin by callbacks: an answer in one piece, or a stream. */
export interface QuickKind {
  readonly dialect: Dialect;
  readonly answer?: Pick<AnswerKind, "invoke">;
  readonly stream?: Pick<StreamKind, "invoke" | "writer">;
}

/** What the engine brings. */
export interface EngineParts
  extends Pick<QuickEngine, "deps" | "open" | "now" | "noteSeal" | "fail"> {
  relayOptions(call: MeteredCall, plan: Plan, kind: Pick<StreamKind, "writer">): RelayOptions;
  answerOf(
    call: MeteredCall,
    plan: Plan,
    kind: AnswerKind,
    begun: BegunAttempt | undefined,
  ): Promise<unknown>;
  streamOf(
    call: MeteredCall,
    plan: Plan,
    kind: StreamKind,
    begun: BegunAttempt | undefined,
  ): Promise<unknown>;
}

/** Made once for each kind, which are a few. */
export class QuickEngines {
  readonly #parts: EngineParts;
  readonly #made = new Map<QuickKind, QuickEngine>();

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  of(kind: QuickKind): QuickEngine {
    let engine = this.#made.get(kind);
    if (engine === undefined) this.#made.set(kind, engine = this.#make(kind));
    return engine;
  }

  #make({ dialect, answer, stream }: QuickKind): QuickEngine {
    const { deps, open, now, noteSeal, fail, relayOptions, answerOf, streamOf } = this.#parts;
    return {
      ...{ deps, open, now, noteSeal, fail },
      providerCall: providerCallOf,
      relayOptions: (call, plan) => relayOptions(call, plan, stream!),
      goOn(call, plan, attempt, begun) {
        const first = attempt && { ...attempt, call: begun };
        return stream === undefined
          ? answerOf(call, plan, { dialect, ...answer! }, first)
          : streamOf(call, plan, { dialect, ...stream }, first);
      },
    };
  }
}
