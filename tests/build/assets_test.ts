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
    // Some are read from the executable itself, and by their address from source.
    const addresses = [`new URL("./assets/${name}", import.meta.url)`, `"assets/${name}"`];
    const isRead = sources.some((text) => addresses.some((address) => text.includes(address)));
    assert.ok(isRead, `nothing reads ${asset}`);
  }
});

/** SHA-256 of files that are carried as uPlot's package 1.6.32 has them; its licence stands before the code. */
const CARRIED = {
  "src/console/frame/assets/uplot.css":
    "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
  "src/console/frame/assets/uplot.js":
    "c6c15c04656ba3c7f59906f12d59a1fba4f364ba8c858c6149ff494e709b95bf",
};

Deno.test("what is carried of others is as they made it", async () => {
  for (const [path, sum] of Object.entries(CARRIED)) {
    const hash = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
    assert.equal(new Uint8Array(hash).toHex(), sum, `${path} was changed, by a formatter perhaps`);
  }
});

async function readSources(folder: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (/\.tsx?$/.test(name)) texts.push(await Deno.readTextFile(`${folder}/${name}`));
  }
  return texts;
}
