import assert from "node:assert/strict";
import { MultipartReader, READER_BYTES } from "../../../src/http/bodies/multipart_reader.ts";
import { parseMultipart } from "../../../src/http/bodies/parse_multipart.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const NAME = 'Content-Disposition: form-data; name="a"';

/** A source that gives a body in pieces of so many bytes. */
function sourceOf(bytes: Uint8Array, most = Infinity) {
  let at = 0;
  return {
    read(target: Uint8Array): Promise<number> {
      const piece = bytes.subarray(at, at + Math.min(most, target.length));
      target.set(piece);
      at += piece.length;
      return Promise.resolve(piece.length);
    },
  };
}

async function readAll(
  bytes: Uint8Array,
  { boundary = "xyz", most }: { readonly boundary?: string; readonly most?: number } = {},
): Promise<[name: string, value: string, filename: string | undefined][]> {
  const reader = new MultipartReader(sourceOf(bytes, most), boundary);
  const parts: [string, string, string | undefined][] = [];
  for (let head = await reader.next(); head !== undefined; head = await reader.next()) {
    let value = "";
    const text = new TextDecoder();
    for (let piece = await reader.read(); piece !== undefined; piece = await reader.read()) {
      value += text.decode(piece, { stream: true });
    }
    parts.push([head.name, value + text.decode(), head.file?.filename]);
  }
  return parts;
}

const bodyOf = (...lines: readonly string[]) => encoder.encode(lines.join("\r\n"));

Deno.test("MultipartReader reads what parseMultipart() reads, however the bytes come", async () => {
  const pieces = ["\r\n", "--", "-", "\r", "\n", "xyz", "\0", "ü", "\r\n--xyz", "--xyz ", "text "];
  let seed = 11;
  const random = (below: number) => (seed = seed * 48271 % 2147483647) % below;
  for (let round = 0; round < 300; round++) {
    let body = random(3) === 0 ? "before\r\n" : "";
    for (let part = random(4); part > 0; part--) {
      const content = Array.from({ length: random(30) }, () => pieces[random(pieces.length)]);
      body += `--xyz\r\n${NAME}\r\n\r\n${content.join("")}\r\n`;
    }
    body += random(8) === 0 ? "--xy" : "--xyz--\r\nbehind";
    const bytes = encoder.encode(body);
    let expected: unknown;
    try {
      expected = [...parseMultipart(bytes, "xyz")].map(([name, value]) => [
        name,
        value,
        undefined,
      ]);
    } catch (error) {
      assert.equal((error as Error).name, "MalformedFormError");
      await assert.rejects(readAll(bytes, { most: 1 + random(9) }), { name: "MalformedFormError" });
      continue;
    }
    for (const most of [1, 2, 3, 7, 1 + random(50), Infinity]) {
      assert.deepEqual(await readAll(bytes, { most }), expected, JSON.stringify(body));
    }
  }
});

Deno.test("MultipartReader reads a file larger than its memory, with what looks like boundaries", async () => {
  const content = "0123456789\r\n--xy\r\n-".repeat(40_000);
  const bytes = bodyOf(
    "--xyz",
    'Content-Disposition: form-data; name="file"; filename="a/b\\\\c.jsonl"',
    "Content-Type: Application/JSONL; charset=utf-8",
    "",
    content,
    "--xyz--",
  );
  assert.ok(content.length > 4 * READER_BYTES);
  for (const most of [999, 65_536]) {
    assert.deepEqual(await readAll(bytes, { most }), [["file", content, "c.jsonl"]]);
  }
});

Deno.test("MultipartReader passes over what nobody reads of a part", async () => {
  const big = "x".repeat(READER_BYTES * 3);
  const bytes = bodyOf("--xyz", NAME, "", big, "--xyz", NAME, "", "2", "--xyz--");
  const reader = new MultipartReader(sourceOf(bytes, 5_000), "xyz");
  await reader.next();
  await reader.read();
  await reader.next();
  assert.equal(decoder.decode(await reader.read()), "2");
  assert.equal(await reader.read(), undefined);
  assert.equal(await reader.next(), undefined);
  assert.equal(await reader.next(), undefined);
});

for (
  const [what, body, why] of [
    ["an endless head", bodyOf("--xyz", `${NAME}; x=${"y".repeat(300_000)}`), /no head/],
    ["an endless boundary line", bodyOf(`--xyz${" ".repeat(300_000)}`), /no end of line/],
    ["a name that is none", bodyOf("--xyz", "X: y", "", "1", "--xyz--"), /no name/],
    ["nothing", new Uint8Array(), /breaks off/],
    ["a boundary that never comes", encoder.encode("a".repeat(300_000)), /breaks off/],
  ] as const
) {
  Deno.test(`MultipartReader refuses ${what}`, async () => {
    await assert.rejects(readAll(body), { name: "MalformedFormError", message: why });
  });
}

Deno.test("MultipartReader refuses a form that is cut at any byte", async () => {
  const whole = bodyOf("--xyz", `${NAME}; filename="ü"`, "", "\r\n--xy\r", "--xyz--");
  for (let length = 0; length < whole.length; length++) {
    await assert.rejects(
      readAll(whole.subarray(0, length), { most: 3 }),
      { name: "MalformedFormError" },
      `cut after ${length} bytes`,
    );
  }
  assert.equal((await readAll(whole)).length, 1);
});
