/**
 * What an empty data dir begins with, so that a first call needs no configuration.
 *
 * @module
 */

import { oneAtATime } from "./base/commit_change.ts";
import type { AdminDeps } from "./base/deps.ts";
import type { FirstRun } from "./make_first_run.ts";

export type { FirstRun } from "./make_first_run.ts";

/**
 * Sets up an empty data dir, all in one step; `undefined`, with nothing changed,
 * when anything is configured already or a file owns the catalogue.
 *
 * @throws {GatewayError} `storage_full`
 */
export function setUpFirstRun(deps: AdminDeps): Promise<FirstRun | undefined> {
  return oneAtATime(deps, async (deps) => {
    if (deps.catalogueOwner !== undefined || !isEmpty(deps)) return undefined;
    const { makeFirstRun } = await import("./make_first_run.ts");
    return await makeFirstRun(deps);
  });
}

function isEmpty({ catalogue, directory }: AdminDeps): boolean {
  const { providers, models } = catalogue.current.catalogue;
  return providers.length === 0 && models.length === 0 && directory.projects().length === 0;
}
