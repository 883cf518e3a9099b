/**
 * Warns of providers whose keys have nothing behind them, as long as nobody has called.
 *
 * @module
 */

import type { Provider } from "../domain/catalogue.ts";
import type { AdminDeps } from "./deps.ts";

/**
 * One line for each key that the running server has no value for. Elsewhere nothing is said: a
 * command's environment tells nothing of the one that a server is started with.
 */
export function secretWarnings(
  { process, system }: Pick<AdminDeps, "process" | "system">,
  providers: readonly Pick<Provider, "id" | "apiKeys">[],
): readonly string[] {
  if (process.kind !== "server") return [];
  return providers.flatMap(({ id, apiKeys }) =>
    apiKeys.filter((reference) => !system.hasSecret(reference)).map((reference) =>
      `The server has no value for ${reference}, a key of provider ${id}: ${remedy(reference)}`
    )
  );
}

function remedy(reference: string): string {
  return reference.startsWith("env:")
    ? "set the variable where it is started, and restart it"
    : "see `tollgate doctor`";
}
