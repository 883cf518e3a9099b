import assert from "node:assert/strict";
import { readSpooledForm } from "../../../src/http/bodies/read_spooled_form.ts";
import { SpooledFile } from "../../../src/files/spooled_file.ts";
import type { Stay } from "../../../src/limits/stay.ts";
import { receivedRequest } from "../../support/received_request.ts";
import { spoolWorld } from "../../support/spool_world.ts";
import { until } from "../../support/until.ts";

const MIB = 1024 ** 2;
const HEADERS = { "content-type": "multipart/form-data; boundary=xyz" };

const part = (name: string, content: string, filename?: string) =>
  `--xyz\r\nContent-Disposition: form-data; name="${name}"${
    filename === undefined ? "" : `; filename="${filename}"\r\nContent-Type: audio/wav`
  }\r\n\r\n${content}\r\n`;
const END = "--xyz--\r\n";

const limitsOf = (world: Awaited<ReturnType<typeof spoolWorld>>, stay: Stay) => ({
  maxBytes: 600 * MIB,
  maxFiles: 3,
  spool: world.spool,
  owner: "p",
  stay,
});

Deno.test("readSpooledForm() gives fields and files, which go when the request is over", async () => {
  await using world = await spoolWorld();
  const stay = world.stay();
  const body = part("model", "m") + part("image[]", "\r\n--xy", "a.wav") +
    part("image[]", "", "b.wav") + END;
  const request = receivedRequest({ headers: HEADERS, body });
  const { value, bytes } = await readSpooledForm(request, limitsOf(world, stay));
  assert.equal(bytes, body.length);
  assert.equal(value.model, "m");
  const [first, second] = value.image as SpooledFile[];
  assert.ok(first instanceof SpooledFile);
  assert.deepEqual([first.filename, first.contentType, first.bytes], ["a.wav", "audio/wav", 6]);
  assert.equal(first.sha256, "5f3f5b519da4a935d6984b3033592f5835f681af9310a24ce30a6fb05c6f8227");
  assert.equal(await Deno.readTextFile(first.path), "\r\n--xy");
  assert.equal((await Deno.stat(first.path)).mode! & 0o777, 0o600);
  assert.equal(second!.bytes, 0);
  assert.equal(world.files().length, 2);
  stay.leave();
  await until(
    "the files to go",
    () => world.files().length === 0 && world.budget.usedBytes === 0,
  );
  assert.equal(world.budget.usedBytes, 0);
  assert.equal(world.memory().reserved, 0);
});

Deno.test("readSpooledForm() keeps files until the call is over, not only its handler", async () => {
  await using world = await spoolWorld();
  const stay = world.stay();
  stay.takeOver();
  await readSpooledForm(
    receivedRequest({ headers: HEADERS, body: part("file", "1", "a") + END }),
    limitsOf(world, stay),
  );
  stay.leave();
  assert.equal(world.files().length, 1);
  stay.end();
  await until(
    "the files to go",
    () => world.files().length === 0 && world.budget.usedBytes === 0,
  );
});

Deno.test("readSpooledForm() takes 25 MB in little memory", async () => {
  await using world = await spoolWorld();
  const stay = world.stay();
  const body = part("file", "0123456789abcde\n".repeat(25 * MIB / 16), "a.wav") + END;
  const request = receivedRequest({ headers: HEADERS, body });
  const { value } = await readSpooledForm(request, limitsOf(world, stay));
  assert.equal((value.file as SpooledFile).bytes, 25 * MIB);
  assert.ok(world.memory().most < 2 * MIB, `${world.memory().most} bytes`);
  assert.ok(world.budget.usedBytes >= 25 * MIB && world.budget.usedBytes < 27 * MIB);
  stay.leave();
  await until(
    "the files to go",
    () => world.files().length === 0 && world.budget.usedBytes === 0,
  );
});

const REFUSED: readonly (readonly [
  what: string,
  body: string,
  expected: object,
  options?: Parameters<typeof spoolWorld>[0],
])[] = [
  ["too many files", part("a", "1", "a").repeat(4) + END, { error: "invalid_value" }],
  ["too many parts", part("a", "1").repeat(201) + END, { error: "invalid_value" }],
  ["the same field twice", part("a", "1", "a") + part("a", "1") + END, { error: "invalid_value" }],
  ["too much text", part("a", "x".repeat(MIB + 1)) + END, { error: "request_too_large" }],
  ["no end", part("a", "1", "a"), { error: "malformed_request" }],
  ["a disk without room", part("a", "1", "a") + END, { error: "storage_full" }, { room: 10 }],
  [
    "more than a project may take of the disk",
    part("a", "x".repeat(3 * MIB), "a") + END,
    { error: "storage_full", message: /uploads under way/ },
    { maxBytes: 4 * MIB, leastShareBytes: 10 },
  ],
];

for (const [what, body, expected, options] of REFUSED) {
  Deno.test(`readSpooledForm() refuses ${what}, and leaves nothing`, async () => {
    await using world = await spoolWorld(options);
    const stay = world.stay();
    const request = receivedRequest({ headers: HEADERS, body });
    await assert.rejects(readSpooledForm(request, limitsOf(world, stay)), expected);
    stay.leave();
    await until(
      "the files to go",
      () => world.files().length === 0 && world.budget.usedBytes === 0,
    );
    assert.equal(world.memory().reserved, 0);
    assert.deepEqual(world.errors, []);
  });
}

Deno.test("readSpooledForm() leaves nothing of a form that is cut at any byte", async () => {
  await using world = await spoolWorld();
  const whole = part("model", "m") + part("file", "\r\n--x", "ü.wav") + "--xyz--";
  const bytes = new TextEncoder().encode(whole);
  for (let length = 0; length < bytes.length; length++) {
    const stay = world.stay();
    const cut = { headers: HEADERS, body: bytes.subarray(0, length) };
    const gone = receivedRequest({ ...cut, missingBytes: bytes.length - length });
    await assert.rejects(readSpooledForm(gone, limitsOf(world, stay)), {
      error: "client_closed_request",
    });
    await assert.rejects(readSpooledForm(receivedRequest(cut), limitsOf(world, stay)), {
      error: "malformed_request",
    });
    stay.leave();
  }
  await until("the files to go", () => world.files().length === 0 && world.budget.usedBytes === 0);
  assert.equal(world.memory().reserved, 0);
});

Deno.test("readSpooledForm() refuses a form that says it is too large before it reads any", async () => {
  await using world = await spoolWorld();
  const stay = world.stay();
  const request = receivedRequest({ headers: HEADERS, body: "", missingBytes: 601 * MIB });
  await assert.rejects(readSpooledForm(request, limitsOf(world, stay)), {
    error: "request_too_large",
  });
  assert.deepEqual(world.files(), []);
});

Deno.test("Spool.prepare() removes what ended sessions have left, and nothing else", async () => {
  await using world = await spoolWorld();
  const names = ["1.1.part", "3.9.part", "note.txt"];
  for (const name of names) await Deno.writeTextFile(`${world.folder}/uploads/${name}`, "");
  assert.equal(await world.spool.prepare(), 2);
  assert.deepEqual(world.files(), ["note.txt"]);
});
