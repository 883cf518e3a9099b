/**
 * Which vendors this machine can call as it is.
 *
 * @module
 */

import { PRESETS } from "../../vendors/presets.ts";
import { answersAt } from "../base/control_client.ts";

/** A vendor that was found, and by what. */
export interface FoundVendor {
  readonly vendor: string;
  readonly by: string;
}

/** Where Ollama listens unless it is told otherwise. */
const OLLAMA = { hostname: "127.0.0.1", port: 11_434 };

/**
 * Vendors whose usual variable has a value and that want nothing else, and Ollama where something
 * listens at its port.
 */
export async function findVendors(
  env: Readonly<Record<string, string | undefined>>,
  listens: (address: typeof OLLAMA) => Promise<boolean> = answersAt,
): Promise<readonly FoundVendor[]> {
  const found: FoundVendor[] = PRESETS.flatMap(({ vendor, key, asks = [] }) =>
    key !== undefined && asks.length === 0 && (env[key] ?? "") !== ""
      ? [{ vendor, by: `variable ${key}` }]
      : []
  );
  if (await listens(OLLAMA)) {
    found.push({ vendor: "ollama", by: `${OLLAMA.hostname}:${OLLAMA.port}` });
  }
  return found;
}
