/**
 * Vendors by one command, and names that only their upstreams know: as an operator has them from the
 * program that is shipped.
 *
 * @module
 */

import assert from "node:assert/strict";
import { PRESETS } from "../../src/vendors/presets.ts";
import { answerBody } from "../support/chat_bodies.ts";
import { runTollgate } from "../support/executable.ts";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { serveGateway } from "../support/served_gateway.ts";

/** What each vendor wants besides a key. */
const WANTED: Readonly<Record<string, readonly string[]>> = {
  azure: ["--base-url", "https://r.openai.azure.com"],
  bedrock: ["--region", "eu-west-1"],
  vertex: ["--project", "acme", "--credentials", "env:GOOGLE"],
};

async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-vendors-" });
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("every vendor is added by flags, each with a key by reference, and only once", async () => {
  await withFolder(async (folder) => {
    const dataDir = `${folder}/data`;
    const run = (...args: string[]) => runTollgate([...args, "--data-dir", dataDir]);
    for (const { vendor, key } of PRESETS) {
      const args = ["providers", "add", vendor, ...(WANTED[vendor] ?? []), "--yes"];
      const added = await run(...args, ...(key === undefined ? [] : ["--key", `env:${key}`]));
      assert.equal(added.code, 0, `${vendor}: ${added.stderr}`);
      assert.match(added.stdout, new RegExp(`^\\+ provider ${vendor}$`, "m"));
      if (WANTED[vendor] !== undefined) {
        const lacking = await run("providers", "add", vendor, "--id", "other", "--yes");
        assert.equal(lacking.code, 2, vendor);
        assert.match(lacking.stderr, /needs '\w+': .*\n/);
      }
    }
    const listed = JSON.parse((await run("providers", "list", "--json")).stdout);
    const ids = listed.map(({ id }: { id: string }) => id);
    for (const { vendor } of PRESETS) assert.ok(ids.includes(vendor), vendor);
    const again = await run("providers", "add", "anthropic", "--yes");
    assert.match(again.stderr, /Nothing to change/);
    const exported = await run("catalogue", "export");
    await Deno.writeTextFile(`${folder}/all.yaml`, exported.stdout);
    const same = await run("apply", `${folder}/all.yaml`, "--prune", "--dry-run");
    assert.equal(same.code, 0, same.stderr);
    assert.equal(same.stdout, "");
  });
});

Deno.test("a key of a file and one of stdin reach the upstream, and a wrong one is said to be", async () => {
  await withFolder(async (folder) => {
    await using upstream = await startFakeUpstream((request) =>
      request.headers.get("api-key") === "right-key"
        ? jsonReply({ object: "list", data: [{ id: "gpt-5.4" }] })
        : jsonReply({ error: { code: "401", message: "Access denied due to invalid key" } }, {
          status: 401,
        })
    );
    const run = (args: readonly string[], stdin?: string) =>
      runTollgate([...args, "--data-dir", `${folder}/data`], stdin === undefined ? {} : { stdin });
    await Deno.writeTextFile(`${folder}/key`, "wrong-key\n", { mode: 0o600 });
    const add = ["providers", "add", "azure", "--base-url", upstream.url, "--models", "gpt-5.4"];
    const dry = await run([...add, "--key", `file:${folder}/key`, "--dry-run"]);
    assert.match(dry.stdout, /^\+ provider azure$/m);
    assert.deepEqual(JSON.parse((await run(["providers", "list", "--json"])).stdout), []);
    const alone = await run([...add, "--key", `file:${folder}/key`]);
    assert.equal(alone.code, 2);
    assert.match(alone.stderr, /\+ provider azure[^]*nobody can be asked: add --yes/);
    assert.equal((await run([...add, "--key", `file:${folder}/key`, "--yes"])).code, 0);
    const wrong = await run(["providers", "test", "azure"]);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stdout, /azure +failed .*key/);
    assert.doesNotMatch(wrong.stdout + wrong.stderr, /wrong-key/);
    const typed = await run([...add, "--key", "-", "--yes"], "right-key\n");
    assert.equal(typed.code, 0, typed.stderr);
    assert.equal((await Deno.stat(`${folder}/data/keys/azure.key`)).mode! & 0o777, 0o600);
    const right = await run(["providers", "test", "azure"]);
    assert.equal(right.code, 0, right.stdout);
    assert.match((await run(["providers", "models", "azure"])).stdout, /gpt-5\.4 +azure\/gpt-5\.4/);
    const told = (await run(["providers", "show", "azure", "--json"])).stdout +
      (await run(["audit", "list", "--json"])).stdout;
    assert.doesNotMatch(told, /right-key|wrong-key/);
  });
});

const ROWS = (input: string) =>
  `currency: USD
rows:
  - { vendor: azure, model: own-deployment, kind: chat, cost: { input: "${input}", output: "2.00" }, source: contract, date: 2026-11-22 }
`;

Deno.test("names of a wildcard cost what the list says, are refused without, and follow its changes", async () => {
  await using upstream = await startFakeUpstream(jsonReply(answerBody("Hi")));
  await using gateway = await serveGateway({ env: { AZ: "key" } });
  const { dataDir } = gateway.server;
  await gateway.cli(
    ...["providers", "add", "azure", "--base-url", upstream.url, "--key", "env:AZ"],
    ...["--models", "*", "--markup", "2", "--yes"],
  );
  await gateway.cli("projects", "create", "paying");
  await gateway.credit("paying", "10");
  const key = await gateway.key("paying");
  const ask = async (model: string) => {
    const messages = [{ role: "user", content: "Hi" }];
    const response = await gateway.chat(key, { model, messages, max_tokens: 10 });
    return { status: response.status, body: await response.json() };
  };
  // The upstream has counted so many.
  const { prompt_tokens: read, completion_tokens: written } =
    (await ask("azure/gpt-5.4")).body.usage;
  /** Rates in cents per million, of which a token is so many 1e-8. */
  const priced = async (model: string, rates: readonly [bigint, bigint]) => {
    const { status, body } = await ask(model);
    assert.equal(status, 200, JSON.stringify(body));
    const [input, output] = rates;
    const e8 = (BigInt(read) * input + BigInt(written) * output) * 2n;
    const amount = `${e8 / 100_000_000n}.${String(e8 % 100_000_000n).padStart(8, "0")}`;
    assert.equal(body.pricing.sale_amount, amount, model);
  };
  await priced("azure/gpt-5.4", [250n, 1500n]);
  const asked = upstream.requests.length;
  const refused = await ask("azure/own-deployment");
  assert.equal(refused.status, 404, JSON.stringify(refused.body));
  assert.match(refused.body.error.message, /the list of prices has none for 'own-deployment'/);
  assert.equal(upstream.requests.length, asked);
  const explained = await runTollgate(
    ["routes", "explain", "azure/own-deployment", "--data-dir", dataDir],
  );
  assert.match(explained.stdout, /unpriced/);
  const file = `${dataDir}/p.yaml`;
  await Deno.writeTextFile(file, ROWS("1.00"));
  const look = await runTollgate(["prices", "update", file, "--dry-run", "--data-dir", dataDir]);
  assert.match(look.stdout, /^\+ price azure\/own-deployment: input 1\.00, output 2\.00$/m);
  assert.equal((await ask("azure/own-deployment")).status, 404);
  await gateway.cli("prices", "update", file, "--yes");
  await priced("azure/own-deployment", [100n, 200n]);
  await Deno.writeTextFile(file, ROWS("3.00"));
  await gateway.cli("prices", "update", file, "--yes");
  await priced("azure/own-deployment", [300n, 200n]);
  const exported = await runTollgate(["catalogue", "export", "--data-dir", dataDir]);
  assert.match(exported.stdout, /id: azure\/\*/);
  await Deno.writeTextFile(file, exported.stdout);
  const same = await gateway.cli("apply", file, "--dry-run");
  assert.deepEqual(same.changes, []);
  const listed = await runTollgate(["models", "list", "--data-dir", dataDir]);
  assert.match(listed.stdout, /azure\/\*/);
  const verified = await gateway.cli("ledger", "verify");
  assert.deepEqual(verified.differences, []);
});
