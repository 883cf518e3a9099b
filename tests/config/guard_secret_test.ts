/**
 * The secret that signs what a guard is asked, as a setting.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type FlagValues, loadSettings } from "../../src/config/load_settings.ts";
import { formatProblem } from "../../src/documents/problem.ts";
import { type GivenSurroundings, surroundings } from "./surroundings.ts";

async function faults(flags: FlagValues, given: GivenSurroundings): Promise<string[]> {
  const loaded = await loadSettings(flags, surroundings({ writable: ["/srv"], ...given }));
  assert.ok(!loaded.ok, "the settings were accepted");
  return loaded.problems.map(formatProblem);
}

Deno.test("the guard's secret has to be there, to be one, and not to stand in a setting", async () => {
  const wrong = async (guard_secret: string, env: Readonly<Record<string, string>> = {}) =>
    (await faults({ guard_secret }, { env })).join();
  assert.match(await wrong("env:GUARD_SECRET"), /guard_secret: env:GUARD_SECRET has no value/);
  const short = `whsec_${btoa("short")}`;
  for (const value of ["whsec_", "whsec_%%%%", short, btoa("k".repeat(32))]) {
    const told = await wrong("env:GUARD_SECRET", { GUARD_SECRET: value });
    assert.match(told, /is not 'whsec_' and base64 of 24 to 64 bytes: echo/);
    assert.ok(!told.includes(value.slice(6) || "none"), told);
  }
  assert.match(
    await wrong(`whsec_${btoa("k".repeat(32))}`),
    /Expected a reference, not the secret/,
  );
});
