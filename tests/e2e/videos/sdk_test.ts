/**
 * The official `openai` clients, unmodified, make, watch, fetch, list and delete
 * films that the gateway itself renders.
 *
 * @module
 */

import assert from "node:assert/strict";
import schemas from "../../fixtures/openai/video_schemas.json" with { type: "json" };
import { startFakeVideoServer } from "../../support/fake_video_server.ts";
import { assertSatisfies } from "../../support/schema_check.ts";
import { serveGateway } from "../../support/served_gateway.ts";
import { greyRows, pngFile } from "../../../render/tests/images/png_file.ts";
import { pollUntil } from "./poll_until.ts";
import { MAJORS } from "../openai_sdk/majors.ts";
import { type Client, clientOf, create, download, untilEnded } from "./scene.ts";

const SMALL = { size: "640x360", seconds: "1" };
const PNG = pngFile(64, 36, greyRows(64, 36));
const PNG_URL = `data:image/png;base64,${PNG.toBase64()}`;

function catalogue(url: string): string {
  return `
providers:
  - { id: builtin, kind: builtin }
  - { id: waiting, kind: openai_compatible, base_url: "${url}", auth: none, official: true }
models:
  - id: video-2
    kind: video
    aliases: [sora-2]
    routes:
      - id: builtin/video-2
        provider: builtin
        risk_level: medium
        sale: { second: { "640x360": "0.10", "720x1280": "0.30" } }
        cost: { second: "0.05" }
        video: { sizes: [720x1280, 640x360], seconds: [4, 1] }
      - id: waiting/video-2
        provider: waiting
        weight: 1
        sale: { second: "9" }
        video: { sizes: [640x360], seconds: [1] }
  - id: waiting
    kind: video
    routes:
      - id: waiting/film
        provider: waiting
        sale: { second: "0.10" }
        video: { sizes: [640x360], seconds: [1, 4] }
  - id: failing
    kind: video
    routes:
      - id: builtin/failing
        provider: builtin
        upstream_model: "video-2:fail"
        sale: { second: "0.10" }
        video: { sizes: [640x360], seconds: [1] }
projects:
  - { id: default, unlimited: true }
  - { id: lister, unlimited: true }
`;
}

for (const { name, sdk } of MAJORS) {
  Deno.test(`the ${name} client makes, watches, fetches, lists and deletes films`, async (test) => {
    await using upstream = startFakeVideoServer({ manners: "openai" });
    upstream.behave({ steps: [{ status: "queued", progress: 0 }] });
    await using gateway = await serveGateway({ catalogue: catalogue(upstream.url) });
    const { url, server: { key } } = gateway;
    const client = clientOf(sdk, { url, key });

    await test.step("create by the alias, poll, download, delete", () => makeFilm(client, url));
    await test.step("routing fields choose the source", () => chooseSource(client));
    await test.step("input_reference as a file and as a data URL", async () => {
      const file = await sdk.toFile(PNG, "first.png", { type: "image/png" });
      const references = [file, { image_url: PNG_URL }];
      for (const [index, input_reference] of references.entries()) {
        const prompt = `On from picture ${index}`;
        await create(client, { model: "waiting", prompt, input_reference });
        const { files } = await pollUntil({
          what: prompt,
          read: () => upstream.requestsFor("start").find(({ form }) => form?.prompt === prompt)!,
          isThere: (request) => request !== undefined,
        });
        assert.equal(files.input_reference?.type, "image/png");
        assert.deepEqual(files.input_reference.bytes, PNG);
      }
    });
    await test.step("a failure says why", async () => {
      const { id } = await create(client, { model: "failing", prompt: "Never", ...SMALL });
      const { error, pricing, output } = await untilEnded(client, id);
      assert.match(error!.code, /^[a-z_]+$/);
      assert.ok(error!.message.length > 10);
      assert.equal(output, undefined);
      assert.equal(pricing?.sale_amount ?? "0.00000000", "0.00000000");
      await assert.rejects(client.videos.downloadContent(id).asResponse(), sdk.BadRequestError);
    });
    await test.step("list pages by last_id", async () => {
      await listPages(clientOf(sdk, { url, key: await gateway.key("lister") }));
    });

    const { differences } = await gateway.cli("ledger", "verify");
    assert.deepEqual(differences, []);
    const { code, stderr } = await gateway.server.stop();
    assert.equal(code, 0);
    assert.ok(!stderr.includes(key), "the log has the key");
    assert.doesNotMatch(stderr, /Two otters|internal_error|TypeError/);
  });
}

async function makeFilm(client: Client, url: string): Promise<void> {
  const before = Math.floor(Date.now() / 1000);
  const prompt = "Two otters juggle oranges on a jetty at dawn";
  const { data: created, response } = await client.videos.create(
    { model: "sora-2", prompt, route: "builtin/video-2", ...SMALL } as never,
  ).withResponse();
  assert.match(response.headers.get("openai-poll-after-ms")!, /^\d+$/);
  assert.match(response.headers.get("x-request-id")!, /^req_/);
  assert.deepEqual({ ...created, id: "", created_at: 0, status: "", progress: 0 }, {
    id: "",
    object: "video",
    model: "video-2",
    status: "",
    progress: 0,
    created_at: 0,
    completed_at: null,
    expires_at: null,
    prompt,
    size: "640x360",
    seconds: "1",
    remixed_from_video_id: null,
    error: null,
    provider: "builtin",
    route: "builtin/video-2",
  });

  const done = await untilEnded(client, created.id);
  assert.equal(done.status, "completed", JSON.stringify(done.error));
  assert.ok(done.created_at >= before && done.completed_at! >= done.created_at);
  assert.deepEqual(done.pricing, {
    currency: "USD",
    cost_amount: "0.05000000",
    sale_amount: "0.10000000",
  });
  assert.equal(done.output, `${url}/videos/${done.id}.mp4`);

  const film = await download(client, done.id);
  assert.equal(new TextDecoder().decode(film.subarray(4, 8)), "ftyp");
  const open = await fetch(done.output);
  assert.deepEqual(await open.bytes(), film);
  const thumbnail = await client.videos.downloadContent(done.id, { variant: "thumbnail" });
  assert.equal(thumbnail.headers.get("content-type"), "image/webp");
  const image = await thumbnail.bytes();
  assert.equal(new TextDecoder().decode(image.subarray(8, 12)), "WEBP");

  const deleted = await client.videos.delete(done.id);
  assertSatisfies(schemas, "DeletedVideoResource", deleted);
  assert.deepEqual(deleted, { id: done.id, object: "video.deleted", deleted: true });
  for (
    const ask of [
      () => client.videos.retrieve(done.id),
      () => client.videos.delete(done.id),
      () => client.videos.downloadContent(done.id),
    ]
  ) await assert.rejects(ask, { status: 404, code: "video_not_found" });
  const link = await fetch(done.output);
  assert.equal(link.status, 404);
  await link.body?.cancel();
}

async function chooseSource(client: Client): Promise<void> {
  const base = { model: "video-2", prompt: "A choice", ...SMALL };
  for (
    const choice of [
      { provider: "waiting" },
      { route: "waiting/video-2" },
      { source_policy: { exclude_risk_levels: ["medium"] } },
      { routing_preference: "official_only" },
    ]
  ) {
    const chosen = await create(client, { ...base, ...choice });
    assert.deepEqual([chosen.provider, chosen.route], ["waiting", "waiting/video-2"]);
    await client.videos.delete(chosen.id);
  }
  // Without a size the first that the route offers, also when the client names nothing but words.
  const standard = await create(client, { model: "sora-2", prompt: "Whatever comes first" });
  assert.deepEqual([standard.size, standard.seconds], ["720x1280", "4"]);
  await client.videos.delete(standard.id);
}

async function listPages(client: Client): Promise<void> {
  const empty = await client.videos.list();
  assert.deepEqual(empty.data, []);
  const ids: string[] = [];
  for (let number = 1; number <= 7; number++) {
    const prompt = `Number ${number}`;
    ids.push((await create(client, { model: "waiting", prompt, ...SMALL })).id);
  }
  const { data: page, response } = await client.videos.list({ limit: 3 }).withResponse();
  const listed = page.data.map(({ id }) => id);
  assert.deepEqual(listed, ids.slice(4).reverse());
  assert.equal(page.last_id, ids[4]);
  assert.equal(page.has_more, true);
  assert.match(response.headers.get("content-type")!, /^application\/json/);
  const raw = await client.get("/videos?limit=3") as object;
  assertSatisfies(schemas, "VideoListResource", {
    ...raw,
    data: (raw as { data: object[] }).data.map((video) => ({ ...video, size: "720x1280" })),
  });
  for (const order of ["desc", "asc"] as const) {
    const all: string[] = [];
    for await (const { id } of client.videos.list({ limit: 2, order })) all.push(id);
    assert.deepEqual(all, order === "asc" ? ids : ids.toReversed());
  }
  const rest = await client.videos.list({ after: ids[2]!, order: "asc" });
  assert.deepEqual(rest.data.map(({ id }) => id), ids.slice(3));
  assert.equal(rest.has_more, false);
  for (const id of ids) await client.videos.delete(id);
  assert.deepEqual((await client.videos.list()).data, []);
}
