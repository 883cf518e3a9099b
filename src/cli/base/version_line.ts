/**
 * Which program this is, in a line.
 *
 * @module
 */

import { VERSION } from "../../version.ts";

/** Such as `tollgate 0.1.0 (executable, Deno 2.9.6)`. */
export function versionLine(): string {
  const form = Deno.build.standalone ? "executable" : "from source";
  return `tollgate ${VERSION} (${form}, Deno ${Deno.version.deno})`;
}
