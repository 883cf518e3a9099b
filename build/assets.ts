/**
 * Puts the files that the program reads at run time (fonts and the like) beside the bundles.
 *
 * Every file in a folder `assets` under `src/` or `render/` is one. In a bundle `import.meta.url` is the bundle's
 * own address, so `assets` lies beside it as it lies beside the source, and one address serves both:
 *
 * ```ts
 * const bytes = await Deno.readFile(new URL("./assets/noto_sans.ttf", import.meta.url));
 * ```
 *
 * As there is one such folder for all bundles, no two assets share a name.
 *
 * @module
 */

import { BUNDLES, ROOT } from "./paths.ts";
import { listProgram } from "./program_files.ts";

/** Every asset, relative to the project's root, sorted. */
export async function findAssets(): Promise<string[]> {
  return (await listProgram()).filter((path) => /\/assets\/[^/]+$/.test(path));
}

/**
 * Where an asset lies, relative to the bundles.
 *
 * @throws {Error} when two of `sources` have the same name.
 */
export function assetPlaces(sources: readonly string[]): Map<string, string> {
  const places = new Map<string, string>();
  for (const source of sources) {
    const place = source.slice(source.lastIndexOf("/assets/") + 1);
    const taken = [...places].find(([, other]) => other === place)?.[0];
    if (taken !== undefined) {
      throw new Error(
        `Cannot place ${source} beside the bundles: ${taken} has its name, rename one`,
      );
    }
    places.set(source, place);
  }
  return places;
}

/** Copies every asset beside the bundles and returns their paths relative to these. */
export async function copyAssets(): Promise<string[]> {
  const places = assetPlaces(await findAssets());
  for (const [source, place] of places) {
    const target = `${BUNDLES}/${place}`;
    await Deno.mkdir(target.slice(0, target.lastIndexOf("/")), { recursive: true });
    await Deno.copyFile(`${ROOT}/${source}`, target);
    await Deno.utime(target, 0, 0);
  }
  return [...places.values()];
}
