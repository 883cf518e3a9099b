import assert from "node:assert/strict";
import { setUploadsAside, unknownUploads } from "../../../src/app/backups/kept_uploads.ts";
import { UploadFiles } from "../../../src/uploads/upload_files.ts";

const idOf = (letter: string) => `file-${letter.repeat(26)}`;

Deno.test("setUploadsAside() keeps files that a database does not know, and leaves all in place", async () => {
  const dataDir = await Deno.makeTempDir();
  try {
    const files = new UploadFiles(`${dataDir}/files`);
    const none = { idsWithoutFile: (ids: readonly string[]) => Promise.resolve(ids) };
    const stores = { uploads: none, batches: { open: () => Promise.resolve([]) } };
    const options = { files, folder: `${dataDir}/aside` };
    assert.equal(await setUploadsAside(stores, options), 0);
    await files.prepare();
    for (const letter of ["a", "b", "c"]) {
      await Deno.writeTextFile(files.pathOf(idOf(letter)), letter);
    }
    const known = {
      uploads: {
        idsWithoutFile: (ids: readonly string[]) =>
          Promise.resolve(ids.filter((id) => id !== idOf("a"))),
      },
      // What a batch is writing has no row yet.
      batches: {
        open: () => Promise.resolve([{ outputFileId: idOf("b"), errorFileId: idOf("d") }] as never),
      },
    };
    assert.deepEqual(await unknownUploads(known, files), [idOf("c")]);
    assert.equal(await setUploadsAside(known, options), 1);
    assert.equal(await Deno.readTextFile(`${dataDir}/aside/${idOf("c")}`), "c");
    assert.equal((await Array.fromAsync(files.ids())).length, 3);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});
