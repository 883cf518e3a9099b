/**
 * A conversation in one dialect over an upstream that speaks another: through the neutral form,
 * there and back.
 *
 * @module
 */

import type { Dialect } from "../dialects/base/dialect.ts";
import { EventQueue } from "../dialects/base/event_queue.ts";
import { NotCarried, notSupported } from "../dialects/turns/refusals.ts";
import type { AnswerParts, CallersForm, UpstreamsForm } from "../dialects/base/turns_format.ts";
import { ConvertedStream } from "./converted_stream.ts";
import type { Conversation, ProviderCall } from "./contract/provider.ts";

/** Both sides of a conversion. */
export interface Conversion {
  readonly from: Dialect & { readonly callers: CallersForm };
  readonly to: Dialect & { readonly upstreams: UpstreamsForm };
  readonly parts: AnswerParts;
}

/** The exchange in the caller's dialect; the one that it is given speaks the upstream's. */
export function convertedExchange(conversion: Conversion, upstream: Conversation): Conversation {
  const { from: { callers }, to: { upstreams }, parts } = conversion;
  return {
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
  const request = from.callers.readRequest(call.body);
  const keepsReasoning = !call.route.body.drop.includes("reasoning_content");
  try {
    return {
      ...call,
      body: to.upstreams.writeRequest(request, { keepsReasoning }),
      outputTokensCap: call.outputTokensCap ?? request.maxOutputTokens,
    };
  } catch (error) {
    throw error instanceof NotCarried ? notSupported(error, adviceOf(from, to)) : error;
  }
}

function adviceOf({ title, onRoutes }: Dialect, to: Dialect): string {
  const how = onRoutes === undefined ? "" : ` (${onRoutes})`;
  return `the upstream of this model offers ${to.title} only, which have nothing like it. Send the request without it, or to a model with a route that has ${title}${how}`;
}
