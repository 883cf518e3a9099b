/**
 * What an empty data dir begins with, so that a first call needs no
 * configuration: the built-in provider, an unlimited project and a key.
 *
 * @module
 */

import { firstCatalogue } from "../catalog/first_catalogue.ts";
import type { AdminDeps } from "./deps.ts";
import { commitCatalogue } from "./commit_catalogue.ts";
import { commitChange } from "./commit_change.ts";
import { createKey } from "./keys.ts";

/** The project that is made. */
const PROJECT_ID = "default";

/** What was made. */
export interface FirstRun {
  readonly projectId: string;
  /** Told this once. */
  readonly key: string;
}

/**
 * Sets up an empty data dir; `undefined`, with nothing changed, when anything is
 * configured already or a file owns the catalogue.
 *
 * @throws {GatewayError} `storage_full`
 */
export async function setUpFirstRun(deps: AdminDeps): Promise<FirstRun | undefined> {
  const { catalogue } = deps.catalogue.current;
  const isEmpty = catalogue.providers.length === 0 && catalogue.models.length === 0 &&
    deps.directory.projects().length === 0;
  if (deps.catalogueOwner !== undefined || !isEmpty) return undefined;
  const now = deps.clock.now();
  const first = firstCatalogue({ nowSeconds: Math.floor(now / 1000) });
  await commitCatalogue(deps, {
    catalogue: first,
    entry: { kind: "write_catalogue", catalogue: first, at: now },
  });
  const project = {
    id: PROJECT_ID,
    unlimited: true,
    disabled: false,
    models: ["*"],
    limits: {},
    createdAt: now,
  };
  await commitChange(deps, { kind: "create_project", project });
  deps.directory.putProject(project);
  const { key } = await createKey.run(deps, { project: PROJECT_ID, name: "first key", limits: {} });
  return { projectId: PROJECT_ID, key };
}
