/**
 * Makes what an empty data dir begins with: the built-in provider, an unlimited project and a key.
 *
 * @module
 */

import { compareCatalogues } from "../catalog/difference.ts";
import { firstCatalogue } from "../catalog/first_catalogue.ts";
import { auditedCatalogue, commitCatalogue } from "./catalogue/commit_catalogue.ts";
import type { AdminDeps } from "./base/deps.ts";
import { settingsOf } from "./accounts/account.ts";
import { KEYS, newKey } from "./accounts/keys.ts";
import { PROJECTS } from "./accounts/projects.ts";

/** What it is to the audit log. */
export const FIRST_RUN = { name: "first_run", changes: "project" } as const;

/** The project that is made. */
const PROJECT_ID = "default";

/** What was made. */
export interface FirstRun {
  readonly projectId: string;
  /** Told this once. */
  readonly key: string;
}

/**
 * Makes all of it in one step. Nothing else changes the data dir meanwhile.
 *
 * @throws {GatewayError} `storage_full`
 */
export async function makeFirstRun(deps: AdminDeps): Promise<FirstRun> {
  const { catalogue: before } = deps.catalogue.current;
  const projects = deps.directory.projects();
  const at = deps.clock.now();
  const catalogue = firstCatalogue({ nowSeconds: Math.floor(at / 1000) });
  const project = {
    id: PROJECT_ID,
    unlimited: true,
    disabled: false,
    models: ["*"],
    limits: {},
    budgets: {},
    quotas: {},
    createdAt: at,
  };
  const { key, stored } = newKey({
    projectId: PROJECT_ID,
    name: "first key",
    models: undefined,
    limits: {},
    budgets: {},
    expiresAt: undefined,
    disabled: false,
    createdAt: at,
  });
  const { after } = auditedCatalogue(compareCatalogues(before, catalogue), {
    before: { catalogue: before, projects },
    after: { catalogue, projects: [project] },
  });
  await commitCatalogue({ ...deps, act: FIRST_RUN }, {
    catalogue,
    change: {
      id: PROJECT_ID,
      after: {
        ...after,
        [`project ${PROJECT_ID}`]: settingsOf(deps, PROJECTS, project),
        [`key ${stored.id}`]: settingsOf(deps, KEYS, stored),
      },
      entries: [
        { kind: "write_catalogue", catalogue, at },
        { kind: "create_project", project },
        { kind: "create_key", key: stored },
      ],
      put() {
        PROJECTS.put(deps, project);
        KEYS.put(deps, stored);
      },
    },
  });
  return { projectId: PROJECT_ID, key };
}
