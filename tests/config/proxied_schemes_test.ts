import assert from "node:assert/strict";
import { readProxiedSchemes } from "../../src/config/proxied_schemes.ts";

const ROWS: readonly [env: Record<string, string>, http: boolean, https: boolean][] = [
  [{}, false, false],
  [{ NO_PROXY: "*" }, false, false],
  [{ HTTP_PROXY: "" }, false, false],
  [{ HTTP_PROXY: "http://proxy:3128" }, true, false],
  [{ http_proxy: "http://proxy:3128" }, true, false],
  [{ HTTPS_PROXY: "http://proxy:3128" }, false, true],
  [{ https_proxy: "http://proxy:3128", NO_PROXY: "localhost" }, false, true],
  [{ all_proxy: "http://proxy:3128" }, true, true],
];

for (const [env, http, https] of ROWS) {
  Deno.test(`readProxiedSchemes() reads ${JSON.stringify(env)}`, () => {
    assert.deepEqual(readProxiedSchemes(env), { http, https });
  });
}
