import assert from "node:assert/strict";
import { runOperation } from "../../../src/admin/base/run_operation.ts";
import { disableRoute } from "../../../src/admin/catalogue/route_switches.ts";
import { withDataDir } from "../../support/data_dir_history.ts";
import { jsonReply, startFakeUpstream } from "../../support/fake_upstream.ts";
import { startTestGateway } from "../../support/gateway.ts";
import { complaints, examine, wellServer } from "./patients.ts";

function catalogue(provider: string, route = 'sale: { input: "1", output: "2" }'): string {
  return `
providers:
  - { id: acme, kind: openai_compatible, ${provider} }
models:
  - id: small
    kind: chat
    routes: [{ id: acme/small, provider: acme, upstream_model: small, ${route} }]
projects:
  - { id: default, unlimited: true }
`;
}

async function withCatalogue(
  text: string,
  run: (dataDir: string, folder: string) => Promise<void>,
): Promise<void> {
  await withDataDir(async (dataDir, folder) => {
    const file = `${folder}/key`;
    await Deno.writeTextFile(file, "sk-secret\n", { mode: 0o600 });
    await (await startTestGateway({ dataDir, catalogue: text.replace("KEYFILE", file) })).stop();
    await run(dataDir, folder);
  });
}

const UNREACHABLE = `base_url: "http://127.0.0.1:9/v1", auth: none`;

Deno.test("diagnose() finds enabled routes without a price", async () => {
  await withCatalogue(catalogue(UNREACHABLE, "weight: 1"), async (dataDir) => {
    const found = await complaints(dataDir);
    assert.equal(found.length, 1, found.join("\n"));
    assert.match(found[0]!, /^warning prices: Not offered, as there is no price: acme\/small → /);
  });
  await withCatalogue(catalogue(UNREACHABLE, "enabled: false"), async (dataDir) => {
    assert.deepEqual(await complaints(dataDir), []);
  });
});

Deno.test("diagnose() tells of routes that an operator has switched off, since when and why", async () => {
  await withDataDir(async (dataDir) => {
    const gateway = await startTestGateway({ dataDir, catalogue: catalogue(UNREACHABLE) });
    const { admin: deps } = gateway;
    const input = { route: "acme/small", reason: "it bills twice" };
    await runOperation(disableRoute, { deps, input });
    await gateway.stop();
    const [off, ...others] = await complaints(dataDir);
    assert.deepEqual(others, []);
    assert.match(
      off!,
      /^warning routes: Switched off: acme\/small is disabled since \d\S+Z: it bills twice → Once they may serve again: tollgate routes enable/,
    );
  });
});

Deno.test("diagnose() finds secrets that are unset, gone or open to everybody", async () => {
  const variable = catalogue(`base_url: "http://127.0.0.1:9/v1", api_key: "env:ACME_KEY"`);
  await withCatalogue(variable, async (dataDir) => {
    // Another environment than the server's: no more than a warning.
    assert.match((await complaints(dataDir))[0]!, /^warning secrets: .*env:ACME_KEY has no value/);
    assert.deepEqual(await complaints(dataDir, { env: { ACME_KEY: "sk-x" } }), []);
    const seen = (readable: boolean) =>
      wellServer({
        system: { secrets: [{ provider: "acme", reference: "env:ACME_KEY", readable }] },
      });
    assert.deepEqual(await complaints(dataDir, { server: seen(true) }), []);
    const env = { ACME_KEY: "sk-x" };
    const [blind] = await complaints(dataDir, { server: seen(false), env });
    assert.match(blind!, /^problem secrets: The server has no value for env:ACME_KEY.*restart/);
    assert.ok(!blind!.includes("sk-x"));
    const [unset] = await complaints(dataDir, { server: seen(false) });
    assert.match(unset!, /^problem secrets: [^→]* of provider acme → Set the variable where/);
    const trouble = "env:ACME_KEY holds characters that a header cannot carry";
    const [odd] = await complaints(dataDir, {
      server: wellServer({
        system: {
          secrets: [{ provider: "acme", reference: "env:ACME_KEY", readable: false, trouble }],
        },
      }),
    });
    assert.match(odd!, /restart it \(env:ACME_KEY holds characters that a header cannot carry\)$/);
  });
  const file = catalogue(`base_url: "http://127.0.0.1:9/v1", api_key: "file:KEYFILE"`);
  await withCatalogue(file, async (dataDir, folder) => {
    assert.deepEqual(await complaints(dataDir), []);
    await Deno.chmod(`${folder}/key`, 0o644);
    const [open] = await complaints(dataDir);
    assert.match(open!, /^warning secrets: Everybody on this machine may open .* → chmod o= /);
    assert.ok(!open!.includes("sk-secret"));
    await Deno.remove(`${folder}/key`);
    assert.match((await complaints(dataDir))[0]!, /^problem secrets: .*does not exist/);
  });
});

Deno.test("diagnose() asks upstreams from here, or through the server, or not at all", async () => {
  await withCatalogue(catalogue(UNREACHABLE), async (dataDir) => {
    const [found] = await complaints(dataDir, { isOffline: false });
    assert.match(found!, /^problem upstreams: acme does not answer as it should/);
    assert.deepEqual(await complaints(dataDir), []);
    const row = { provider: "acme", checked: true, milliseconds: 1 };
    const through = (ok: boolean) =>
      wellServer({ testProviders: () => Promise.resolve([{ ...row, ok, detail: "the detail" }]) });
    const [told] = await complaints(dataDir, { isOffline: false, server: through(false) });
    assert.match(told!, /^problem upstreams: acme .*the detail/);
    assert.deepEqual(await complaints(dataDir, { isOffline: false, server: through(true) }), []);
  });
  const keyed = catalogue(`base_url: "http://127.0.0.1:9/v1", api_key: "env:ACME_KEY"`);
  await withCatalogue(keyed, async (dataDir) => {
    // The server that will be started may well have the key: no more than warnings.
    const without = await complaints(dataDir, { isOffline: false });
    assert.match(
      without.join("\n"),
      /^warning secrets: .*\nwarning upstreams: Not asked, .*: acme/,
    );
    assert.equal(without.length, 2);
    const env = { ACME_KEY: "sk-x" };
    const [found] = await complaints(dataDir, { isOffline: false, env });
    assert.match(found!, /^problem upstreams: acme does not answer as it should/);
  });
  await using upstream = await startFakeUpstream(jsonReply({ object: "list", data: [] }));
  await withCatalogue(catalogue(`base_url: "${upstream.url}", auth: none`), async (dataDir) => {
    const findings = await examine(dataDir, { isOffline: false });
    assert.deepEqual(findings.filter(({ status }) => status !== "ok"), []);
    assert.match(findings.at(-1)!.detail, /1 in use, all of them answer/);
  });
});
