// deno-lint-ignore-file no-console -- a task talks to the person who ran it

/**
 * `deno task compile`: builds `dist/tollgate` and says what it is.
 *
 * @module
 */

import { buildExecutable } from "./executable.ts";

try {
  const executable = await buildExecutable({ force: true, log: (line) => console.error(line) });
  console.log(`${executable.path}
version  ${executable.version}
runtime  Deno ${executable.runtime}
size     ${(executable.bytes / 1e6).toFixed(1)} MB
sha256   ${executable.sha256}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  Deno.exitCode = 1;
}
