/**
 * What is known of seals, from one run to the next.
 *
 * @module
 */

import assert from "node:assert/strict";
import { keepSeals } from "../../src/app/keep_seals.ts";
import { SealedRoutes } from "../../src/gateway/sealed_routes.ts";

const WRAPPED = { routeOf: () => undefined };

Deno.test("what could not be written is written as soon as that is possible, though nothing is new", async () => {
  const dataDir = await Deno.makeTempDir();
  try {
    const troubles: string[] = [];
    const options = { dataDir, onTrouble: (what: string) => void troubles.push(what) };
    const seals = new SealedRoutes(WRAPPED);
    const kept = keepSeals(seals, options);
    seals.note("p", "seal", "route");
    await Deno.mkdir(`${dataDir}/seals.json.part`);
    await kept.stop();
    assert.deepEqual(troubles, ["seals_not_kept"]);
    await Deno.remove(`${dataDir}/seals.json.part`);
    await kept.stop();
    assert.deepEqual(troubles, ["seals_not_kept"]);
    const next = new SealedRoutes(WRAPPED);
    await keepSeals(next, options).stop();
    assert.equal(next.routeOf("p", "seal"), "route");
    assert.equal(next.routeOf("other", "seal"), undefined);
    await Deno.remove(`${dataDir}/seals.json`);
    await kept.stop();
    assert.deepEqual([...Deno.readDirSync(dataDir)], [], "what is written is not written again");
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});
