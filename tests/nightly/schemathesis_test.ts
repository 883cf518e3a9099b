/**
 * Schemathesis, unmodified, against the program and the document that it publishes.
 *
 * It comes from the folder that `TOLLGATE_TEST_SCHEMATHESIS` names, else from where Python finds it
 * by itself.
 *
 * @module
 */

import assert from "node:assert/strict";
import { serveGateway } from "../support/served_gateway.ts";

const FOLDER = Deno.env.get("TOLLGATE_TEST_SCHEMATHESIS");
/** Whether a value is right may depend on what exists, which no schema tells. */
const EXCLUDED_CHECKS = "positive_data_acceptance";
const CATALOGUE = `
providers:
  - { id: builtin, kind: builtin }
models:
  - id: echo-1
    kind: chat
    routes: [{ id: builtin/echo-1, provider: builtin, free: true }]
  - id: hash-embed-1
    kind: embedding
    routes: [{ id: builtin/hash-embed-1, provider: builtin, free: true }]
  - id: film
    kind: video
    routes:
      - id: builtin/film
        provider: builtin
        upstream_model: video-2
        free: true
        video: { sizes: ["64x64"], seconds: [1] }
projects:
  - { id: default, unlimited: true }
`;

const isHere = await python(["-c", "import schemathesis"]).then(({ success }) => success);

Deno.test("schemathesis finds nothing that openapi.json does not say", {
  ignore: !isHere && Deno.env.get("CI") !== "true",
}, async () => {
  assert.ok(isHere, "Python has no schemathesis: name its folder, as .ci/nightly does");
  await using gateway = await serveGateway({ catalogue: CATALOGUE });
  const { url, server } = gateway;
  const { success, text } = await python([
    "-m",
    "schemathesis.cli",
    "run",
    `${url}/openapi.json`,
    `--header=Authorization: Bearer ${server.key}`,
    "--include-path-regex=^/(v1|videos|healthz|readyz|openapi)",
    `--exclude-checks=${EXCLUDED_CHECKS}`,
    "--phases=coverage,fuzzing",
    "--max-examples=5",
    "--seed=1",
    "--no-shrink",
    "--continue-on-failure",
  ], server.cwd);
  assert.ok(success, text.slice(-8_000));
  assert.match(text, /\d+ generated, \d+ passed/);
  const { differences } = await gateway.cli("ledger", "verify");
  assert.deepEqual(differences, []);
  const { code, stderr } = await server.stop();
  assert.equal(code, 0);
  assert.doesNotMatch(stderr, /^\s+at |\.ts:\d|internal_error|TypeError/m);
});

async function python(
  args: readonly string[],
  cwd?: string,
): Promise<{ readonly success: boolean; readonly text: string }> {
  try {
    const { success, stdout, stderr } = await new Deno.Command("python3", {
      args: ["-B", ...args],
      env: { NO_COLOR: "1", ...(FOLDER === undefined ? {} : { PYTHONPATH: FOLDER }) },
      stdin: "null",
      ...(cwd === undefined ? {} : { cwd }),
    }).output();
    const decoder = new TextDecoder();
    return { success, text: decoder.decode(stdout) + decoder.decode(stderr) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { success: false, text: "" };
    throw error;
  }
}
