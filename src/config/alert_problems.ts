/**
 * What is wrong with the settings of alerts together: what none of them shows alone.
 *
 * @module
 */

import type { Problem } from "../documents/problem.ts";
import { systemClock } from "../domain/clock.ts";
import { kindOfHost } from "../domain/public_address.ts";
import { isSecretReference } from "../domain/secret_uses.ts";
import { isWebhookSecret } from "../domain/webhook.ts";
import { type AlertTarget, isAlertUrl } from "./alert_fields.ts";
import type { Values } from "./process_settings.ts";
import { createSecretResolver } from "./secrets.ts";
import type { Surroundings } from "./surroundings.ts";

/** @param sources Where each value comes from. */
export function problemsOfAlerts(
  values: Partial<Values>,
  sources: Readonly<Record<string, string>>,
  { env, secretsAreElsewhere }: Surroundings,
): readonly Problem[] {
  const { alert_url: targets = [], alert_secret: secret } = values;
  const problems: Problem[] = [];
  const add = (path: "alert_url" | "alert_secret", message: string) =>
    problems.push({ source: sources[path]!, path, message });
  const resolver = createSecretResolver({ env, clock: systemClock });
  for (const target of targets) {
    if (secretsAreElsewhere === true && isSecretReference(target.url)) continue;
    const fault = faultOfTarget(target, {
      allowsPrivate: values.webhook_private_addresses === true,
      resolve: (reference) => resolver.resolve(reference),
    });
    if (fault !== undefined) add("alert_url", fault);
  }
  if (secret === undefined) {
    if (targets.some(({ form }) => form === "webhook")) add("alert_url", WITHOUT_SECRET);
    return problems;
  }
  if (secretsAreElsewhere === true) return problems;
  const found = resolver.resolve(secret);
  if (!found.ok) add("alert_secret", found.message);
  else if (!isWebhookSecret(found.value)) {
    add("alert_secret", `${secret} is not 'whsec_' and base64 of 24 to 64 bytes: ${MAKE_ONE}`);
  }
  return problems;
}

const MAKE_ONE = 'echo "whsec_$(openssl rand -base64 32)" makes one';
const WITHOUT_SECRET = "Nobody could tell an alert from anybody's message: give the secret that " +
  `signs it with --alert-secret (${MAKE_ONE}), or write slack= before the URL if it is Slack's`;

/** What keeps alerts from going there; `undefined` for nothing. The URL is not repeated: it may be a secret. */
function faultOfTarget({ url }: AlertTarget, { allowsPrivate, resolve }: {
  readonly allowsPrivate: boolean;
  readonly resolve: (reference: string) => ReturnType<
    ReturnType<typeof createSecretResolver>["resolve"]
  >;
}): string | undefined {
  let plain = url;
  if (isSecretReference(url)) {
    const found = resolve(url);
    if (!found.ok) return found.message;
    if (!isAlertUrl(found.value)) return `${url} is no http or https URL without a user name`;
    plain = found.value;
  }
  if (allowsPrivate || kindOfHost(new URL(plain).hostname) !== "private") return undefined;
  return "Leads to a loopback or private address, where no alert goes: set " +
    "webhook_private_addresses to true (--webhook-private-addresses true), which allows " +
    "callback_url and guard_url there as well";
}
