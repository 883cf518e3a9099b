/**
 * The kinds of changes that the audit log tells of.
 *
 * @module
 */

import { didYouMean } from "../documents/did_you_mean.ts";

/** Names of operations that change something, and of what an empty data dir begins with. */
export const AUDITED_OPERATIONS: readonly string[] = [
  "calls.archive",
  "catalogue.apply",
  "first_run",
  "keys.create",
  "keys.delete",
  "keys.disable",
  "keys.enable",
  "keys.resume",
  "keys.set",
  "models.delete",
  "models.set",
  "projects.create",
  "projects.credit",
  "projects.disable",
  "projects.enable",
  "projects.resume",
  "projects.set",
  "projects.webhook_secret",
  "providers.delete",
  "providers.set",
  "routes.delete",
  "routes.disable",
  "routes.enable",
  "routes.maintenance",
  "routes.set",
  "videos.delete",
];

/** What to write in the place of a name that no change has. */
export function describeUnknownOperation(name: string): string {
  const near = didYouMean(name, AUDITED_OPERATIONS);
  const hint = near === undefined ? "" : `did you mean '${near}'? `;
  return `No change is called '${name}': ${hint}There are ${AUDITED_OPERATIONS.join(", ")}`;
}
