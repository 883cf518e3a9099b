import assert from "node:assert/strict";
import { GuardAddress } from "../../src/app/guard_address.ts";
import { isPublicHost } from "../../src/providers/transport/connect_public.ts";

const HOSTS: Readonly<Record<string, readonly string[]>> = {
  "inside.example": ["10.0.0.7"],
  "both.example": ["93.184.215.14", "10.0.0.7"],
  "outside.example": ["93.184.215.14"],
};

async function looked(url: string, allowsPrivate = false) {
  const said: (readonly [string, unknown])[] = [];
  const address = new GuardAddress();
  await address.look({
    url,
    allowsPrivate,
    log: { warn: (event: string, facts: unknown) => said.push([event, facts]) } as never,
    isPublic: (host) =>
      isPublicHost(host, (name) => {
        const addresses = HOSTS[name];
        return addresses === undefined
          ? Promise.reject(new Error("ENOTFOUND"))
          : Promise.resolve(addresses);
      }),
  });
  return { events: said.map(([event]) => event), warnings: address.warnings() };
}

Deno.test("a guard whose name leads inside is told of, with the setting that allows it", async () => {
  for (const host of ["inside.example", "both.example:8443", "127.0.0.1"]) {
    const { events, warnings } = await looked(`https://${host}/look`);
    assert.deepEqual(events, ["guard_private"], host);
    assert.match(warnings.join(), /--webhook-private-addresses true/);
  }
});

Deno.test("a guard that may be asked is not told of", async () => {
  const nothing = { events: [], warnings: [] };
  assert.deepEqual(await looked("https://outside.example/look"), nothing);
  assert.deepEqual(await looked("https://93.184.215.14/look"), nothing);
  assert.deepEqual(await looked("https://inside.example/look", true), nothing);
  assert.deepEqual((await looked("https://nowhere.example/look")).events, ["guard_unknown"]);
});
