/**
 * `init` sets up what it finds, once, and leaves what is there.
 *
 * @module
 */

import assert from "node:assert/strict";
import { findVendors } from "../../src/cli/init/find_vendors.ts";
import { runCommand, withDataDir } from "./run_in_process.ts";

Deno.test("findVendors() finds keys that have a value and a server that listens", async () => {
  const env = { OPENAI_API_KEY: "sk-x", ANTHROPIC_API_KEY: "", AZURE_OPENAI_API_KEY: "x" };
  const asked: unknown[] = [];
  const found = await findVendors(env, (address) => {
    asked.push(address);
    return Promise.resolve(true);
  });
  assert.deepEqual(found.map(({ vendor }) => vendor), ["openai", "ollama"], "azure wants more");
  assert.deepEqual(asked, [{ hostname: "127.0.0.1", port: 11_434 }]);
  assert.deepEqual(await findVendors({}, () => Promise.resolve(false)), []);
});

Deno.test("init adds a vendor, a project and a key, and nothing the second time", () =>
  withDataDir(async (dataDir) => {
    const env = { TOLLGATE_DATA_DIR: dataDir, OPENAI_API_KEY: "sk-secret-of-openai" };
    const args = ["init", "--provider", "openai", "--key", "env:OPENAI_API_KEY", "--port", "9000"];
    const asked = await runCommand(args, { env });
    assert.equal(asked.code, 2);
    assert.match(asked.stderr, /^\+ provider openai/m);
    assert.match(asked.stderr, /Nothing was changed, as nobody can be asked: add --yes/);
    const denied = await runCommand(args, { env, answers: () => false });
    assert.match(denied.stderr, /Nothing was changed/);
    assert.doesNotMatch((await runCommand(["models", "list"], { env })).stdout, /gpt/);

    const done = await runCommand([...args, "--yes"], { env });
    assert.equal(done.code, 0, done.stderr);
    const key = /sk-tg-[\w-]{43}/.exec(done.stdout)?.[0];
    assert.ok(key !== undefined);
    assert.match(done.stderr, /tollgate serve --listen 127\.0\.0\.1:9000/);
    assert.ok(done.stderr.includes(`Bearer ${key}`));
    assert.doesNotMatch(done.stdout + done.stderr, /sk-secret-of-openai/);
    const models = (await runCommand(["models", "list"], { env })).stdout;
    assert.match(models, /^echo-1 /m);
    assert.match(models, /^gpt-/m);

    const again = await runCommand([...args, "--yes"], { env });
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stderr, /Nothing to add/);
    assert.doesNotMatch(again.stdout + again.stderr, /sk-tg-/);
    const keys = JSON.parse((await runCommand(["keys", "list", "--json"], { env })).stdout);
    assert.equal(keys.length, 1);
  }));

Deno.test("init refuses a key without its vendor, and a port that is none", () =>
  withDataDir(async (dataDir) => {
    const env = { TOLLGATE_DATA_DIR: dataDir };
    const key = await runCommand(["init", "--key", "env:X"], { env });
    assert.equal(key.code, 2);
    assert.match(key.stderr, /--key is for the one vendor that --provider names/);
    const port = await runCommand(["init", "--port", "0"], { env });
    assert.equal(port.code, 2);
    assert.match(port.stderr, /Expected a port/);
    await assert.rejects(Deno.stat(dataDir), Deno.errors.NotFound);
  }));
