// deno-lint-ignore-file no-console -- a task talks to the person who waits for it

/**
 * `deno task docs`: writes the reference and the pages of vendors anew.
 *
 * @module
 */

import { ROOT } from "../paths.ts";
import { GENERATED_FOLDERS } from "./generated_folders.ts";

for (const [name, makePages] of GENERATED_FOLDERS) {
  const folder = `${ROOT}/${name}`;
  const pages = await makePages();
  await Deno.mkdir(folder, { recursive: true });
  for (const { name } of [...Deno.readDirSync(folder)]) {
    if (!pages.has(name)) await Deno.remove(`${folder}/${name}`);
  }
  for (const [name, text] of pages) await Deno.writeTextFile(`${folder}/${name}`, text);
  console.log(`${name}: ${[...pages.keys()].join(", ")}`);
}
