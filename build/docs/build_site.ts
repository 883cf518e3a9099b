// deno-lint-ignore-file no-console -- a task talks to the person who waits for it

/**
 * `deno task docs:site`: builds dist/site from the documents.
 *
 * @module
 */

import { buildSite } from "./site.ts";

console.log(await buildSite({ log: (line) => console.error(line) }));
