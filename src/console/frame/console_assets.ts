/**
 * The console's style sheet and scripts, which lie beside the program.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Hono } from "@hono/hono";
import type { ConsoleEnv } from "./console_env.ts";

/** Where each lies, by its name. */
const PLACES = {
  "console.css": new URL("./assets/console.css", import.meta.url),
  "console.js": new URL("./assets/console.js", import.meta.url),
  "charts.js": new URL("./assets/charts.js", import.meta.url),
  "playground.js": new URL("./assets/playground.js", import.meta.url),
  "play_pictures.js": new URL("./assets/play_pictures.js", import.meta.url),
  "play_snippets.js": new URL("./assets/play_snippets.js", import.meta.url),
  "play_turns.js": new URL("./assets/play_turns.js", import.meta.url),
  "live.js": new URL("./assets/live.js", import.meta.url),
  "progress.js": new URL("./assets/progress.js", import.meta.url),
  "uplot.js": new URL("./assets/uplot.js", import.meta.url),
  "uplot.css": new URL("./assets/uplot.css", import.meta.url),
};

/** The name of a file. */
export type AssetName = keyof typeof PLACES;

interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of its bytes: another version has another address. */
  readonly mark: string;
}

const read = new Map<AssetName, Asset>();

function assetOf(name: AssetName): Asset {
  let asset = read.get(name);
  if (asset === undefined) {
    const bytes = Deno.readFileSync(PLACES[name]);
    const mark = createHash("sha256").update(bytes).digest("base64url").slice(0, 12);
    read.set(name, asset = { bytes, mark });
  }
  return asset;
}

/** Where a file is asked for. */
export function assetPath(name: AssetName): string {
  return `/console/assets/${name}?${assetOf(name).mark}`;
}

/** Serves them; they say nothing of anybody. */
export function mountAssets(app: Hono<ConsoleEnv>): void {
  for (const name of Object.keys(PLACES) as AssetName[]) {
    const type = name.endsWith(".css") ? "text/css" : "text/javascript";
    app.get(`/assets/${name}`, ({ req, body }) => {
      const { bytes, mark } = assetOf(name);
      const isOfNow = new URL(req.url).search === `?${mark}`;
      return body(bytes, 200, {
        "content-type": `${type}; charset=utf-8`,
        "cache-control": isOfNow ? "public, max-age=31536000, immutable" : "no-cache",
      });
    });
  }
}
