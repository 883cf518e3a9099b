/**
 * Where a guard is, and the secret that signs what it is asked, as settings.
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

Deno.test("a guard at a private address needs the setting that allows it", async () => {
  const hosts = ["127.0.0.1:9000", "localhost", "10.1.2.3", "[::1]", "0x7f.1", "169.254.169.254"];
  for (const host of hosts) {
    const [told] = await faults({ guard_url: `http://${host}/look` }, {});
    assert.match(
      told ?? "",
      /guard_url: Leads to a loopback .*--webhook-private-addresses true/,
      host,
    );
  }
  const fine: readonly FlagValues[] = [
    { guard_url: "http://127.0.0.1:9000/look", webhook_private_addresses: "true" },
    { guard_url: "https://guard.example.com/look" },
    { guard_url: "https://93.184.215.14/look" },
  ];
  for (const flags of fine) {
    const loaded = await loadSettings(flags, surroundings({ writable: ["/srv"] }));
    assert.ok(loaded.ok, JSON.stringify(flags));
  }
});
