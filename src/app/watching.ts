/**
 * Who watches the gateway, where the settings ask for it.
 *
 * @module
 */

import type { MetricsSettings, OtlpSettings } from "../config/process_settings.ts";
import type { Log } from "../telemetry/log.ts";
import { Measuring } from "./measure.ts";
import { Tracing } from "./trace_calls.ts";

/** Who counts and who traces; absent: nobody does. */
export interface Watching {
  readonly measuring: Measuring | undefined;
  readonly tracing: Tracing | undefined;
}

/** Makes them. */
export function openWatching(
  { metrics, otlp }: {
    readonly metrics?: MetricsSettings | undefined;
    readonly otlp?: OtlpSettings | undefined;
  },
  log: Log,
): Watching {
  const measuring = metrics && new Measuring();
  const tracing = otlp && new Tracing(otlp, {
    log,
    onDropped: (spans) => measuring?.metrics.spansDropped.add(spans),
  });
  return { measuring, tracing };
}
