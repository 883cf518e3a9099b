/**
 * Administration by this process itself, as the audit log tells it.
 *
 * @module
 */

import type { AdminDeps } from "../admin/base/deps.ts";

/** The live state for what a file or the first run changes. */
export function ofChannel(admin: AdminDeps, channel: "catalogue_file" | "first_run"): AdminDeps {
  const { actor } = admin.origin;
  return { ...admin, origin: { ...admin.origin, actor: { ...actor, channel } } };
}
