/**
 * The guard that the settings name.
 *
 * @module
 */

import type { GuardSettings, Settings } from "../config/process_settings.ts";
import { Guard } from "../http/guard/guard.ts";
import type { Log } from "../telemetry/log.ts";
import type { Core } from "./open_core.ts";

/** Makes it. */
export function openGuard(
  settings: GuardSettings,
  { core: { transport, storage, admin }, options: { videos, bodies }, log }: {
    readonly core: Core;
    readonly options: Pick<Settings, "videos" | "bodies">;
    readonly log: Log;
  },
): Guard {
  return new Guard({
    ...settings,
    transport,
    webhooks: storage.webhooks,
    clock: admin.clock,
    allowsPrivate: videos.webhookPrivateAddresses,
    maxBytes: bodies.maxJsonBytes,
    onFault: (requestId, fault) => log.warn("guard_failed", { request_id: requestId, fault }),
  });
}
