/**
 * Films in a bucket, through the executable: kept there, sent from there, gone from there, and
 * waiting while it is away.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { runTollgate } from "../../support/executable.ts";
import { FakeS3 } from "../../support/fake_s3.ts";
import { sampleFilm, startFakeVideoServer } from "../../support/fake_video_server.ts";
import { assertBooksClosed } from "../../support/films/film_books.ts";
import { FilmGateway } from "../../support/films/film_gateway.ts";
import { NEEDS_S3, startS3Server } from "../../support/s3_server.ts";
import { until } from "../../support/until.ts";

const MIB = 1024 ** 2;
/** Longer than a part. */
const FILM = sampleFilm(17 * MIB + 5);
const SHA256 = createHash("sha256").update(FILM).digest("hex");

async function remote() {
  const upstream = startFakeVideoServer({ manners: "openai", film: FILM });
  upstream.behave({ steps: [{ status: "completed", progress: 100 }] });
  return await Promise.resolve(upstream);
}

/** Asks for the film in the ways that players do. */
async function assertServed(films: FilmGateway, id: string): Promise<void> {
  const path = `/videos/${id}/content`;
  const whole = await films.fetch(path);
  const etag = whole.headers.get("etag")!;
  assert.equal(etag, `"${SHA256}"`);
  assert.equal(whole.headers.get("content-length"), String(FILM.length));
  assert.deepEqual(await whole.bytes(), FILM);
  const part = await films.fetch(path, { headers: { range: "bytes=1000-1999" } });
  assert.deepEqual(
    [part.status, part.headers.get("content-range")],
    [206, `bytes 1000-1999/${FILM.length}`],
  );
  assert.deepEqual(await part.bytes(), FILM.slice(1_000, 2_000));
  const tail = await films.fetch(path, { headers: { range: "bytes=-5", "if-range": etag } });
  assert.deepEqual(await tail.bytes(), FILM.slice(-5));
  const known = await films.fetch(path, { headers: { "if-none-match": etag } });
  assert.deepEqual([known.status, await known.text()], [304, ""]);
  const behind = await films.fetch(path, { headers: { range: `bytes=${FILM.length}-` } });
  assert.equal(behind.status, 416);
  await behind.body?.cancel();
  const head = await films.fetch(path, { method: "HEAD" });
  assert.equal(head.headers.get("content-length"), String(FILM.length));
  const link = await fetch(`${films.url}/videos/${id}.mp4`);
  assert.deepEqual(await link.bytes(), FILM);
}

Deno.test("a film is in the bucket, served with ranges and conditions, and gone when it is deleted", async () => {
  await using s3 = await FakeS3.start();
  await using upstream = await remote();
  await using films = await FilmGateway.start({ upstreamUrl: upstream.url, env: s3.env() });
  const created = await films.create({ model: "remote" });
  assert.equal((await films.untilStatus(created)).status, "completed");
  const { id } = created;
  assert.deepEqual(s3.films(), [`${id}/1.mp4`]);
  assert.deepEqual(films.folder(), []);
  const row = await films.admin("GET", `/videos/${id}`);
  assert.equal(row.file.path, `s3://films/of/tests/${id}/1.mp4`);
  await assertServed(films, id);

  const made = await films.create();
  assert.equal((await films.untilStatus(made)).status, "completed");
  assert.deepEqual(
    s3.films().filter((key) => key.startsWith(made.id)),
    [`${made.id}/1.mp4`, `${made.id}/1.webp`],
  );
  const thumbnail = await films.fetch(`/videos/${made.id}/content?variant=thumbnail`);
  assert.equal(thumbnail.headers.get("content-type"), "image/webp");
  assert.equal((await thumbnail.bytes()).subarray(0, 4).toString(), "82,73,70,70");

  await films.restart();
  await assertServed(films, id);
  for (const film of [created, made]) assert.equal(await films.remove(film), 200);
  assert.deepEqual(s3.films(), []);
  assert.equal((await films.fetch(`/videos/${id}/content`)).status, 404);
  await assertBooksClosed(films, [created, made]);
});

Deno.test("with films_redirect callers are sent to the bucket, by addresses that need no key", async () => {
  await using s3 = await FakeS3.start();
  await using films = await FilmGateway.start({
    args: ["--films-redirect", "on"],
    env: s3.env(),
  });
  const created = await films.create();
  await films.untilStatus(created);
  const path = `/videos/${created.id}/content`;
  const sent = await films.fetch(path, { redirect: "manual" });
  assert.equal(sent.status, 302);
  await sent.body?.cancel();
  const location = new URL(sent.headers.get("location")!);
  assert.deepEqual(
    [location.origin, location.searchParams.get("X-Amz-Expires")],
    [s3.endpoint, "300"],
  );
  const etag = (await films.fetch(path, { method: "HEAD" })).headers.get("etag")!;
  const film = await (await fetch(location)).bytes();
  assert.equal(`"${createHash("sha256").update(film).digest("hex")}"`, etag);
  const known = await films.fetch(path, { headers: { "if-none-match": etag } });
  assert.equal(known.status, 304);
});

Deno.test("while the bucket is away films wait and all else goes on; nothing is charged before a film is kept", async () => {
  await using s3 = await FakeS3.start();
  await using films = await FilmGateway.start({ env: s3.env() });
  const before = await films.json("/key");
  s3.fault = () => "reset";
  const created = await films.create();
  await until("a film that waits", () => films.log.includes("video_bucket_trouble"));
  assert.match(films.log, /Cannot keep the film of video_\w+ yet: Cannot write s3:\/\/films/);
  const shown = await films.show(created);
  assert.equal(shown.status, "in_progress");
  const ready = await (await fetch(`${films.url}/readyz`)).json();
  assert.match(JSON.stringify(ready), /1 films? waits? for the bucket/);
  assert.deepEqual(s3.films(), []);
  const image = new FormData();
  image.set("model", "film");
  image.set("prompt", "with an image");
  image.set("size", "64x64");
  image.set("input_reference", new Blob([PNG], { type: "image/png" }), "one.png");
  const refused = await films.json("/videos", { method: "POST", body: image });
  assert.deepEqual([refused.status, refused.body.error.code], [503, "films_away"]);

  s3.fault = () => undefined;
  assert.equal((await films.untilStatus(created)).status, "completed");
  assert.deepEqual(s3.films(), [`${created.id}/1.mp4`, `${created.id}/1.webp`]);
  assert.notDeepEqual((await films.json("/key")).body, before.body);
  await assertBooksClosed(films);
  s3.fault = () => "reset";
  const content = await films.json(`/videos/${created.id}/content`);
  assert.deepEqual([content.status, content.body.error.code], [503, "films_away"]);
  // Its row goes at once, what is in the bucket once that answers.
  assert.equal(await films.remove(created), 200);
  await until("what is left to be told", () => films.log.includes("video_files_left"));
});

Deno.test("films that were made before there was a bucket stay where they are", async () => {
  await using s3 = await FakeS3.start();
  await using films = await FilmGateway.start();
  const created = await films.create();
  await films.untilStatus(created);
  const before = await (await films.fetch(`/videos/${created.id}/content`)).bytes();
  await films.restart({ env: s3.env() });
  assert.deepEqual(await (await films.fetch(`/videos/${created.id}/content`)).bytes(), before);
  assert.deepEqual(s3.films(), []);
  assert.equal(await films.remove(created), 200);
  assert.deepEqual(films.folder(), []);
});

Deno.test("a server does not start with a bucket that it cannot use, and changes nothing", async () => {
  await using s3 = await FakeS3.start();
  const dataDir = await Deno.makeTempDir({ prefix: "tollgate-bucket-" });
  await using _folder = {
    [Symbol.asyncDispose]: () => Deno.remove(dataDir, { recursive: true }),
  };
  const start = async (env: Record<string, string>) => {
    const { code, stderr } = await runTollgate(["serve", "--listen", "127.0.0.1:0"], {
      env: { ...s3.env(), TOLLGATE_DATA_DIR: dataDir, ...env },
    });
    assert.notEqual(code, 0);
    return stderr;
  };
  assert.match(await start({ TOLLGATE_S3_URL: "films" }), /Expected https:\/\/ENDPOINT\/BUCKET/);
  assert.match(await start({ TOLLGATE_S3_URL: `${s3.endpoint}/other` }), /NoSuchBucket.*Make the/);
  assert.match(await start({ AWS_ACCESS_KEY_ID: "env:NOBODY" }), /NOBODY/);
  assert.match(await start({ AWS_ACCESS_KEY_ID: "AKIAOTHER" }), /Mend AWS_ACCESS_KEY_ID/);
  assert.deepEqual(
    [...Deno.readDirSync(dataDir)].map(({ name }) => name).filter((name) => name !== "lock"),
    [],
  );
  assert.equal(s3.objects.size, 0);
});

Deno.test("films are in a bucket of a real server", NEEDS_S3, async () => {
  await using server = await startS3Server();
  await using upstream = await remote();
  const { AWS_ENDPOINT_URL_S3: endpoint, ...env } = server.env();
  await using films = await FilmGateway.start({
    upstreamUrl: upstream.url,
    env: { ...env, TOLLGATE_S3_URL: `${endpoint}/backups/films` },
  });
  const created = await films.create({ model: "remote" });
  assert.equal((await films.untilStatus(created)).status, "completed");
  const { id } = created;
  assert.deepEqual(await server.keys(), [`films/tollgate-owner`, `films/${id}/1.mp4`]);
  assert.deepEqual(await server.uploads(), []);
  await assertServed(films, id);
  assert.equal(await films.remove(created), 200);
  assert.deepEqual(await server.keys(), [`films/tollgate-owner`]);
  await films.restart({
    env: { TOLLGATE_S3_URL: `s3://backups/films`, AWS_ENDPOINT_URL_S3: endpoint! },
  });
  const again = await films.create({ model: "remote" });
  assert.equal((await films.untilStatus(again)).status, "completed");
  await assertServed(films, again.id);
});

/** One white point. */
const PNG = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
);
