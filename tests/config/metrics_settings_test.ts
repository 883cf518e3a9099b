/**
 * Where metrics are told, and who may read them.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type FlagValues, loadSettings } from "../../src/config/load_settings.ts";
import { formatProblem } from "../../src/documents/problem.ts";
import { type GivenSurroundings, surroundings, withConfig } from "./surroundings.ts";

async function load(flags: FlagValues, given: GivenSurroundings = {}) {
  const loaded = await loadSettings(flags, surroundings({ writable: ["/srv"], ...given }));
  if (!loaded.ok) assert.fail(loaded.problems.map(formatProblem).join("\n"));
  return loaded;
}

async function faults(flags: FlagValues, given: GivenSurroundings = {}): Promise<string[]> {
  const loaded = await loadSettings(flags, surroundings({ writable: ["/srv"], ...given }));
  assert.ok(!loaded.ok, "the settings were accepted");
  return loaded.problems.map(formatProblem);
}

Deno.test("loadSettings() opens metrics to nobody by mistake: beside the API they want a token", async () => {
  const [fault] = await faults({ metrics: "on" });
  assert.match(
    fault!,
    /^flag --metrics: metrics: .*TOLLGATE_METRICS_TOKEN.*--metrics 127\.0\.0\.1:9464/,
  );
  const token = "a-token-of-many-letters";
  for (const name of ["TOLLGATE_METRICS_TOKEN", "TOLLGATE_ADMIN_KEY"]) {
    const { settings } = await load({ metrics: "on" }, { env: { [name]: token } });
    assert.equal(settings.metrics?.listen, undefined);
  }
  const { settings, shown } = await load({ metrics: "[::1]:9464" }, {
    env: { TOLLGATE_METRICS_TOKEN: token },
  });
  assert.deepEqual(settings.metrics, { listen: { hostname: "::1", port: 9464 }, token });
  assert.equal(shown.find(({ name }) => name === "metrics")?.value, "[::1]:9464");
  assert.doesNotMatch(JSON.stringify(shown), /a-token/);
  const [odd] = await faults({ metrics: "yes" });
  assert.match(odd!, /Expected off, on, or HOST:PORT such as 127\.0\.0\.1:9464/);
  await withConfig(`metrics_token: ${token}\n`, async ({ folder }) => {
    const [literal] = await faults({ config: "settings.yaml" }, { cwd: folder });
    assert.match(literal!, /metrics_token: Expected a reference, not the key itself/);
    assert.doesNotMatch(literal!, /a-token/);
  });
});
