import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { EARLIER_SESSION } from "../../../src/domain/session.ts";
import type { PartFile } from "../../../src/files/part_file.ts";
import { ContentFiles } from "../../../src/videos/files/content_files.ts";
import type { WholeFilm } from "../../../src/videos/files/film_store.ts";

const ID = `video_${"a".repeat(26)}`;

async function folder() {
  const parent = await Deno.makeTempDir({ prefix: "tollgate_films_" });
  const files = new ContentFiles(`${parent}/videos`);
  await files.prepare();
  return {
    files,
    path: (name: string) => `${parent}/videos/${name}`,
    names: async () =>
      (await Array.fromAsync(Deno.readDir(files.folder), ({ name }) => name)).sort(),
    [Symbol.asyncDispose]: () => Deno.remove(parent, { recursive: true }),
  };
}

function whole(part: PartFile): WholeFilm {
  return { part, hasThumbnail: false };
}

async function modeOf(path: string): Promise<number> {
  return (await Deno.stat(path)).mode! & 0o777;
}

Deno.test("ContentFiles makes its folder 0700 and every file in it 0600", async () => {
  await using at = await folder();
  const { files } = at;
  await files.prepare();
  assert.equal(await modeOf(files.folder), 0o700);
  await files.writeReference(ID, new Uint8Array([1]));
  await files.writeThumbnail(ID, new Uint8Array([2]));
  const part = await files.openPart(ID);
  assert.equal(await modeOf(at.path(`${ID}.part`)), 0o600);
  await files.keep({ id: ID }, whole(part));
  assert.deepEqual(await at.names(), [`${ID}.input`, `${ID}.mp4`, `${ID}.webp`]);
  for (const name of await at.names()) assert.equal(await modeOf(at.path(name)), 0o600);
});

Deno.test("ContentFiles.keep() gives the bytes and the hash of what was written", async () => {
  await using at = await folder();
  const part = await at.files.openPart(ID);
  const chunks = Array.from({ length: 50 }, (_, index) => new Uint8Array(9_999).fill(index));
  for (const chunk of chunks) await part.write(chunk);
  assert.equal(part.bytes, 499_950);
  const kept = await at.files.keep({ id: ID }, whole(part));
  const film = await Deno.readFile(at.files.contentPath(ID));
  assert.equal(film.length, 499_950);
  assert.deepEqual(kept, {
    bytes: 499_950,
    sha256: createHash("sha256").update(film).digest("hex"),
    hasThumbnail: false,
    key: undefined,
  });
  assert.deepEqual(await at.names(), [`${ID}.mp4`]);
});

Deno.test("PartFile.startOver() forgets what was written, also of its hash", async () => {
  await using at = await folder();
  const part = await at.files.openPart(ID);
  await part.write(new Uint8Array(1_000).fill(1));
  await part.startOver();
  assert.equal(part.bytes, 0);
  await part.write(new TextEncoder().encode("film"));
  const { bytes, sha256 } = await at.files.keep({ id: ID }, whole(part));
  assert.equal(await Deno.readTextFile(at.files.contentPath(ID)), "film");
  assert.equal(bytes, 4);
  assert.equal(sha256, createHash("sha256").update("film").digest("hex"));
});

Deno.test("ContentFiles.openPart() throws away an earlier attempt's part", async () => {
  await using at = await folder();
  const first = await at.files.openPart(ID);
  await first.write(new Uint8Array(1_000));
  first.close();
  first.close();
  const second = await at.files.openPart(ID);
  await second.write(new Uint8Array([7]));
  assert.equal((await at.files.keep({ id: ID }, whole(second))).bytes, 1);
  assert.deepEqual(await Deno.readFile(at.files.contentPath(ID)), new Uint8Array([7]));
});

Deno.test("ContentFiles.keep() keeps no part but the newest, and whoever writes an older one leaves it alone", async () => {
  await using at = await folder();
  const zombie = await at.files.openPart(ID);
  await zombie.write(new Uint8Array(100).fill(1));
  const next = await at.files.openPart(ID);
  assert.equal(at.files.partBytes(ID), 0);
  await next.write(new TextEncoder().encode("film"));
  assert.equal(at.files.partBytes(ID), 4);
  await zombie.startOver();
  await zombie.write(new Uint8Array(9));
  await assert.rejects(at.files.keep({ id: ID }, whole(zombie)), Deno.errors.NotFound);
  assert.deepEqual(await at.names(), [`${ID}.part`]);
  assert.equal((await at.files.keep({ id: ID }, whole(next))).bytes, 4);
  assert.equal(await Deno.readTextFile(at.path(`${ID}.mp4`)), "film");
  assert.equal(at.files.partBytes(ID), 0);
});

Deno.test("ContentFiles names a part after the session that writes it, and tells whose each is", async () => {
  await using at = await folder();
  const own = new ContentFiles(at.files.folder, 12);
  const part = await own.openPart(ID);
  await part.write(new Uint8Array(3));
  (await at.files.openPart(ID)).close();
  const parts = (await Array.fromAsync(own.entries())).sort((a, b) => a.session - b.session);
  assert.deepEqual(parts.map(({ kind, session, name }) => [kind, session, name]), [
    ["part", EARLIER_SESSION, `${ID}.part`],
    ["part", 12, `${ID}.12.part`],
  ]);
  await own.removeEntry(parts[0]!);
  assert.equal((await own.keep({ id: ID }, whole(part))).bytes, 3);
  assert.deepEqual(await at.names(), [`${ID}.mp4`]);
});

Deno.test("ContentFiles removes a film, a reference and a part alone, and everything of one task", async () => {
  await using at = await folder();
  const { files } = at;
  const other = `video_${"b".repeat(26)}`;
  for (const id of [ID, other]) {
    await files.keep({ id: id }, whole(await files.openPart(id)));
    await files.writeThumbnail(id, new Uint8Array([1]));
    await files.writeReference(id, new Uint8Array([1]));
    (await files.openPart(id)).close();
  }
  await files.removeContent({ id: ID });
  assert.deepEqual((await at.names()).slice(0, 2), [`${ID}.input`, `${ID}.part`]);
  await files.removePart(ID);
  await files.removePart(ID);
  await files.removeReference(ID);
  await files.removeAll(other);
  await files.removeAll(other);
  assert.deepEqual(await at.names(), []);
});

Deno.test("ContentFiles.entries() lists what is named after tasks, and nothing else", async () => {
  await using at = await folder();
  const { files } = at;
  await files.writeReference(ID, new Uint8Array([1]));
  for (const name of ["notes.txt", `${ID}.mp4.bak`, `${ID.toUpperCase()}.mp4`, `x${ID}.mp4`]) {
    await Deno.writeTextFile(at.path(name), "mine");
  }
  await Deno.mkdir(at.path(`${ID}.mp4`));
  await Deno.symlink("/etc/hostname", at.path(`${ID}.webp`));
  const entries = await Array.fromAsync(files.entries());
  assert.deepEqual(entries, [
    { name: `${ID}.input`, taskId: ID, kind: "input", session: EARLIER_SESSION },
  ]);
});
