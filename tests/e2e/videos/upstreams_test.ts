/**
 * Films that upstreams make, fetched and kept by the executable: with the manners
 * of vLLM-Omni and of SGLang Diffusion, through the official client.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as seven from "openai7";
import {
  type FakeVideoServer,
  sampleFilm,
  startFakeVideoServer,
} from "../../support/fake_video_server.ts";
import { type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import { greyRows, pngFile } from "../../../render/tests/images/png_file.ts";
import {
  type Client,
  clientOf,
  create,
  download,
  projectRow,
  untilEnded,
  untilLogged,
  type Video,
} from "./scene.ts";

const UPSTREAM_KEY = "sk-upstream-Zq8vN3wLxT";
const SMALL = { size: "640x360", seconds: "4" };

function catalogue({ url, dead }: { readonly url: string; readonly dead: string }): string {
  const video = `video: { sizes: [640x360, 1280x720], seconds: [4, 8], pass_fields: [seed] }`;
  return `
providers:
  - { id: engine, kind: openai_compatible, base_url: "${url}", api_key: env:UPSTREAM_KEY }
  - { id: dead, kind: openai_compatible, base_url: "${dead}", api_key: env:UPSTREAM_KEY }
models:
  - id: film
    kind: video
    aliases: [sora-2]
    routes:
      - id: engine/film
        provider: engine
        upstream_model: wan-2.2
        ${video}
        cost: { second: { "640x360": "0.02", "1280x720": "0.05" }, request: "0.01" }
        sale: { second: { "640x360": "0.03", "1280x720": "0.10" }, request: "0.02" }
  - id: doubtful
    kind: video
    routes:
      - id: dead/doubtful
        provider: dead
        ${video}
        sale: { second: "0.01" }
      - id: engine/doubtful
        provider: engine
        ${video}
        cost: { second: "0.02" }
        sale: { second: "0.05" }
projects:
  - { id: default, unlimited: true }
  - { id: shop, unlimited: false }
`;
}

interface Stage {
  readonly upstream: FakeVideoServer;
  readonly gateway: ServedGateway;
  readonly client: Client;
  readonly film: Uint8Array<ArrayBuffer>;
  /** Everything that was answered, as text. */
  readonly answers: string[];
}

for (const manners of ["vllm_omni", "sglang"] as const) {
  Deno.test(`films of an upstream with the manners of ${manners} are kept and sold here`, async (test) => {
    const film = sampleFilm(700_000);
    await using upstream = startFakeVideoServer({ manners, film });
    upstream.behave({ keys: [UPSTREAM_KEY] });
    await using gateway = await serveGateway({
      catalogue: catalogue({ url: upstream.url, dead: deadUrl() }),
      env: { UPSTREAM_KEY },
    });
    await gateway.credit("shop", "10");
    const answers: string[] = [];
    const client = clientOf(seven, { url: gateway.url, key: await gateway.key("shop") });
    const stage: Stage = { upstream, gateway, client, film, answers };

    await test.step("a film is made there, and kept and sold here", () => makeThere(stage));
    upstream.behave({ steps: [{ status: "completed", progress: 100 }] });
    await test.step("an image and a field that the route passes arrive", () => passOn(stage));
    await test.step("a failure there is told in its words and costs nothing", () => fail(stage));
    await test.step("where one upstream refuses connections the next one works", () =>
      fallBack(stage));
    await test.step("a key that the upstream refuses is told to nobody", () => refuseKey(stage));

    const { differences } = await gateway.cli("ledger", "verify");
    assert.deepEqual(differences, []);
    const { code, stderr, stdout } = await gateway.server.stop();
    assert.equal(code, 0);
    for (const text of [...answers, stderr, stdout]) {
      assert.ok(!text.includes(UPSTREAM_KEY), text);
    }
    assert.doesNotMatch(stderr, /internal_error|TypeError/);
  });
}

async function makeThere({ upstream, gateway, client, film, answers }: Stage): Promise<void> {
  const before = await projectRow(gateway, "shop");
  const created = await create(client, {
    model: "sora-2",
    prompt: "Waves",
    size: "1280x720",
    seconds: "8",
  });
  assert.equal(created.pricing, undefined);
  const done = await follow({ client, answers }, created.id);
  assert.equal(done.status, "completed", JSON.stringify(done.error));
  assert.deepEqual([done.model, done.provider, done.route], ["film", "engine", "engine/film"]);
  const asked = upstream.requestsFor("start").at(-1)!;
  const fields = asked.form ?? asked.json!;
  assert.deepEqual([fields.model, fields.prompt, fields.size, String(fields.seconds)], [
    "wan-2.2",
    "Waves",
    "1280x720",
    "8",
  ]);

  assert.deepEqual(done.pricing, {
    currency: "USD",
    cost_amount: "0.41000000",
    sale_amount: "0.82000000",
  });
  const { balance, held } = await projectRow(gateway, "shop");
  assert.deepEqual([before.balance, balance, held], ["10.00000000", "9.18000000", "0.00000000"]);

  // The upstream may forget it now: the film is here.
  upstream.forgetJobs();
  const bytes = await download(client, done.id);
  assert.equal(sha256(bytes), sha256(film));
  const row = await gateway.cli("videos", "show", done.id);
  assert.deepEqual([row.file.bytes, row.file.sha256], [film.length, sha256(film)]);
  assert.deepEqual(await Deno.readFile(row.file.path), film);
  const part = await fetch(done.output!, { headers: { range: "bytes=1000-1999" } });
  assert.equal(part.status, 206);
  assert.deepEqual(await part.bytes(), film.slice(1000, 2000));
  await assert.rejects(
    client.videos.downloadContent(done.id, { variant: "thumbnail" }),
    { status: 404, code: "video_not_found" },
  );
}

async function passOn({ upstream, client, answers }: Stage): Promise<void> {
  const png = pngFile(64, 36, greyRows(64, 36));
  const input_reference = await seven.toFile(png, "mine.png", { type: "image/png" });
  const asked = { model: "film", prompt: "From here on", input_reference, seed: "42", ...SMALL };
  const { id } = await create(client, asked);
  assert.equal((await follow({ client, answers }, id)).status, "completed");
  const { form, files } = upstream.requestsFor("start").at(-1)!;
  assert.equal(form?.seed, "42");
  assert.deepEqual(files.input_reference?.bytes, png);
  assert.notEqual(files.input_reference.name, "mine.png");
  await assert.rejects(
    client.videos.create({ model: "film", prompt: "x", ...SMALL, negative: "y" } as never),
    { status: 400, param: "negative" },
  );
}

async function fail({ upstream, gateway, client, answers }: Stage): Promise<void> {
  const { balance } = await projectRow(gateway, "shop");
  upstream.behave({ failure: "CUDA out of memory. Tried to allocate 20.00 GiB" });
  const { id } = await create(client, { model: "film", prompt: "Too much", ...SMALL });
  const { status, error, output } = await follow({ client, answers }, id);
  upstream.behave({ failure: undefined });
  assert.equal(status, "failed");
  assert.match(error!.message, /CUDA out of memory/);
  assert.equal(output, undefined);
  assert.deepEqual(await projectRow(gateway, "shop").then((row) => [row.balance, row.held]), [
    balance,
    "0.00000000",
  ]);
}

async function fallBack({ gateway, client, film, answers }: Stage): Promise<void> {
  const asked = { model: "doubtful", prompt: "Either way", routing_preference: "lowest_price" };
  const created = await create(client, { ...asked, ...SMALL });
  assert.equal(created.route, "dead/doubtful");
  const done = await follow({ client, answers }, created.id);
  assert.equal(done.status, "completed", JSON.stringify(done.error));
  assert.deepEqual([done.provider, done.route], ["engine", "engine/doubtful"]);
  assert.equal(done.pricing!.sale_amount, "0.20000000");
  assert.equal(done.pricing!.cost_amount, "0.08000000");
  assert.equal(sha256(await download(client, done.id)), sha256(film));
  assert.equal((await projectRow(gateway, "shop")).held, "0.00000000");
}

async function refuseKey({ upstream, gateway, client, answers }: Stage): Promise<void> {
  const starts = upstream.requestsFor("start").length;
  upstream.behave({ keys: ["another"] });
  const { id } = await create(client, { model: "film", prompt: "Locked out", ...SMALL });
  await upstream.received("start", starts);
  // Its own fault: the operator may put it right, so the task waits for that.
  await untilLogged(gateway, /engine\/film.*40[13]|40[13].*engine\/film/);
  const video = await client.videos.retrieve(id);
  assert.notEqual(video.status, "completed");
  answers.push(JSON.stringify(video), JSON.stringify(await gateway.cli("videos", "show", id)));
  await client.videos.delete(id);
  upstream.behave({ keys: [UPSTREAM_KEY] });
  assert.equal((await projectRow(gateway, "shop")).held, "0.00000000");
}

/** Follows a video to its end and keeps what was answered. */
async function follow(
  { client, answers }: { readonly client: Client; readonly answers: string[] },
  id: string,
): Promise<Video> {
  const video = await untilEnded(client, id);
  answers.push(JSON.stringify(video));
  return video;
}

/** Where nobody listens: a port that was free a moment ago. */
function deadUrl(): string {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return `http://127.0.0.1:${port}/v1`;
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
