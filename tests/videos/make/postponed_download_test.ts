import assert from "node:assert/strict";
import type { VideoContent } from "../../../src/providers/contract/video_upstream.ts";
import { estimateContentBytes } from "../../../src/videos/files/content_bytes.ts";
import { fakeFilm } from "../../support/fake_video_upstream.ts";
import { FILM_SALE_E8, videoRoute } from "../../support/video_parts.ts";
import { VideoWorld } from "../../support/video_world.ts";

const AT_ACME = { provider: "acme", route: "acme/film" };
const MIB = 1024 ** 2;
/** A look at the disk comes with each of its chunks. */
const FILM = fakeFilm(4 * MIB).map((byte, index) => index < 100 ? byte : index % 251);

/** A world whose disk has room for so many mebibytes of a film, or for any. */
async function worldOfSmallDisk() {
  const world = await VideoWorld.create({ routes: [videoRoute("acme")] });
  const disk = { roomMib: 2, film: FILM, etag: '"one"' as string | undefined, hasLength: true };
  world.acme.onContent = (_job, from) => contentOf(from);
  await world.start();

  function contentOf(from: number): VideoContent {
    let at = from;
    return {
      from,
      totalBytes: disk.hasLength ? disk.film.length : undefined,
      etag: disk.etag,
      read() {
        world.hasRoom = at < disk.roomMib * MIB;
        if (at >= disk.film.length) return Promise.resolve(undefined);
        const chunk = disk.film.slice(at, at + MIB);
        at += MIB;
        return Promise.resolve(chunk);
      },
      close() {},
    };
  }
  return { world, disk };
}

function waitsOf({ events }: VideoWorld): number[] {
  return events.flatMap((event) => event.kind === "postponed" ? [event.waitMs] : []);
}

Deno.test("a download that is put off goes on where it stopped, and waits twice as long each time", async () => {
  const { world, disk } = await worldOfSmallDisk();
  await using _ = world;
  const task = await world.create(AT_ACME);
  await world.timeline.until(() => waitsOf(world).length === 4);
  assert.deepEqual(waitsOf(world), [3_000, 6_000, 12_000, 24_000]);
  assert.deepEqual(await world.fileNames(), [`${task.id}.part`]);
  assert.equal(world.files.partBytes(task.id), 2 * MIB);
  // What is on disk needs no more room: with the whole film's it would never go on.
  const room = Math.max(1, estimateContentBytes(task) - 2 * MIB);
  world.bytesBeside = () => room;
  disk.roomMib = Infinity;
  const done = await world.untilEnded(task);
  assert.deepEqual([done.status, done.failures], ["completed", 0]);
  assert.deepEqual(await Deno.readFile(world.files.contentPath(task.id)), FILM);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", FILM)).toHex();
  assert.equal(done.file!.sha256, digest);
  assert.deepEqual(world.acme.fetched.map(({ from }) => from), [0, ...Array(4).fill(2 * MIB)]);
  assert.deepEqual(await world.fileNames(), [`${task.id}.mp4`]);
  assert.deepEqual(await world.ledgerOf(task), [`settle ${FILM_SALE_E8}`]);
});

Deno.test("a download that has waited for minutes makes room for others, and begins again", async () => {
  const { world, disk } = await worldOfSmallDisk();
  await using _ = world;
  const task = await world.create(AT_ACME);
  await world.timeline.until(() => waitsOf(world).at(-1) === 300_000, 1_000_000);
  await world.untilIdle();
  assert.deepEqual(await world.fileNames(), []);
  assert.equal(world.files.partBytes(task.id), 0);
  await world.timeline.until(() => waitsOf(world).at(-2) === 300_000, 1_000_000);
  disk.roomMib = Infinity;
  assert.equal((await world.untilEnded(task, 1_000_000)).status, "completed");
  assert.equal(world.acme.fetched.at(-1)!.from, 0);
  assert.deepEqual(await Deno.readFile(world.files.contentPath(task.id)), FILM);
});

Deno.test("a download that is put off begins again when the film is another, or cannot be told from another", async () => {
  for (const how of ["another length", "no tag and no length"]) {
    const { world, disk } = await worldOfSmallDisk();
    await using _ = world;
    disk.etag = undefined;
    if (how === "no tag and no length") disk.hasLength = false;
    const task = await world.create(AT_ACME);
    await world.timeline.until(() => waitsOf(world).length === 1);
    await world.untilIdle();
    const isKept = how === "another length";
    assert.deepEqual(await world.fileNames(), isKept ? [`${task.id}.part`] : [], how);
    disk.film = fakeFilm(3 * MIB);
    disk.roomMib = Infinity;
    assert.equal((await world.untilEnded(task)).status, "completed");
    assert.deepEqual(await Deno.readFile(world.files.contentPath(task.id)), disk.film);
    assert.equal(world.acme.fetched.at(-1)!.from, 0);
  }
});

Deno.test("a download that is put off leaves nothing when its task is deleted, or its part is gone", async () => {
  const { world, disk } = await worldOfSmallDisk();
  await using _ = world;
  const [task, other] = [await world.create(AT_ACME), await world.create(AT_ACME)];
  await world.timeline.until(() => waitsOf(world).length === 2);
  await world.untilIdle();
  await world.boot.leftovers.remove(task.id);
  assert.deepEqual(await world.fileNames(), [`${other.id}.part`]);
  await Deno.remove(`${world.files.folder}/${other.id}.part`);
  disk.roomMib = Infinity;
  for (const one of [task, other]) {
    const done = await world.untilEnded(one);
    assert.deepEqual([done.status, done.failures], ["completed", 0]);
    assert.deepEqual(await Deno.readFile(world.files.contentPath(one.id)), FILM);
  }
});
