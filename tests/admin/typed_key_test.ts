/**
 * A key that is typed in with a vendor that is refused: nothing of it stays behind.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { addProvider } from "../../src/admin/vendors/add_provider.ts";
import { startTestGateway } from "../support/gateway.ts";

Deno.test("the key of a vendor that is refused leaves neither file nor folder, nor takes others along", async () => {
  await using gateway = await startTestGateway();
  const { admin: deps, dataDir } = gateway;
  const add = (vendor: string, more: object) =>
    runOperation(addProvider, { deps, input: { vendor, typed_key: "sk-typed-0123", ...more } });
  const keys = async () =>
    await Array.fromAsync(Deno.readDir(`${dataDir}/keys`), ({ name }) => name);
  const refused = { models: ["a"], location: "europe" };
  await assert.rejects(add("deepseek", refused), { error: "invalid_value" });
  await assert.rejects(keys(), Deno.errors.NotFound);
  await add("deepseek", { models: ["a"] });
  await assert.rejects(add("groq", refused), { error: "invalid_value" });
  assert.deepEqual(await keys(), ["deepseek.key"]);
});
