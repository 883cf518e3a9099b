/**
 * Alerts of a gateway that listens, joined to what it is made of. Wiring only.
 *
 * @module
 */

import type { AlertSettings } from "../config/process_settings.ts";
import { ALERT_CAUSES } from "../domain/alert.ts";
import type { Alerts } from "./alerts/alerts.ts";
import { openAlerts, type OpenAlertsOptions } from "./alerts/open_alerts.ts";
import type { Core } from "./open_core.ts";
import type { GatewayOptions } from "./running_gateway.ts";
import type { Watching } from "./watching.ts";

/** Nobody is told; what is the matter is known all the same. */
const NOBODY: AlertSettings = {
  targets: [],
  secret: undefined,
  causes: ALERT_CAUSES,
  quiet: undefined,
  errorRatio: 0.25,
};

/** Makes those of a gateway, which hear of its calls from now on. */
export function openAlerting(
  { admin, health, dataDir, transport }: Pick<Core, "admin" | "health" | "dataDir" | "transport">,
  { alerts = NOBODY, videos, resolveSecret, keptSecrets = () => [] }: Pick<
    GatewayOptions,
    "alerts" | "videos" | "resolveSecret" | "keptSecrets"
  >,
  { measuring, alerting, ...beside }:
    & Pick<Watching, "measuring" | "alerting">
    & Pick<
      OpenAlertsOptions,
      "gateway" | "damage" | "backupTrouble" | "backupFolder" | "catalogueTrouble" | "log"
    >,
): Alerts {
  const opened = openAlerts({
    ...{ admin, health, dataDir, transport, resolveSecret, keptSecrets },
    ...beside,
    errors: alerting.errors,
    settings: alerts,
    allowsPrivate: videos.webhookPrivateAddresses,
    onNotice({ type, trouble }) {
      if (type === "raised") measuring?.metrics.alertsRaised.add(trouble.cause);
    },
    onTried: (outcome) => measuring?.metrics.alertTries.add(outcome),
  });
  alerting.alerts = opened;
  return opened;
}
