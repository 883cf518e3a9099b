import assert from "node:assert/strict";
import { logMissingSecrets, missingSecretWarnings } from "../../src/app/missing_secrets.ts";
import { openTestAdmin } from "../admin/test_admin.ts";

const CATALOGUE = `
providers:
  - id: up
    kind: openai_compatible
    base_url: "http://127.0.0.1:9/v1"
    api_key: ["env:A_KEY", "env:FULL", "env:ODD"]
    headers: { x-org: "file:/run/org", x-plain: text }
    query: { tenant: "credential:tenant" }
  - { id: open, kind: openai_compatible, base_url: "http://127.0.0.1:9/v1", auth: none }
`;

Deno.test("missing secrets are warned of by provider, reference and remedy", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const troubles = new Map([
    ["env:A_KEY", "env:A_KEY has no value: set the variable A_KEY and start again"],
    ["env:ODD", "env:ODD holds characters that a header cannot carry"],
    ["file:/run/org", "file:/run/org does not exist"],
    ["credential:tenant", "credential:tenant does not exist"],
  ]);
  const secretTrouble = (reference: string) => troubles.get(reference);
  const deps = {
    ...admin.deps,
    process: { kind: "server", pid: 1 },
    system: { ...admin.deps.system, secretTrouble },
  } as const;
  const lines: [string, unknown][] = [];
  logMissingSecrets({ warn: (event, fields) => lines.push([event, fields]) }, deps);
  const expected = [
    "The server has no value for env:A_KEY, a key of provider up: set the variable where the " +
    "server is started, and restart it",
    "The server has no value for env:ODD, a key of provider up: set the variable where the " +
    "server is started, and restart it (env:ODD holds characters that a header cannot carry)",
    "The server has no value for file:/run/org, header x-org of provider up: let the user that " +
    "the server runs as read it, and send the server SIGHUP (file:/run/org does not exist)",
    "The server has no value for credential:tenant, query parameter tenant of provider up: name " +
    "it to service install with --credential, and restart the server (credential:tenant does " +
    "not exist)",
  ];
  const references = [...troubles.keys()];
  assert.deepEqual(
    lines,
    expected.map((message, at) => [
      "secret_missing",
      { provider: "up", reference: references[at], message },
    ]),
  );
  assert.deepEqual(missingSecretWarnings(deps), [
    "The server has no value for 4 secrets of provider up: `tollgate doctor` says which",
  ], "of where secrets stand nobody is told who may only ask whether the server is ready");
  assert.deepEqual(missingSecretWarnings(admin.deps), [], "a command says nothing");
});

Deno.test("missingSecretWarnings() names a few providers and counts the others", async () => {
  const providers = Array.from(
    { length: 7 },
    (_, at) =>
      `  - { id: p${at}, kind: openai_compatible, base_url: "http://127.0.0.1:9/v1", api_key: "env:KEY_${at}" }\n`,
  );
  await using admin = await openTestAdmin({ catalogue: `providers:\n${providers.join("")}` });
  const deps = { ...admin.deps, process: { kind: "server", pid: 1 } } as const;
  const warnings = missingSecretWarnings(deps);
  assert.equal(warnings.length, 6);
  assert.match(warnings[0]!, /no value for a secret of provider p0:/);
  assert.equal(warnings.at(-1), "nor has it all of those of 2 more providers");
});
