/**
 * The same embeddings over every kind of upstream that has them: what is told, heard and charged is the
 * same in all of them.
 *
 * @module
 */

import assert from "node:assert/strict";
import { jsonReply, startFakeUpstream } from "../support/fake_upstream.ts";
import { serveGateway } from "../support/served_gateway.ts";
import { serviceAccount } from "../support/service_account.ts";
import { SCENES } from "./pairs/embeddings/scenes.ts";
import { EMBEDDING_VENDORS, type EmbeddingVendor } from "./pairs/embeddings/vendors.ts";

/** Troubles make a route rest, so that each has a model of its own. */
const SPARES = 4;

for (const vendor of EMBEDDING_VENDORS) {
  Deno.test(`embeddings over ${vendor.name}`, async (test) => {
    await using upstream = await startFakeUpstream({ steps: [] });
    await using tokens = await startFakeUpstream(
      jsonReply({ access_token: "ya29.token-0123456789", expires_in: 3_599 }),
    );
    const file = await Deno.makeTempFile({ suffix: ".json" });
    try {
      await Deno.writeTextFile(file, serviceAccount(`${tokens.url}/token`).file);
      await using gateway = await serveGateway({
        env: { VENDOR_KEY: "vendors-own-secret" },
        catalogue: catalogueOf(vendor, `http://127.0.0.1:${upstream.port}`, file),
      });
      await gateway.credit("paying", "1");
      const balance = async () => {
        const projects: { readonly id: string; readonly balance: string }[] = await gateway.cli(
          "projects",
          "list",
        );
        return projects.find(({ id }) => id === "paying")!.balance;
      };
      let spare = 0;
      const scene = {
        ...{ vendor, upstream, gateway, balance },
        key: await gateway.key("paying"),
        model: () => `spare-${spare++}`,
      };
      for (const [name, tell] of Object.entries(SCENES)) await test.step(name, () => tell(scene));
      assert.deepEqual((await gateway.cli("ledger", "verify")).differences, []);
    } finally {
      await Deno.remove(file);
    }
  });
}

function catalogueOf({ provider }: EmbeddingVendor, origin: string, file: string): string {
  const models = ["usual", ...Array.from({ length: SPARES }, (_, at) => `spare-${at}`)];
  return `
currency: USD
providers:
  - { id: vendor, ${provider(origin, file)} }
models:${
    models.map((id) => `
  - id: ${id}
    kind: embedding
    routes:
      - id: vendor/${id}
        provider: vendor
        upstream_model: upstream-model
        cost: { input: "1" }
        sale: { markup: "2" }`).join("")
  }
projects:
  - { id: paying }
`;
}
