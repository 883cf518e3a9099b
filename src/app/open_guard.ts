/**
 * The guard that the settings name.
 *
 * @module
 */

import type { SecretResult } from "../config/secrets.ts";
import { isWebhookSecret } from "../domain/webhook.ts";
import type { GuardSettings, Settings } from "../config/process_settings.ts";
import { Guard } from "../http/guard/guard.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import { GuardAddress } from "./guard_address.ts";
import type { Core } from "./open_core.ts";

/** Looks where it is; nobody waits for that: a resolver may take its time. */
export function watchGuard(
  { guard, videos }: Pick<Settings, "videos"> & { readonly guard?: GuardSettings | undefined },
  log: Pick<Log, "warn">,
): GuardAddress {
  const address = new GuardAddress();
  const { webhookPrivateAddresses: allowsPrivate } = videos;
  if (guard !== undefined) void address.look({ url: guard.url, allowsPrivate, log });
  return address;
}

/** Makes it. */
export function openGuard(
  settings: GuardSettings,
  {
    core: { transport, storage, admin, summaries },
    options: { videos, bodies, resolveSecret },
    log,
    metrics,
  }: {
    readonly core: Core;
    readonly options: Pick<Settings, "videos" | "bodies"> & {
      readonly resolveSecret: (reference: string) => SecretResult;
    };
    readonly log: Log;
    readonly metrics: Metrics | undefined;
  },
): Guard {
  return new Guard({
    ...settings,
    transport,
    secret: () =>
      settings.secret === undefined ? undefined : secretOf(settings.secret, resolveSecret),
    webhooks: storage.webhooks,
    summaries,
    clock: admin.clock,
    allowsPrivate: videos.webhookPrivateAddresses,
    maxBytes: bodies.maxJsonBytes,
    onFault: (requestId, fault) => {
      log.warn("guard_failed", { request_id: requestId, fault });
      metrics?.guardFaults.add();
    },
  });
}

/**
 * It was there and had its form at the start; another one that has not, as in the middle of being
 * written, makes the gateway's fault visible instead of an unsigned question.
 *
 * @throws {Error}
 */
function secretOf(
  reference: string,
  resolveSecret: (reference: string) => SecretResult,
): string {
  const result = resolveSecret(reference);
  if (!result.ok) throw new Error(`Cannot sign for the guard: ${result.message}`);
  if (isWebhookSecret(result.value)) return result.value;
  throw new Error(`Cannot sign for the guard: ${reference} is not 'whsec_' and base64`);
}
