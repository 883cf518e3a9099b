/**
 * Films of Google's Veo, through the official client: made there, kept and sold here by the second and
 * the size; what its filters keep back costs nothing.
 *
 * @module
 */

import assert from "node:assert/strict";
import * as seven from "openai7";
import { sampleFilm } from "../../support/fake_video_server.ts";
import { startFakeVeo } from "../../support/fake_veo.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { clientOf, create, download, projectRow, untilEnded } from "./scene.ts";

const KEY = "AIza-veo-secret-0123456789";
const CATALOGUE = (url: string) => `
currency: USD
providers:
  - { id: google, kind: gemini, base_url: "${url}", api_key: env:GEMINI_KEY }
models:
  - id: veo
    kind: video
    routes:
      - id: google/veo
        provider: google
        upstream_model: veo-3.1-generate-preview
        video: { sizes: [1280x720, 1920x1080], seconds: [8, 4], pass_fields: [negative_prompt] }
        cost: { second: { "1280x720": "0.40", "1920x1080": "0.60" } }
        sale: { markup: "1.5" }
  - id: plain
    kind: video
    routes:
      - { id: google/plain, provider: google, upstream_model: veo-3.1, sale: { second: "0.01" } }
projects:
  - { id: shop }
`;

Deno.test("films of Veo are kept and sold here", async (test) => {
  const film = sampleFilm(400_000);
  await using veo = startFakeVeo(film);
  await using gateway = await serveGateway({
    env: { GEMINI_KEY: KEY },
    catalogue: CATALOGUE(veo.url),
  });
  await gateway.credit("shop", "100");
  const client = clientOf(seven, { url: gateway.url, key: await gateway.key("shop") });
  const order = { model: "veo", prompt: "Waves", size: "1920x1080", seconds: "8" };

  await test.step("a length that Veo has not in a size is refused before it is asked", async () => {
    const before = veo.requests.length;
    await assert.rejects(
      client.videos.create({ ...order, seconds: "4" } as never),
      (error: unknown) => {
        assert.ok(error instanceof seven.NotFoundError, String(error));
        assert.match(error.message, /with 8 seconds alone/);
        return true;
      },
    );
    assert.equal(veo.requests.length, before);
  });

  await test.step("a film is paid for by its seconds and its size", async () => {
    veo.behaviour.cut = { afterBytes: 100_000, times: 1 };
    const { id } = await create(client, { ...order, negative_prompt: "rain" });
    const done = await untilEnded(client, id);
    assert.equal(done.status, "completed", JSON.stringify(done.error));
    assert.deepEqual(done.pricing, {
      currency: "USD",
      cost_amount: "4.80000000",
      sale_amount: "7.20000000",
    });
    assert.deepEqual(await download(client, id), film);
    const { parameters } = veo.of("start")[0]!.json as { parameters: Record<string, unknown> };
    assert.deepEqual(parameters, {
      aspectRatio: "16:9",
      resolution: "1080p",
      durationSeconds: 8,
      negativePrompt: "rain",
      sampleCount: 1,
    });
    for (const { headers } of veo.of("storage")) {
      assert.ok(![...headers.values()].some((value) => value.includes(KEY)));
    }
    assert.equal((await projectRow(gateway, "shop")).balance, "92.80000000");
  });

  await test.step("one that is kept back by filters has failed, says why, and costs nothing", async () => {
    veo.behaviour.ending = {
      response: {
        generateVideoResponse: {
          raiMediaFilteredCount: 1,
          raiMediaFilteredReasons: ["The prompt shows somebody famous."],
        },
      },
    };
    const { id } = await create(client, order);
    const { status, error } = await untilEnded(client, id);
    assert.equal(status, "failed");
    assert.match(error!.message, /somebody famous/);
    veo.behaviour.ending = undefined;
    const { balance, held } = await projectRow(gateway, "shop");
    assert.deepEqual([balance, held], ["92.80000000", "0.00000000"]);
  });

  await test.step("what the route does not offer is refused before it is ordered", async () => {
    const before = veo.requests.length;
    await assert.rejects(create(client, { ...order, size: "640x360" }), { status: 400 });
    await assert.rejects(create(client, { model: "plain", prompt: "x", size: "1792x1024" }), {
      status: 400,
    });
    assert.equal(veo.requests.length, before);
    const { id } = await create(client, { model: "plain", prompt: "x" });
    const { size, seconds, status } = await untilEnded(client, id);
    assert.deepEqual([size, seconds, status], ["1280x720", "8", "completed"]);
  });

  assert.deepEqual((await gateway.cli("ledger", "verify")).differences, []);
  assert.ok(!gateway.server.stderr.includes(KEY));
});
