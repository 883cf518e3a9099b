/**
 * What is compiled of the program's scripts already, in an executable.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Buffer } from "node:buffer";
import { CACHE_HEADER_BYTES } from "../../build/scripts/cache_header.ts";

const HEADER = "tollgate start cache ";

/** Damages each of them in the bytes of an executable, behind where the engine would see it. */
export function damageStartCaches(executable: Buffer): void {
  let found = 0;
  for (let at = executable.indexOf(HEADER); at >= 0; at = executable.indexOf(HEADER, at + 1)) {
    // The loader has the text as well, with something else after it.
    if (!/^[0-9a-f]{8} +\n$/.test(headerRest(executable, at))) continue;
    const inside = at + CACHE_HEADER_BYTES + 1000;
    executable[inside] = executable[inside]! ^ 0xff;
    found++;
  }
  assert.ok(found > 0, "the executable has no start caches");
}

function headerRest(executable: Buffer, at: number): string {
  return executable.toString("utf8", at + HEADER.length, at + CACHE_HEADER_BYTES);
}
