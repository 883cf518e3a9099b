/**
 * Counts what the gateway does, where the settings ask for metrics: hands the records that the log
 * has to {@linkcode Metrics} too.
 *
 * @module
 */

import type { MetricsSettings } from "../config/process_settings.ts";
import type { CallResult, ClosedCall } from "../domain/call.ts";
import type { FailedAttempt } from "../gateway/attempt_loop.ts";
import type { MetricsAccess } from "../http/context/api_deps.ts";
import { EXPOSITION_TYPES, writeMetrics } from "../telemetry/metrics/exposition.ts";
import { Metrics } from "../telemetry/metrics/metrics.ts";
import type { RunnerEvent } from "../videos/task/runner_event.ts";
import type { WebhookTry } from "../videos/tell/webhook_sender.ts";
import { type GaugeSources, readGauges } from "./gauges.ts";

/** Between two looks at how late timers of the main thread are. */
const LOOP_LOOK_MS = 500;

/** As if the end of a film were the answer to a call. */
const FILM_STATUS: { readonly [result in CallResult]: number } = {
  completed: 200,
  client_aborted: 499,
  refused: 400,
  upstream_failed: 502,
  gateway_stopped: 503,
};

export class Measuring {
  readonly metrics: Metrics;
  #sources: GaugeSources | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    const current = () => this.#sources?.core.admin.catalogue.current;
    this.metrics = new Metrics({
      modelOfRoute: (route) => current()?.route(route)?.modelId,
      hasModel: (model) => current()?.model(model)?.id === model,
    });
  }

  /** Begins, once there is something to look at. */
  begin(sources: GaugeSources): void {
    this.#sources = sources;
    const { core } = sources;
    core.admin.catalogue.subscribe(() => this.metrics.calls.retain());
    core.book.subscribe((before, after) => {
      if (before === undefined || before.status === after?.status) return;
      if (after === undefined) this.metrics.films.add("deleted");
      else if (after.status === "completed" || after.status === "failed") {
        this.metrics.films.add(after.status);
      }
    });
    const { clock } = core.admin;
    let last = clock.monotonic();
    this.#timer = setInterval(() => {
      const now = clock.monotonic();
      this.metrics.loopDelay.observe(Math.max(0, now - last - LOOP_LOOK_MS) / 1_000);
      last = now;
    }, LOOP_LOOK_MS);
  }

  /** What serves them. */
  access({ listen, token }: MetricsSettings): MetricsAccess {
    return {
      isBesideApi: listen === undefined,
      token,
      page: {
        read: (format) => ({ text: this.#write(format), type: EXPOSITION_TYPES[format] }),
      },
    };
  }

  /** The call of a film is over. */
  filmCall(call: ClosedCall): void {
    const milliseconds = call.closedAt - call.openedAt;
    this.metrics.call({ call, status: FILM_STATUS[call.result], milliseconds });
  }

  /** An attempt has failed. */
  attemptFailed({ route, capability, error }: FailedAttempt): void {
    const place = {
      model: route.modelId,
      provider: route.providerId,
      route: route.id,
      capability,
    };
    this.metrics.calls.failed(place, error.failure);
  }

  /** Something has happened to a film. */
  filmEvent(event: RunnerEvent): void {
    this.metrics.filmEvents.add(event.kind);
  }

  /** A webhook was sent, or could not be. */
  webhookTried(outcome: WebhookTry["outcome"]): void {
    this.metrics.webhooks.add(outcome);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #write(format: keyof typeof EXPOSITION_TYPES): string {
    const sources = this.#sources!;
    const { currency } = sources.core.admin.catalogue.current.catalogue;
    return writeMetrics([...this.metrics.readings(currency), ...readGauges(sources)], format);
  }
}
