/**
 * Files that are attached to an executable lie where a start does not read them, and are read from
 * the executable that was started.
 *
 * @module
 */

import assert from "node:assert/strict";
import { attachFiles, indexAttached } from "../../build/attach_files.ts";
import { AttachedFiles } from "../../build/scripts/attached_files.ts";

const FILES = new Map([
  ["scripts/main.txt", new TextEncoder().encode("the program")],
  ["scripts/main.cache", new Uint8Array([1, 2, 3])],
]);

/** As `deno compile` writes it: an image of 200 bytes, what is embedded, and the length of that. */
function executable(embedded = "d3n0l4nd and all that is embedded"): Uint8Array {
  const bytes = new Uint8Array(200 + embedded.length + 8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x7f454c46);
  bytes[4] = 2;
  view.setBigUint64(0x28, 136n, true);
  view.setUint16(0x3a, 64, true);
  view.setUint16(0x3c, 1, true);
  bytes.set(new TextEncoder().encode(embedded), 200);
  view.setBigUint64(bytes.length - 8, BigInt(embedded.length + 8), true);
  return bytes;
}

async function withFile(
  bytes: Uint8Array,
  use: (path: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-attached-" });
  try {
    await Deno.writeFile(`${folder}/program`, bytes, { mode: 0o755 });
    await use(`${folder}/program`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("what is attached is read back, and image and what is embedded stay as they are", async () => {
  await withFile(executable(), async (path) => {
    const index = indexAttached(FILES);
    assert.equal(await attachFiles(path, { files: FILES, index }), true);
    const bytes = await Deno.readFile(path);
    const before = executable();
    assert.deepEqual(bytes.subarray(0, 200), before.subarray(0, 200));
    assert.deepEqual(bytes.subarray(200 - before.length), before.subarray(200));
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o755);
    const attached = new AttachedFiles(path, index);
    for (const [name, file] of FILES) assert.deepEqual(attached.read(name), file);
    assert.equal(attached.has("scripts/other.txt"), false);
  });
});

Deno.test("nothing is attached to an executable of another form", async () => {
  const index = indexAttached(FILES);
  const others = [executable("elsewhere"), executable().subarray(0, -1), new Uint8Array(300)];
  for (const other of others) {
    await withFile(other, async (path) => {
      assert.equal(await attachFiles(path, { files: FILES, index }), false);
      assert.deepEqual(await Deno.readFile(path), other);
    });
  }
});

Deno.test("another executable in its place is not read: not before, and not afterwards", async () => {
  await withFile(executable(), async (path) => {
    const index = indexAttached(FILES);
    await attachFiles(path, { files: FILES, index });
    const attached = new AttachedFiles(path, index);
    attached.read("scripts/main.txt");
    const later = new Map([...FILES, [
      "scripts/main.txt",
      new TextEncoder().encode("THE PROGRAM"),
    ]]);
    await Deno.writeFile(`${path}.later`, executable());
    await attachFiles(`${path}.later`, { files: later, index: indexAttached(later) });
    await Deno.rename(`${path}.later`, path);
    assert.deepEqual(attached.read("scripts/main.cache"), FILES.get("scripts/main.cache"));
    assert.equal(new TextDecoder().decode(attached.read("scripts/main.txt")), "the program");
    const begun = new AttachedFiles(path, index);
    assert.throws(() => begun.read("scripts/main.txt"), /has been replaced since it was started/);
    const gone = new AttachedFiles(`${path} (deleted)`, index);
    assert.throws(() => gone.read("scripts/main.txt"), /has been replaced since it was started/);
  });
});
