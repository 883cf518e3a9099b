/**
 * Assets are found by their folder's name and laid beside the bundles.
 *
 * @module
 */

import assert from "node:assert/strict";
import { assetPlaces, findAssets } from "../../build/assets.ts";

Deno.test("findAssets() finds the files of every assets folder and nothing else", async () => {
  const found = await findAssets();
  assert.ok(found.includes("render/caption/assets/noto_sans.ttf"));
  for (const path of found) assert.match(path, /^(src|render)\/(.+\/)?assets\/[^/]+$/);
});

Deno.test("assetPlaces() puts the assets that exist into one folder", async () => {
  const places = assetPlaces(await findAssets());
  assert.equal(places.get("render/caption/assets/OFL.txt"), "assets/OFL.txt");
});

Deno.test("assetPlaces() refuses a second asset of the same name", () => {
  assert.throws(
    () => assetPlaces(["src/a/assets/table.bin", "src/b/assets/table.bin"]),
    /Cannot place src\/b\/assets\/table\.bin beside the bundles: src\/a\/assets\/table\.bin has/,
  );
});

Deno.test("every asset is read by a module beside its folder", async () => {
  for (const asset of await findAssets()) {
    const [, folder, name] = /^(.+)\/assets\/([^/]+)$/.exec(asset)!;
    if (name!.endsWith(".txt")) continue; // a licence goes with what it licenses, unread
    const sources = await readSources(folder!);
    const address = `new URL("./assets/${name}", import.meta.url)`;
    assert.ok(sources.some((text) => text.includes(address)), `nothing reads ${asset}`);
  }
});

async function readSources(folder: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".ts")) texts.push(await Deno.readTextFile(`${folder}/${name}`));
  }
  return texts;
}
