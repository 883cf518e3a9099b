/**
 * The contract every provider fulfils. A provider turns one call into upstream
 * requests and events; it knows no hold, no client and no logger.
 *
 * @module
 */

import type { Answer, AnswerEvent, AnswerRoom, AnswerStream } from "../../dialects/base/answer.ts";
import type { UpstreamDialectName } from "../../dialects/registry.ts";
import type { AttemptFailure, OperatorFault } from "../../domain/upstream_error.ts";
import type { Route } from "../../domain/catalogue.ts";
import type { LongTexts } from "../../files/long_texts.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { VideoUpstream } from "./video_upstream.ts";

/** One call to one route. */
export interface ProviderCall {
  readonly route: Route;
  /** The caller's body without the gateway's own fields; never changed by a provider. */
  readonly body: Readonly<JsonObject>;
  /** The caller's, that its dialect passes on; absent: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * The output limit of each choice, sent upstream under the name that it knows and in place of
   * what `body` says; `undefined` leaves the body alone.
   */
  readonly outputTokensCap: number | undefined;
  /** Absent: nobody counts. */
  readonly room?: AnswerRoom;
  /** Wraps a summary of a conversation for its project; there wherever one is asked for. */
  readonly sealSummary?: ((summary: string) => string) | undefined;
  /** Where long texts of the answer may go; absent: nowhere, they are part of it. */
  readonly longTexts?: LongTexts | undefined;
  /** What was asked already, by {@linkcode Conversation.begin} of the same conversation; absent: nothing was. */
  readonly begun?: BegunCall | undefined;
}

/** Told how a call goes on that nobody awaits. */
export interface BegunListener {
  /** The head of the answer that was asked for is in, or more of its body that was asked for. */
  onBytes(): void;
  /** It is not, or will not become, an answer as most are: it is to be awaited. */
  onTrouble(): void;
}

/** A call that goes on by callbacks, until it is put to its conversation as `ProviderCall.begun`. */
export interface BegunCall {
  /**
   * The whole answer, once it is there; asks for more where it is not, or tells of trouble.
   */
  answerNow(): Answer | undefined;
  /** The events of a stream that are there, `undefined` for none; it may be odd from then on. */
  eventsNow(): readonly AnswerEvent[] | undefined;
  /** Whether the last event was given. */
  readonly isDone: boolean;
  /** Whether the stream has to be awaited from here. */
  readonly isOdd: boolean;
  /** Asks to be told of more of a stream; `hasBegun`: of which there were events. */
  more(hasBegun: boolean): void;
  /** Events that were not told to anybody: who awaits the stream has them first. */
  putBack(events: readonly AnswerEvent[]): void;
  /** Notes that the upstream has taken the key, and serves. */
  served(): void;
  /** Gives it up: nobody reads on. */
  cancel(): void;
  /** The rest of a stream of which there were events, awaited from now on. */
  readOn(signal: AbortSignal): AnswerStream;
}

/** A key that an upstream does not take now; never its value. */
export interface KeyRefusal {
  readonly provider: string;
  /** The key's reference: `env:NAME`, `file:PATH`, `credential:NAME`. */
  readonly key: string;
  readonly failure: AttemptFailure;
  /** The upstream's. */
  readonly status: number | undefined;
  readonly fault: OperatorFault | undefined;
}

/** How a configured key is. */
export interface KeyState {
  /** Its reference, never its value. */
  readonly key: string;
  /** `resting`: refused or exhausted; `no_value`: there is nothing behind the reference. */
  readonly state: "ready" | "resting" | "no_value";
  /** Seconds that it still rests; 0 when it does not. */
  readonly seconds: number;
  readonly refusal: KeyRefusal | undefined;
}

/** The result of `providers test`. */
export interface ProviderCheck {
  readonly ok: boolean;
  /** Whether what answered is the API that was meant, and took the key: only a model list says so. */
  readonly checked: boolean;
  /** One line, without secrets. */
  readonly detail: string;
  /** The models that it lists, where it lists all by the names that routes have for them. */
  readonly names?: readonly string[];
  readonly milliseconds: number;
}

/** A model as its upstream lists it. */
export interface ListedModel {
  /** Its name there. */
  readonly name: string;
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  /** What else it says that the model can, as a catalogue file has it; absent: nothing. */
  readonly supports?: Readonly<JsonObject>;
  /** What the upstream says that it costs, as a catalogue file has it; most say nothing. */
  readonly cost?: Readonly<Record<string, string>>;
}

/** Asks for an answer that comes in one piece. Rejects with `UpstreamError`. */
export type Ask = (call: ProviderCall, signal: AbortSignal) => Promise<Answer>;

/**
 * Asks for a stream. Resolves when the upstream's headers are in and it is an event stream. A failure
 * that the upstream tells in its stream is thrown, not passed on.
 *
 * @throws {UpstreamError}
 */
export type AskStream = (call: ProviderCall, signal: AbortSignal) => Promise<AnswerStream>;

/** How calls are made in one dialect: `call.body` and what comes back are in its form. */
export interface Exchange {
  readonly answer: Ask;
  /** Absent: answers do not come as streams. */
  readonly stream?: AskStream;
  /** Whether the upstream speaks the dialect on this route; absent: on every one. */
  readonly isOn?: (route: Route) => boolean;
}

/** How many tokens a prompt has, by its upstream, which charges nothing for that. */
export interface Counting {
  /**
   * Gives an object with `input_tokens`; `undefined` where the upstream has no such path.
   *
   * @throws {UpstreamError}
   */
  ask(call: ProviderCall, signal: AbortSignal): Promise<JsonObject | undefined>;
  /** Whether the upstream speaks the dialect on this route; absent: on every one. */
  readonly isOn?: (route: Route) => boolean;
}

/** What an upstream's own compaction gives, which is charged as any answer is. */
export interface Compacting {
  /**
   * The compacted conversation in `output`; `undefined` where the upstream has no such path.
   *
   * @throws {UpstreamError}
   */
  ask(call: ProviderCall, signal: AbortSignal): Promise<Answer | undefined>;
  readonly isOn: (route: Route) => boolean;
}

/** An exchange whose answers may come as streams. */
export interface Conversation extends Exchange {
  readonly stream: AskStream;
  /** Whether {@linkcode Conversation.begin} can be asked now; absent: it never can. */
  mayBegin?(): boolean;
  /**
   * Asks at once, without a promise, where a connection to the upstream is idle; `undefined` where
   * none is, and then nothing was done.
   *
   * @throws {UpstreamError} Nothing was done then either.
   */
  begin?(
    call: ProviderCall,
    how: { readonly stream: boolean; readonly listener: BegunListener },
  ): BegunCall | undefined;
}

/**
 * A provider as its kind makes it. What it cannot do is absent, and no call comes that
 * needs it: planning leaves its routes out of such calls, with a reason.
 *
 * Nobody asks `speaks` directly but `serve.ts`: the registry completes a provider there with
 * the dialects that can be converted into those that it speaks, once, so that a call in any of
 * them is one look-up (`serve(dialect).answer(provider, call, signal)`). A kind gives only what its
 * upstream speaks itself.
 */
export interface Provider {
  readonly id: string;
  readonly speaks: { readonly [dialect in UpstreamDialectName]?: Exchange | undefined };
  /** How its upstream is asked for the tokens of a prompt; absent: it cannot be. */
  readonly counts?:
    | { readonly [dialect in UpstreamDialectName]?: Counting | undefined }
    | undefined;
  /** How its upstream is asked to compact a conversation of the Responses API; absent: it cannot be. */
  readonly compacts?: Compacting | undefined;
  /** Asks for a text to be spoken; the answer is a stream, of sound or of events with it. */
  readonly speak?: AskStream | undefined;
  /** Films that an upstream makes. */
  readonly videos?: VideoUpstream | undefined;
  /** Whether the gateway itself renders films for its routes. */
  readonly rendersVideos?: true | undefined;
  /** Asks the upstream for something free (its model list); never calls a paid model. */
  check(signal: AbortSignal): Promise<ProviderCheck>;
  /**
   * The models that its upstream lists. Absent: it has no list.
   *
   * @throws {UpstreamError}
   */
  readonly listModels?: ((signal: AbortSignal) => Promise<readonly ListedModel[]>) | undefined;
  /**
   * Which of these models, by the names that routes have for them, its upstream does not have: asked by
   * questions that nobody can answer, so that they cost nothing. Absent: its list tells.
   *
   * @throws {UpstreamError}
   */
  readonly unknownModels?:
    | ((names: readonly string[], signal: AbortSignal) => Promise<readonly string[]>)
    | undefined;
  /**
   * What its upstream says of a model, as a catalogue file has it in `supports`. Absent: it says nothing.
   *
   * @throws {UpstreamError}
   */
  readonly describeModel?:
    | ((upstreamModel: string, signal: AbortSignal) => Promise<Readonly<JsonObject>>)
    | undefined;
  /** How each of its keys is; empty where none is configured. */
  keyStates(): readonly KeyState[];
  /** Looks its secrets up again before the next request. */
  secretsChanged(): void;
}
