/**
 * Makes bundles say nothing of the machine that made them. The bundler tells in comments and keys
 * where each module was read, and names what it cuts off after a hash over just that.
 *
 * @module
 */

import { packageFolders, withoutFolders } from "./npm_cache.ts";

/** As the bundler names a part: what it is of, and a hash. */
const PART = /\.\/([\w.-]+?)-[0-9A-Z]{8}\.js\b/g;

/**
 * Rewrites the bundles in a folder: packages without this machine's folders, and the parts of
 * `main.js` numbered as they are met from it on.
 */
export async function makeStable(folder: string): Promise<void> {
  const folders = await packageFolders();
  const texts = new Map<string, string>();
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".js")) continue;
    texts.set(name, withoutFolders(await Deno.readTextFile(`${folder}/${name}`), folders));
  }
  const names = numberParts(texts);
  for (const [name, text] of texts) {
    const given = names.get(name) ?? name;
    const renamed = text.replaceAll(PART, (whole) => {
      const other = names.get(whole.slice(2));
      return other === undefined ? whole : `./${other}`;
    }).replace(`sourceMappingURL=${name}.map`, `sourceMappingURL=${given}.map`);
    await Deno.writeTextFile(`${folder}/${name}`, renamed);
    if (given === name) continue;
    await Deno.rename(`${folder}/${name}`, `${folder}/${given}`);
    await Deno.rename(`${folder}/${name}.map`, `${folder}/${given}.map`);
  }
}

/** New names by the old ones, for every part that `main.js` leads to. */
export function numberParts(texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const queue = ["main.js"];
  for (const file of queue) {
    for (const [path, base] of (texts.get(file) ?? "").matchAll(PART)) {
      const name = path.slice(2);
      if (names.has(name) || !texts.has(name)) continue;
      names.set(name, `${base}-${names.size + 1}.js`);
      queue.push(name);
    }
  }
  return names;
}
