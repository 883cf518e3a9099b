/**
 * Who runs this command, in words for the audit log.
 *
 * @module
 */

import type { Surroundings } from "../../config/surroundings.ts";

/**
 * Such as `alice (uid 1000)`, `root (uid 0, sudo by alice)` or `uid 1000`: what the
 * environment says, so a claim; `undefined` when it says nothing.
 */
export function runningUser({ env, uid }: Pick<Surroundings, "env" | "uid">): string | undefined {
  const name = env.USER || env.LOGNAME || env.USERNAME;
  const details = [
    ...(uid === undefined ? [] : [`uid ${uid}`]),
    ...(env.SUDO_USER ? [`sudo by ${env.SUDO_USER}`] : []),
  ].join(", ");
  if (!name) return details || undefined;
  return details === "" ? name : `${name} (${details})`;
}
