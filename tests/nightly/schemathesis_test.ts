/**
 * Schemathesis, unmodified, against the program and the document that it publishes.
 *
 * It comes from the folder that `TOLLGATE_TEST_SCHEMATHESIS` names, else from where Python finds it
 * by itself.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";

const FOLDER = Deno.env.get("TOLLGATE_TEST_SCHEMATHESIS");
const ADMIN_KEY = "an-admin-key-for-tests";
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

/** What an administrator asks of an upstream may go wrong there: 502, as the document says. */
const ADMIN_CHECKS =
  `[checks]\nnot_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 502]\n`;
/** The two documents, with who asks. */
const DOCUMENTS = [
  {
    path: "/openapi.json",
    operations: "^/(v1|videos|healthz|readyz|openapi)",
    key: ({ server }: ServedGateway) => server.key,
    config: "",
  },
  // Whoever else may ask is fuzzed by the program's own.
  {
    path: "/admin/v1/openapi.json",
    operations: "^/admin/v1/",
    key: () => ADMIN_KEY,
    config: ADMIN_CHECKS,
  },
] as const;

for (const { path, operations, key, config } of DOCUMENTS) {
  Deno.test(`schemathesis finds nothing that ${path} does not say`, {
    ignore: !isHere && Deno.env.get("CI") !== "true",
  }, async () => {
    assert.ok(isHere, "Python has no schemathesis: name its folder, as .ci/nightly does");
    await using gateway = await serveGateway({
      catalogue: CATALOGUE,
      env: { TOLLGATE_ADMIN_KEY: ADMIN_KEY },
    });
    const { url, server } = gateway;
    await Deno.writeTextFile(`${server.cwd}/schemathesis.toml`, config);
    const { success, text } = await python([
      "-m",
      "schemathesis.cli",
      "run",
      `${url}${path}`,
      `--header=Authorization: Bearer ${key(gateway)}`,
      `--include-path-regex=${operations}`,
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
}

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
