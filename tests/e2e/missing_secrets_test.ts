/**
 * Keys of providers that have no value, as whoever starts a server is told of them.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runTollgate, startTollgate } from "../support/executable.ts";
import { until } from "../support/until.ts";

Deno.test("a start, a reload, /readyz and the lists tell of keys without a value", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-no-key-" });
  const key = `${folder}/key`;
  const file = `${folder}/catalogue.yaml`;
  await Deno.writeTextFile(
    file,
    `
currency: USD
providers:
  - { id: up, kind: openai_compatible, base_url: "http://127.0.0.1:9/v1", api_key: "env:NO_SUCH_KEY" }
  - { id: filed, kind: openai_compatible, base_url: "http://127.0.0.1:9/v1", api_key: "file:${key}" }
models:
  - { id: m, kind: chat, routes: [{ id: up/m, provider: up, upstream_model: x, sale: { free: true } }] }
  - { id: n, kind: chat, routes: [{ id: filed/n, provider: filed, upstream_model: x, sale: { free: true } }] }
`,
  );
  const data = `${folder}/data`;
  {
    // Without --catalog the catalogue is in the data dir.
    const applied = await runTollgate(["apply", file, "--data-dir", data]);
    assert.equal(applied.code, 0, applied.stderr);
  }
  for (const args of [[], ["--catalog", file]]) {
    await Deno.remove(key).catch(() => {});
    await using server = await startTollgate({ dataDir: data, args, expectKey: false });
    const missing = (reference: string) =>
      server.stderr.split("\n").filter((line) =>
        line.includes("secret_missing") && line.includes(reference)
      ).length;
    await until("the lines", () => missing("NO_SUCH_KEY") === 1 && missing(key) === 1);
    assert.match(server.stderr, /secret_missing.*up.*set the variable where the server is started/);
    const ready = async () => (await (await fetch(`${server.baseUrl}/readyz`)).json()).warnings;
    assert.deepEqual(await ready(), [
      "The server has no value for a secret of provider up: `tollgate doctor` says which",
      "The server has no value for a secret of provider filed: `tollgate doctor` says which",
    ]);
    const routes = await runTollgate(["routes", "list", "--data-dir", data]);
    assert.match(routes.stdout, /^up\/m +m +up +no value for env:NO_SUCH_KEY/m);
    const doctor = await runTollgate(["doctor", "--offline", "--data-dir", data]);
    assert.equal(doctor.stdout.match(/NO_SUCH_KEY/g)?.length, 1, doctor.stdout);
    assert.doesNotMatch(doctor.stdout, /says which/, "it says which");

    await Deno.writeTextFile(key, "sk-very-secret\n", { mode: 0o600 });
    server.process.kill("SIGHUP");
    await until("the reload", () => missing("NO_SUCH_KEY") === 2);
    assert.equal(missing(key), 1);
    assert.equal((await ready()).length, 1);
    assert.doesNotMatch(server.stderr, /sk-very-secret/);
  }
  await Deno.remove(folder, { recursive: true });
});
