/**
 * A conversation in one dialect over an upstream that speaks another: through the neutral form,
 * there and back.
 *
 * @module
 */

import type { Dialect, UpstreamDialect } from "../dialects/base/dialect.ts";
import { EventQueue } from "../dialects/base/event_queue.ts";
import { NotCarried, notSupported } from "../dialects/turns/refusals.ts";
import type { AnswerParts, AnswerReader, CallersForm } from "../dialects/base/turns_format.ts";
import type { Conversation, ProviderCall } from "./contract/provider.ts";
import type { AnswerEvent, AnswerRoom, AnswerStream } from "../dialects/base/answer.ts";
import type { Terms } from "../domain/terms.ts";
import { UpstreamError } from "../domain/upstream_error.ts";
import { MAX_ANSWER_BYTES } from "./transport/limits.ts";

/** What converts it, and where what is kept of it is counted. */
export interface ConvertedStreamOptions {
  /** Tells the writer, which fills the queue. */
  readonly reader: AnswerReader;
  readonly events: EventQueue;
  readonly room: AnswerRoom | undefined;
}

/** An upstream's stream in the dialect of its caller, read by read. */
export class ConvertedStream implements AnswerStream {
  readonly #upstream: AnswerStream;
  readonly #options: ConvertedStreamOptions;
  /** UTF-16 units that are kept for the blocks' ends. */
  #kept = 0;
  #terms: Terms | undefined;
  #seal: string | undefined;
  #isDone = false;

  constructor(upstream: AnswerStream, options: ConvertedStreamOptions) {
    this.#upstream = upstream;
    this.#options = options;
  }

  async next(): Promise<readonly AnswerEvent[] | undefined> {
    const { events: written } = this.#options;
    while (!this.#isDone) {
      const events = await this.#upstream.next();
      if (events === undefined) this.#finish();
      else for (const event of events) this.#add(event);
      if (!written.isEmpty) return this.#take();
    }
    return undefined;
  }

  cancel(): void {
    this.#upstream.cancel();
  }

  cutShort(): readonly AnswerEvent[] {
    for (const event of this.#upstream.cutShort?.() ?? []) this.#add(event);
    this.#finish();
    return this.#take();
  }

  #take(): readonly AnswerEvent[] {
    const seal = this.#seal;
    this.#seal = undefined;
    return this.#options.events.take(this.#terms, seal);
  }

  #add(event: AnswerEvent): void {
    const { reader, room } = this.#options;
    this.#terms = event.terms ?? this.#terms;
    this.#seal = event.seal ?? this.#seal;
    this.#kept += event.text.length;
    room?.countAnswer(event.text.length);
    if (this.#kept > MAX_ANSWER_BYTES) {
      throw new UpstreamError("broken", "The upstream's stream is longer than any answer");
    }
    reader.addEvent(event);
  }

  #finish(): void {
    this.#isDone = true;
    this.#options.reader.end();
  }
}

/** Both sides of a conversion. */
export interface Conversion {
  readonly from: Dialect & { readonly callers: CallersForm };
  readonly to: UpstreamDialect;
  readonly parts: AnswerParts;
}

/**
 * The exchange in the caller's dialect, on the routes of the one that it is given, which speaks the
 * upstream's.
 */
export function convertedExchange(conversion: Conversion, upstream: Conversation): Conversation {
  const { from: { callers }, to: { upstreams }, parts } = conversion;
  return {
    ...(upstream.isOn !== undefined && { isOn: upstream.isOn }),
    async answer(call, signal) {
      const answer = await upstream.answer(convertCall(call, conversion), signal);
      const writer = callers.answerWriter(call.body, parts);
      const reader = upstreams.answerReader(writer);
      reader.addWhole(answer);
      reader.end();
      return { ...answer, body: writer.whole };
    },
    async stream(call, signal) {
      const stream = await upstream.stream(convertCall(call, conversion), signal);
      const events = new EventQueue();
      const reader = upstreams.answerReader(callers.answerWriter(call.body, parts, events));
      return new ConvertedStream(stream, { reader, events, room: call.room });
    },
  };
}

/**
 * The call as the upstream's dialect has it. The output limit is the call's cap, so that it is
 * sent under the name that the upstream knows.
 *
 * @throws {UpstreamError} `caller` (400) for what that dialect cannot do, by name.
 */
export function convertCall(
  call: ProviderCall,
  { from, to }: Pick<Conversion, "from" | "to">,
): ProviderCall {
  const { body: rules, upstreamModel: model } = call.route;
  const request = from.callers.readRequest(call.body, {
    headers: call.headers,
    // vLLM's word for it.
    continuesLast: rules.set.continue_final_message === true,
  });
  const keepsReasoning = !rules.drop.includes("reasoning_content");
  try {
    return {
      ...call,
      headers: undefined,
      body: to.upstreams.writeRequest(request, { keepsReasoning, model }),
      outputTokensCap: call.outputTokensCap ?? request.maxOutputTokens,
    };
  } catch (error) {
    throw error instanceof NotCarried ? notSupported(error, adviceOf(from, to)) : error;
  }
}

function adviceOf({ title, onRoutes }: Dialect, to: UpstreamDialect): string {
  const how = onRoutes === undefined ? "" : ` (${onRoutes})`;
  return `the upstream of this model offers ${to.title} only, which have nothing like it. Send the request without it, or to a model with a route that has ${title}${how}`;
}
