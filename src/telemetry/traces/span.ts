/**
 * A span, as OTLP has it in JSON (opentelemetry-proto, trace/v1; JSON mapping of Protobuf: 64-bit
 * numbers are texts, ids hexadecimal).
 *
 * @module
 */

/** What a span says of itself; absent values are left out. */
export type Attributes = {
  readonly [name: string]: string | number | boolean | undefined;
};

/** `SpanKind` of the protocol. */
export const SPAN_KINDS = { internal: 1, server: 2, client: 3 } as const;

/** A span that is over. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly traceState: string | undefined;
  readonly name: string;
  readonly kind: keyof typeof SPAN_KINDS;
  /** Milliseconds since the epoch, with fractions. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  /** What went wrong, in a word; absent: nothing. */
  readonly error?: string | undefined;
}

/** `StatusCode` of the protocol. */
const STATUS_ERROR = 2;

/** The body of one `ExportTraceServiceRequest`. */
export function writeSpans(spans: readonly Span[], resource: Attributes): string {
  return JSON.stringify({
    resourceSpans: [{
      resource: { attributes: keyValues(resource) },
      scopeSpans: [{ scope: { name: "tollgate" }, spans: spans.map(spanBody) }],
    }],
  });
}

function spanBody(span: Span) {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.traceState !== undefined && { traceState: span.traceState }),
    ...(span.parentSpanId !== undefined && { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: SPAN_KINDS[span.kind],
    startTimeUnixNano: nanoseconds(span.startMs),
    endTimeUnixNano: nanoseconds(span.endMs),
    attributes: keyValues(span.attributes),
    status: span.error === undefined ? {} : { code: STATUS_ERROR, message: span.error },
  };
}

function keyValues(attributes: Attributes) {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }]
  );
}

function anyValue(value: string | number | boolean) {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

function nanoseconds(milliseconds: number): string {
  return String(BigInt(Math.round(milliseconds * 1_000)) * 1_000n);
}
