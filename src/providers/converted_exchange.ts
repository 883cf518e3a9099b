/**
 * A conversation in one dialect over an upstream that speaks another: through the neutral form,
 * there and back.
 *
 * @module
 */

import type { Dialect, UpstreamDialect } from "../dialects/base/dialect.ts";
import { EventQueue } from "../dialects/base/event_queue.ts";
import type { AnswerSink } from "../dialects/turns/answer_sink.ts";
import { AnswerOfCall, asAnswerTool } from "../dialects/turns/answer_tool.ts";
import { asFunctions, CallersTools, type FunctionNames } from "../dialects/turns/as_functions.ts";
import { withoutTools } from "../dialects/turns/drop_tools.ts";
import type { Block } from "../dialects/turns/blocks.ts";
import type { TurnsRequest } from "../dialects/turns/turns_request.ts";
import { NotCarried, notSupported } from "../dialects/turns/refusals.ts";
import { matchesAny } from "../domain/name_patterns.ts";
import type {
  AnswerParts,
  AnswerReader,
  AnswerWriter,
  CallersForm,
} from "../dialects/base/turns_format.ts";
import type { Conversation, ProviderCall } from "./contract/provider.ts";
import type { AnswerEvent, AnswerRoom, AnswerStream } from "../dialects/base/answer.ts";
import { ThoughtSeals } from "../dialects/turns/thought_seals.ts";
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
  readonly parts: ConversionParts;
}

const OF_THIS_PROCESS = new ThoughtSeals(crypto.getRandomValues(new Uint8Array(32)));

/** What all conversions share. */
export interface ConversionParts extends Omit<AnswerParts, "seal" | "sealSummary"> {
  /** Absent: seals are believed for as long as this process lives. */
  readonly seals?: ThoughtSeals | undefined;
}

/**
 * The exchange in the caller's dialect, on the routes of the one that it is given, which speaks the
 * upstream's.
 */
export function convertedExchange(conversion: Conversion, upstream: Conversation): Conversation {
  const { from: { callers }, to: { upstreams }, parts: { seals = OF_THIS_PROCESS, ...shared } } =
    conversion;
  const partsOf = ({ route, sealSummary }: ProviderCall): AnswerParts => ({
    ...shared,
    sealSummary,
    seal: (seal) => seals.wrap(route.id, seal),
  });
  return {
    ...(upstream.isOn !== undefined && { isOn: upstream.isOn }),
    async answer(call, signal) {
      const { outcome: answer, ...made } = await ask(
        call,
        conversion,
        (converted) => upstream.answer(converted, signal),
      );
      const writer = callers.answerWriter(call.body, partsOf(call));
      const reader = upstreams.answerReader(sinkOf(writer, made));
      reader.addWhole(answer);
      reader.end();
      return { ...answer, body: writer.whole };
    },
    async stream(call, signal) {
      const { outcome: stream, ...made } = await ask(
        call,
        conversion,
        (converted) => upstream.stream(converted, signal),
      );
      const events = new EventQueue();
      const writer = callers.answerWriter(call.body, partsOf(call), events);
      const reader = upstreams.answerReader(sinkOf(writer, made));
      return new ConvertedStream(stream, { reader, events, room: call.room });
    },
  };
}

interface Asked<Outcome> extends ToolsMade {
  readonly outcome: Outcome;
}

/**
 * Asks, and once more without the sealed thoughts of earlier turns where the upstream cannot read
 * them: they are another model's or account's, or were altered on their way.
 */
async function ask<Outcome>(
  call: ProviderCall,
  conversion: Conversion,
  send: (converted: ProviderCall) => Promise<Outcome>,
): Promise<Asked<Outcome>> {
  const { call: converted, hasSeals, ...made } = convertCall(call, conversion);
  try {
    return { ...made, outcome: await send(converted) };
  } catch (error) {
    if (!hasSeals || !(error instanceof UpstreamError) || !isAboutSeals(error)) throw error;
  }
  // Without its thoughts a conversation may be asked with other tools: a model that thinks cannot be made to call.
  const { call: unsealed, names, answerTool } = convertCall(call, {
    ...conversion,
    leavesSealsOut: true,
  });
  return { names, ...(answerTool !== undefined && { answerTool }), outcome: await send(unsealed) };
}

function isAboutSeals({ failure, publicMessage }: UpstreamError): boolean {
  return failure === "caller" && /signature|\bthinking\b/i.test(publicMessage ?? "");
}

function sinkOf(writer: AnswerWriter, { names, answerTool }: ToolsMade): AnswerSink {
  const callers = names.size === 0 ? writer : new CallersTools(writer, names);
  return answerTool === undefined ? callers : new AnswerOfCall(callers, answerTool);
}

/** What the upstream's tools are to the caller. */
interface ToolsMade {
  /** The caller's tools, by the names that the upstream knows them by. */
  readonly names: FunctionNames;
  /** The one whose call is the answer; absent: none. */
  readonly answerTool?: string;
}

/** A call in the upstream's dialect. */
export interface ConvertedCall extends ToolsMade {
  readonly call: ProviderCall;
  /** Whether it gives thoughts back that the upstream itself, or one like it, has sealed. */
  readonly hasSeals: boolean;
}

/**
 * The call as the upstream's dialect has it. The output limit is the call's cap, so that it is
 * sent under the name that the upstream knows.
 *
 * @throws {UpstreamError} `caller` (400) for what that dialect cannot do, by name.
 */
export function convertCall(
  call: ProviderCall,
  { from, to, leavesSealsOut = false }: Pick<Conversion, "from" | "to"> & {
    readonly leavesSealsOut?: boolean;
  },
): ConvertedCall {
  const { body: rules, upstreamModel: model, supports } = call.route;
  const asked = from.callers.readRequest(call.body, {
    headers: call.headers,
    // vLLM's word for it.
    continuesLast: rules.set.continue_final_message === true,
  });
  const { dropTools } = rules;
  const { request: sealed, names } = asFunctions(
    dropTools === undefined ? asked : withoutTools(asked, (type) => matchesAny(dropTools, type)),
  );
  const hasSeals = sealed.turns.some(({ blocks }) => blocks.some(isSealedBy(to.name)));
  const unsealed = leavesSealsOut && hasSeals ? withoutSeals(sealed, to.name) : sealed;
  const isCall = to.upstreams.answersByCall?.(unsealed, { model, supports }) ?? false;
  const byCall = isCall ? asAnswerTool(unsealed) : undefined;
  const request = byCall?.request ?? unsealed;
  const keepsReasoning = !rules.drop.includes("reasoning_content");
  try {
    const body = to.upstreams.writeRequest(request, {
      keepsReasoning,
      model,
      supports,
      isNamed: (field) => field in rules.set || field in rules.default,
    });
    const outputTokensCap = call.outputTokensCap ?? request.maxOutputTokens;
    return {
      call: { ...call, headers: undefined, body, outputTokensCap },
      names,
      hasSeals,
      ...(byCall !== undefined && { answerTool: byCall.name }),
    };
  } catch (error) {
    throw error instanceof NotCarried ? notSupported(error, adviceOn(error, { from, to })) : error;
  }
}

function isSealedBy(dialect: string): (block: Block) => boolean {
  return (block) => block.type === "reasoning" && block.seal?.of === dialect;
}

function withoutSeals(request: TurnsRequest, dialect: string): TurnsRequest {
  const isSealed = isSealedBy(dialect);
  const turns = request.turns.map((turn) => ({
    ...turn,
    blocks: turn.blocks.filter((block) => !isSealed(block)),
  }));
  return { ...request, turns: turns.filter(({ blocks }) => blocks.length > 0) };
}

/** Where the caller has tools. */
const OF_TOOLS = /^(?:input\[\d+\]\.)?tools\[/;

function adviceOn(
  { param }: NotCarried,
  { from: { title, onRoutes }, to }: Pick<Conversion, "from" | "to">,
): string {
  const how = onRoutes === undefined ? "" : ` (${onRoutes})`;
  const orElse = OF_TOOLS.test(param)
    ? ". A route that names it in 'drop_tools' serves requests without it"
    : "";
  return `the upstream of this model offers ${to.title} only, which have nothing like it. Send the request without it, or to a model with a route that has ${title}${how}${orElse}`;
}
