/**
 * Who watches the gateway, where the settings ask for it.
 *
 * @module
 */

import type { MetricsSettings, OtlpSettings } from "../config/process_settings.ts";
import type { Log } from "../telemetry/log.ts";
import type { Measuring } from "./measure.ts";
import type { Tracing } from "./trace_calls.ts";
import type { Alerts } from "./alerts/alerts.ts";
import { ErrorShare } from "./alerts/error_share.ts";

/** Who counts, traces and tells; absent: nobody does. */
export interface Watching {
  readonly measuring: Measuring | undefined;
  readonly tracing: Tracing | undefined;
  readonly alerting: Alerting;
}

/** What alerts hear of while the gateway works. */
export class Alerting {
  readonly errors = new ErrorShare();
  /** Absent until the gateway listens. */
  alerts: Alerts | undefined;
}

/** Loads and makes them. */
export async function openWatching(
  { metrics, otlp }: {
    readonly metrics?: MetricsSettings | undefined;
    readonly otlp?: OtlpSettings | undefined;
  },
  log: Log,
): Promise<Watching> {
  const measuring = metrics && new (await import("./measure.ts")).Measuring();
  const tracing = otlp && new (await import("./trace_calls.ts")).Tracing(otlp, {
    log,
    onDropped: (spans) => measuring?.metrics.spansDropped.add(spans),
  });
  return { measuring, tracing, alerting: new Alerting() };
}
