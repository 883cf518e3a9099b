/**
 * Makes the spans of calls, by OpenTelemetry's conventions for GenAI: one for the call, one for each
 * attempt on a route, one for settling it. They carry no key, prompt or answer.
 *
 * @module
 */

import type { Capability } from "../../domain/capabilities.ts";
import type { Clock, Random } from "../../domain/clock.ts";
import type { Route } from "../../domain/catalogue.ts";
import { formatAmount } from "../../domain/money.ts";
import type { UpstreamError } from "../../domain/upstream_error.ts";
import { completionTokens, promptTokens } from "../../domain/work.ts";
import type { CallRecord } from "../../metering/call_record.ts";
import type { CallTrace, TracedCall } from "../../metering/call_trace.ts";
import type { Attributes, Span } from "./span.ts";
import {
  newSpanId,
  newTrace,
  readTraceContext,
  type TraceContext,
  writeTraceParent,
} from "./trace_context.ts";

/** What a tracer needs. */
export interface TracerOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The share of traces that begin here and are told, 0 to 1; others follow who began them. */
  readonly ratio: number;
  readonly onSpan: (span: Span) => void;
}

/** `gen_ai.operation.name` of what has a well-known one; of all others it is the capability. */
const OPERATIONS: { readonly [name in Capability]?: string } = {
  responses: "chat",
  messages: "chat",
  completions: "text_completion",
};

export class Tracer {
  readonly #options: TracerOptions;
  /** Traces that requests came with, by what is noted of each. */
  readonly #arrived = new WeakMap<object, TraceContext>();
  readonly #sent = new WeakMap<AbortSignal, Readonly<Record<string, string>>>();

  constructor(options: TracerOptions) {
    this.#options = options;
  }

  /** Reads what a request came with. */
  arrive(note: object, parent: string | null, state: string | null): void {
    const context = parent === null ? undefined : readTraceContext(parent, state);
    if (context !== undefined) this.#arrived.set(note, context);
  }

  /** What a request to an upstream says of its trace, by the signal that it is made with. */
  headersFor(signal: AbortSignal): Readonly<Record<string, string>> | undefined {
    return this.#sent.get(signal);
  }

  /** Begins the trace of a call. */
  trace(call: TracedCall): CallTrace {
    const { ratio, random } = this.#options;
    const context = this.#arrived.get(call.note) ?? newTrace(ratio, random);
    return new Trace(call, context, {
      ...this.#options,
      send: (spanId) =>
        this.#sent.set(call.upstreamSignal, {
          traceparent: writeTraceParent(context, spanId),
          ...(context.state !== undefined && { tracestate: context.state }),
        }),
    });
  }
}

/** A span that is not over. */
interface OpenSpan extends Pick<Span, "spanId" | "name" | "kind" | "attributes"> {
  readonly startedAt: number;
}

interface TraceOptions extends TracerOptions {
  /** Has requests to upstreams name this span as theirs. */
  readonly send: (spanId: string) => void;
}

class Trace implements CallTrace {
  readonly #call: TracedCall;
  readonly #context: TraceContext;
  readonly #options: TraceOptions;
  readonly #spanId = newSpanId();
  #attempt: OpenSpan | undefined;
  #settling: OpenSpan | undefined;

  constructor(call: TracedCall, context: TraceContext, options: TraceOptions) {
    this.#call = call;
    this.#context = context;
    this.#options = options;
  }

  attempt(route: Route): void {
    const operation = this.#operation();
    this.#attempt = this.#open("client", `${operation} ${route.upstreamModel}`, {
      "gen_ai.operation.name": operation,
      "gen_ai.provider.name": route.providerId,
      "gen_ai.request.model": route.upstreamModel,
      "tollgate.route": route.id,
    });
    this.#options.send(this.#attempt.spanId);
  }

  attemptFailed({ failure, status }: UpstreamError): void {
    this.#end(this.#attempt, { "http.response.status_code": status }, failure);
    this.#attempt = undefined;
  }

  settling(): void {
    this.#end(this.#attempt, {});
    this.#attempt = undefined;
    this.#settling = this.#open("internal", "settle", {});
  }

  ended({ call, status }: CallRecord): void {
    this.#end(this.#settling, { "tollgate.state": call.state });
    const operation = this.#operation();
    const attributes = {
      "gen_ai.operation.name": operation,
      "gen_ai.request.model": call.model,
      "gen_ai.provider.name": call.provider,
      "gen_ai.usage.input_tokens": promptTokens(call.work),
      "gen_ai.usage.output_tokens": completionTokens(call.work),
      "http.response.status_code": status,
      "tollgate.request_id": call.requestId,
      "tollgate.project": call.projectId,
      "tollgate.capability": call.capability,
      "tollgate.route": call.route,
      "tollgate.stream": call.stream,
      "tollgate.attempts": call.attempts,
      "tollgate.result": call.result,
      "tollgate.usage_source": call.usageSource,
      "tollgate.first_byte_ms": call.firstByteMs,
      "tollgate.cost": formatAmount(call.costE8),
      "tollgate.charged": formatAmount(call.chargedE8),
    };
    const isWrong = call.errorCode !== undefined || call.result !== "completed";
    this.#endCall(
      `${operation} ${call.model}`,
      attributes,
      isWrong ? call.errorCode ?? call.result : undefined,
    );
  }

  broken(): void {
    this.#end(this.#attempt, {});
    this.#end(this.#settling, {}, "internal_error");
    const { requestId, projectId } = this.#call;
    const attributes = { "tollgate.request_id": requestId, "tollgate.project": projectId };
    this.#endCall(this.#operation(), attributes, "internal_error");
  }

  #endCall(name: string, attributes: Attributes, error: string | undefined): void {
    const startedAt = this.#call.arrivedAt;
    this.#end({ spanId: this.#spanId, startedAt, name, kind: "server", attributes }, {}, error);
  }

  #open(kind: Span["kind"], name: string, attributes: Attributes): OpenSpan {
    return {
      spanId: newSpanId(),
      startedAt: this.#options.clock.monotonic(),
      kind,
      name,
      attributes,
    };
  }

  #end(open: OpenSpan | undefined, more: Attributes, error?: string): void {
    if (open === undefined || !this.#context.isSampled) return;
    const { clock, onSpan } = this.#options;
    const { spanId, name, kind, startedAt, attributes } = open;
    const now = clock.monotonic();
    const endMs = clock.now();
    onSpan({
      ...{ spanId, name, kind, error },
      traceId: this.#context.traceId,
      traceState: this.#context.state,
      parentSpanId: spanId === this.#spanId ? this.#context.parentId : this.#spanId,
      startMs: endMs - (now - startedAt),
      endMs,
      attributes: { ...attributes, ...more, ...(error !== undefined && { "error.type": error }) },
    });
  }

  #operation(): string {
    const { capability } = this.#call;
    return OPERATIONS[capability] ?? capability;
  }
}
