/**
 * Traces calls, where the settings name a collector: spans go to it as OTLP over HTTP, in JSON.
 *
 * @module
 */

import type { OtlpSettings } from "../config/process_settings.ts";
import { systemClock } from "../domain/clock.ts";
import { asObject } from "../domain/json_value.ts";
import type { Transport } from "../providers/transport/contract.ts";
import type { Log } from "../telemetry/log.ts";
import { type Span, writeSpans } from "../telemetry/traces/span.ts";
import { type Sent, SpanQueue } from "../telemetry/traces/span_queue.ts";
import { Tracer } from "../telemetry/traces/tracer.ts";
import { VERSION } from "../version.ts";

const TIMEOUTS = { connectMs: 5_000, firstByteMs: 10_000, idleMs: 10_000, totalMs: 10_000 };
/** What a collector answers is short. */
const MOST_BYTES = 64 * 1024;
/** What may be tried again (OTLP 1.x, "Retryable Response Codes"). */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** What the last spans may take at the end. */
const LAST_MS = 3_000;
/** Dropped spans are told of in the log at most so often. */
const TELL_MS = 60_000;

/** What traces need besides their settings. */
export interface TracingOptions {
  readonly log: Pick<Log, "warn">;
  /** Told of spans that nobody gets. */
  readonly onDropped: (spans: number) => void;
}

export class Tracing {
  readonly tracer: Tracer;
  readonly #settings: OtlpSettings;
  readonly #options: TracingOptions;
  readonly #queue: SpanQueue;
  #transport: Transport | undefined;
  readonly #instance = crypto.randomUUID();
  #dropped = 0;
  #toldAt = -Infinity;

  constructor(settings: OtlpSettings, options: TracingOptions) {
    this.#settings = settings;
    this.#options = options;
    this.#queue = new SpanQueue({
      send: (spans, signal) => this.#send(spans, signal),
      onDropped: (spans, why) => this.#tellDropped(spans, why),
      later(run, ms) {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
    });
    this.tracer = new Tracer({
      clock: systemClock,
      random: Math.random,
      ratio: settings.ratio,
      onSpan: (span) => this.#queue.add(span),
    });
  }

  /** The transport whose requests say which trace they are of. What the operator has set stays. */
  through(transport: Transport): Transport {
    this.#transport = transport;
    return {
      request: (request, signal) => {
        const own = this.tracer.headersFor(signal);
        if (own === undefined) return transport.request(request, signal);
        return transport.request({ ...request, headers: { ...own, ...request.headers } }, signal);
      },
      close: () => transport.close(),
    };
  }

  /** Sends the last ones. */
  async stop(): Promise<void> {
    await this.#queue.stop(LAST_MS);
    this.#tell();
  }

  async #send(spans: readonly Span[], signal: AbortSignal): Promise<Sent> {
    const { url, headers } = this.#settings;
    try {
      const response = await this.#transport!.request({
        method: "POST",
        url: `${url}/v1/traces`,
        headers: { ...headers, "content-type": "application/json", "user-agent": "tollgate" },
        body: writeSpans(spans, {
          "service.name": "tollgate",
          "service.version": VERSION,
          "service.instance.id": this.#instance,
        }),
        timeouts: TIMEOUTS,
        peer: "The collector of traces",
        stream: false,
      }, signal);
      const text = await response.text(MOST_BYTES);
      if (response.status === 200) return { outcome: "taken", rejected: rejectedIn(text) };
      const why = `the collector answered ${response.status}`;
      return RETRYABLE.has(response.status)
        ? { outcome: "again", why }
        : { outcome: "refused", why };
    } catch (error) {
      return { outcome: "again", why: error instanceof Error ? error.message : String(error) };
    }
  }

  #tellDropped(spans: number, why: string): void {
    this.#dropped += spans;
    this.#options.onDropped(spans);
    this.#tell(why);
  }

  #tell(why?: string): void {
    const now = systemClock.monotonic();
    if (this.#dropped === 0 || (why !== undefined && now - this.#toldAt < TELL_MS)) return;
    this.#options.log.warn("spans_dropped", { spans: this.#dropped, why });
    this.#dropped = 0;
    this.#toldAt = now;
  }
}

/** `ExportTracePartialSuccess`; a collector that says nothing of the kind has taken all. */
function rejectedIn(text: string): number {
  try {
    const partial = asObject(asObject(JSON.parse(text))?.partialSuccess);
    const rejected = Number(partial?.rejectedSpans ?? 0);
    return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0;
  } catch (error) {
    if (error instanceof SyntaxError) return 0;
    throw error;
  }
}
