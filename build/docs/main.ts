// deno-lint-ignore-file no-console -- a task talks to the person who waits for it

/**
 * `deno task docs`: writes the reference anew.
 *
 * @module
 */

import { ROOT } from "../paths.ts";
import { REFERENCE_FOLDER, referencePages } from "./reference_pages.ts";

const folder = `${ROOT}/${REFERENCE_FOLDER}`;
const pages = await referencePages();
await Deno.mkdir(folder, { recursive: true });
for (const { name } of [...Deno.readDirSync(folder)]) {
  if (!pages.has(name)) await Deno.remove(`${folder}/${name}`);
}
for (const [name, text] of pages) await Deno.writeTextFile(`${folder}/${name}`, text);
console.log(`${REFERENCE_FOLDER}: ${[...pages.keys()].join(", ")}`);
