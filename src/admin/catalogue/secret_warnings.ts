/**
 * Warns of providers whose secrets have nothing behind them, as long as nobody has called.
 *
 * @module
 */

import type { Provider } from "../../domain/catalogue.ts";
import { type SecretUse, secretUses } from "../../domain/secret_uses.ts";
import type { AdminDeps } from "../base/deps.ts";

/** A reference that the running server has no value for. */
export interface MissingSecret extends SecretUse {
  /** What is missing and what to do, in a line without a value. */
  readonly warning: string;
}

/**
 * The references that the running server has no value for. Of another process nothing is said: a
 * command's environment tells nothing of the one that a server is started with.
 */
export function missingSecrets(
  { process, system }: Pick<AdminDeps, "process" | "system">,
  providers: readonly Provider[],
): readonly MissingSecret[] {
  if (process.kind !== "server") return [];
  return providers.flatMap(secretUses).flatMap((use) => {
    const why = system.secretTrouble(use.reference);
    return why === undefined ? [] : [{ ...use, warning: secretWarning(use, why) }];
  });
}

/**
 * What whoever applies a file is told: each reference of the providers that the change is about, and
 * of all others how many there are.
 *
 * @param touched Ids of those providers.
 */
export function warnOfMissing(
  deps: Pick<AdminDeps, "process" | "system">,
  providers: readonly Provider[],
  touched: ReadonlySet<string>,
): readonly string[] {
  const missing = missingSecrets(deps, providers);
  const told = missing.filter(({ provider }) => touched.has(provider));
  const warnings = told.map(({ warning }) => warning);
  const old = missing.length - told.length;
  if (old === 0) return warnings;
  const words = old === 1 ? "a secret that was" : `${old} secrets that were`;
  return [
    ...warnings,
    `The server has no value for ${words} missing before: \`tollgate doctor\` says which`,
  ];
}

/**
 * What anybody may be told of them: whose they are. How they are called and where they stand is
 * for those who administer the gateway.
 */
export function publicWarnings(missing: readonly Pick<SecretUse, "provider">[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { provider } of missing) counts.set(provider, (counts.get(provider) ?? 0) + 1);
  return [...counts].map(([provider, count]) =>
    `The server has no value for ${
      count === 1 ? "a secret" : `${count} secrets`
    } of provider ${provider}: \`tollgate doctor\` says which`
  );
}

/** What is missing at the server, and what to do about it. */
export function secretWarning(use: SecretUse, why: string): string {
  return `${missingWords(use)}: ${missingRemedy(use, why)}`;
}

/** What is missing at the server. */
export function missingWords({ reference, part, provider }: SecretUse): string {
  return `The server has no value for ${reference}, ${part} of provider ${provider}`;
}

/**
 * What to do about a reference that the server has no value for.
 *
 * @param why What is the matter, where that is known; else empty.
 */
export function missingRemedy({ reference }: SecretUse, why: string): string {
  // That there is no value has been said; that there is one of no use has not.
  const trouble = why === "" || why.startsWith(`${reference} has no value`) ? "" : ` (${why})`;
  // What is set elsewhere does not reach a process that runs.
  if (reference.startsWith("env:")) {
    return `set the variable where the server is started, and restart it${trouble}`;
  }
  // systemd fills the folder of credentials when it starts a service, and then no more.
  if (reference.startsWith("credential:")) {
    return `name it to service install with --credential, and restart the server${trouble}`;
  }
  return `let the user that the server runs as read it, and send the server SIGHUP${trouble}`;
}
