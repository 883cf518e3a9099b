/**
 * A create request that is sent again makes no second film and takes no second
 * hold: by the official clients' own retry, and by `Idempotency-Key`.
 *
 * @module
 */

import assert from "node:assert/strict";
import { startFakeVideoServer } from "../../support/fake_video_server.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { startDroppingProxy } from "./dropping_proxy.ts";
import { MAJORS } from "../openai_sdk/majors.ts";
import { clientOf, create, projectRow, waitingFilms } from "./scene.ts";

const FIELDS = { model: "film", prompt: "A lighthouse in fog", size: "640x360", seconds: "4" };
const HELD_FOR_ONE = "0.40000000";

const PROJECTS = ["id: default, unlimited: true", "id: shop, unlimited: false"];

for (const { name, sdk } of MAJORS) {
  Deno.test(`${name}: a create that is sent again makes one film and one hold`, async (test) => {
    await using upstream = startFakeVideoServer({ manners: "openai" });
    upstream.behave({ steps: [{ status: "queued", progress: 0 }] });
    await using gateway = await serveGateway({
      catalogue: waitingFilms(upstream.url, ...PROJECTS),
    });
    const { url } = gateway;
    await gateway.credit("shop", "100");
    const key = await gateway.key("shop");
    const client = clientOf(sdk, { url, key });
    const ids = async () => (await client.videos.list({ limit: 100 })).data.map(({ id }) => id);
    const held = async () => (await projectRow(gateway, "shop")).held;

    await test.step("the client's own retry finds the film of its lost answer", async () => {
      await using proxy = startDroppingProxy(url, { drops: 1 });
      const retries: string[] = [];
      const unlucky = new sdk.OpenAI({
        baseURL: `${proxy.url}/v1`,
        apiKey: key,
        fetch: (input: string | URL | Request, init?: RequestInit) => {
          // The client also asks whether forms can be sent at all, without going anywhere.
          const count = new Headers(init?.headers).get("x-stainless-retry-count");
          if (count !== null) retries.push(count);
          return fetch(input, init);
        },
      });
      const created = await create(unlucky, FIELDS);
      assert.equal(proxy.dropped, 1);
      assert.deepEqual(retries, ["0", "1"]);
      assert.deepEqual(await ids(), [created.id]);
      assert.equal(await held(), HELD_FOR_ONE);

      // Its id is used now, so the same words are a new order, whatever the client counts.
      await client.videos.retrieve(created.id);
      const headers = { "x-stainless-retry-count": "1" };
      const another = await create(client, FIELDS, { headers });
      assert.notEqual(another.id, created.id);
      assert.equal(await held(), "0.80000000");
      for (const id of await ids()) await client.videos.delete(id);
      assert.equal(await held(), "0.00000000");
    });

    await test.step("50 at one time with one Idempotency-Key get one film", async () => {
      const headers = { "Idempotency-Key": "order-4711" };
      const all = await Promise.all(
        Array.from({ length: 50 }, () => create(client, FIELDS, { headers })),
      );
      assert.equal(new Set(all.map(({ id }) => id)).size, 1);
      const { response } = await client.videos.create(FIELDS as never, { headers }).withResponse();
      assert.equal(response.headers.get("idempotent-replayed"), "true");
      assert.deepEqual(await ids(), [all[0]!.id]);
      assert.equal(await held(), HELD_FOR_ONE);
    });

    await test.step("a key that was used for something else is refused", async () => {
      const headers = { "Idempotency-Key": "order-4711" };
      await assert.rejects(
        client.videos.create({ ...FIELDS, prompt: "Another film" } as never, { headers }),
        { status: 400, code: "idempotency_key_reused" },
      );
      // The key is the project's own.
      const other = await create(clientOf(sdk, { url, key: gateway.server.key }), FIELDS, {
        headers,
      });
      assert.ok(!(await ids()).includes(other.id));
      assert.equal(await held(), HELD_FOR_ONE);
    });

    await test.step("a restart forgets neither", async () => {
      const [id] = await ids();
      await gateway.server.kill();
      await using again = await serveGateway({ dataDir: gateway.server.dataDir });
      const video = await create(clientOf(sdk, { url: again.url, key }), FIELDS, {
        headers: { "Idempotency-Key": "order-4711" },
      });
      assert.equal(video.id, id);
      assert.equal((await projectRow(again, "shop")).held, HELD_FOR_ONE);
      assert.deepEqual((await again.cli("ledger", "verify")).differences, []);
    });
  });
}
