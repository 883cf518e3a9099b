/**
 * The executable under test as a later version of it: all there is, but for the number.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { VERSION } from "../../src/version.ts";
import { writeExecutable } from "./executable_files.ts";
import { damageStartCaches } from "./start_caches.ts";

/** A version that comes after every one that there is. */
export const LATER_VERSION = "9.0.0";

/** Writes the executable at `from` to `to`, as version {@linkcode LATER_VERSION}. */
export async function writeLaterExecutable(from: string, to: string): Promise<void> {
  assert.equal(VERSION.length, LATER_VERSION.length, "no byte may move");
  const bytes = Buffer.from(await Deno.readFile(from));
  // As the bundle has it, which lies in the executable as it is where starts need it.
  const before = (version: string) => `name: "@tollgate/tollgate",\n  version: "${version}"`;
  let found = 0;
  for (
    let at = bytes.indexOf(before(VERSION));
    at >= 0;
    at = bytes.indexOf(before(VERSION), at + 1)
  ) {
    bytes.write(before(LATER_VERSION), at);
    found++;
  }
  assert.ok(found > 0, "the executable has its version elsewhere");
  // What is compiled already has the version in it, too.
  damageStartCaches(bytes);
  await writeExecutable(to, bytes);
}
