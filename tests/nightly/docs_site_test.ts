/**
 * The documents as a site: it builds, which a dead link would end, and whoever reads it asks nobody
 * but the site.
 *
 * @module
 */

import assert from "node:assert/strict";
import { extname } from "node:path";
import { buildSite } from "../../build/docs/site.ts";
import { chromiumPath, startBrowser } from "../e2e/videos/browser.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

Deno.test("the site builds, and asks nobody but itself", {
  ignore: chromiumPath === undefined && Deno.env.get("CI") !== "true",
}, async () => {
  const folder = await buildSite({ log: () => {} });
  await using server = Deno.serve({ port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    const name = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
    try {
      return new Response(await Deno.readFile(`${folder}${name}`), {
        headers: { "content-type": TYPES[extname(name)] ?? "application/octet-stream" },
      });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      return new Response("not there", { status: 404 });
    }
  });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  await using page = await startBrowser();
  for (
    const [path, text] of [
      ["/", "picks a route"],
      ["/docs/clients/", "Claude Code"],
      ["/docs/reference/settings.html", "TOLLGATE_LISTEN"],
      ["/docs/architecture.html", "Where something new goes"],
    ] as const
  ) {
    await page.open(origin + path);
    const read = await page.evaluate("document.body.innerText");
    assert.ok(read.includes(text), `${path}: ${read.slice(0, 300)}`);
  }
  assert.deepEqual(
    page.requested.filter((url) => !url.startsWith(origin) && !/^data:|^about:/.test(url)),
    [],
  );
  assert.deepEqual(page.faults.filter((fault) => !fault.includes("favicon")), []);
});
