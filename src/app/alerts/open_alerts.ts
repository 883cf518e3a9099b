/**
 * Alerts of a gateway that listens: what they look at, and how they are sent. Wiring only.
 *
 * @module
 */

import { isAlertUrl } from "../../config/alert_fields.ts";
import type { AlertSettings } from "../../config/process_settings.ts";
import type { SecretResult } from "../../config/secrets.ts";
import { isSecretReference } from "../../domain/secret_uses.ts";
import { isWebhookSecret } from "../../domain/webhook.ts";
import type { Transport } from "../../providers/transport/contract.ts";
import type { Log } from "../../telemetry/log.ts";
import { accountTroubles } from "./account_troubles.ts";
import { openAlertFile } from "./alert_file.ts";
import { AlertOutbox, type AlertOutcome } from "./alert_outbox.ts";
import { Alerts } from "./alerts.ts";
import { endOfTrouble, type GatewaySources, gatewayTroubles } from "./gateway_troubles.ts";
import type { AccountDeps } from "./account_troubles.ts";
import type { AlertNotice } from "../../domain/alert.ts";

/** What is needed. */
export interface OpenAlertsOptions extends Omit<GatewaySources, "errorRatio" | "admin"> {
  readonly admin: AccountDeps & GatewaySources["admin"];
  readonly dataDir: string;
  readonly settings: AlertSettings;
  readonly transport: Transport;
  readonly allowsPrivate: boolean;
  readonly resolveSecret: (reference: string) => SecretResult;
  readonly gateway: () => string;
  readonly log: Log;
  readonly onNotice: (notice: AlertNotice) => void;
  readonly onTried: (outcome: AlertOutcome) => void;
}

/** Makes them; they look from their start on. */
export function openAlerts(options: OpenAlertsOptions): Alerts {
  const { admin, settings, log, resolveSecret } = options;
  const { clock } = admin;
  return new Alerts({
    settings,
    clock,
    log,
    onNotice: options.onNotice,
    file: openAlertFile(
      options.dataDir,
      (what, error) => log.warn(what, { message: String(error) }),
    ),
    look: async (markOf) => [
      ...gatewayTroubles({ ...options, errorRatio: settings.errorRatio }),
      ...await accountTroubles(admin, markOf),
    ],
    endOf: (trouble) => endOfTrouble(admin, trouble),
    openOutbox: (kept, onChange) =>
      new AlertOutbox({
        targets: settings.targets,
        urlOf: ({ url }) => isSecretReference(url) ? urlBehind(url, resolveSecret) : url,
        secret: () => secretOf(settings.secret, resolveSecret),
        allowsPrivate: options.allowsPrivate,
        gateway: options.gateway,
        transport: options.transport,
        clock,
        later(run, ms) {
          const timer = setTimeout(run, ms);
          return () => clearTimeout(timer);
        },
        onChange,
        onTried(outcome, target, why) {
          const fields = { target, error: why };
          if (outcome === "delivered") log.info("alert_delivered", fields);
          else log.warn(`alert_${outcome}`, fields);
          options.onTried(outcome);
        },
      }, kept),
  });
}

/** @throws {Error} Where there is none, or another text. */
function urlBehind(reference: string, resolve: (reference: string) => SecretResult): string {
  const found = resolve(reference);
  if (!found.ok) throw new Error(found.message);
  if (isAlertUrl(found.value)) return found.value;
  throw new Error(`${reference} is no http or https URL without a user name`);
}

/** @throws {Error} Where there is none, or another text: nothing is sent unsigned. */
function secretOf(
  reference: string | undefined,
  resolve: (reference: string) => SecretResult,
): string {
  if (reference === undefined) throw new Error("alert_secret is not set");
  const found = resolve(reference);
  if (!found.ok) throw new Error(found.message);
  if (isWebhookSecret(found.value)) return found.value;
  throw new Error(`${reference} is not 'whsec_' and base64`);
}
