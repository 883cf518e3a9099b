import assert from "node:assert/strict";
import { type FormPart, parseMultipart } from "../../../src/http/bodies/parse_multipart.ts";

const encoder = new TextEncoder();

/** A body whose line breaks are written as such. */
function bodyOf(...lines: readonly string[]): Uint8Array<ArrayBuffer> {
  return encoder.encode(lines.join("\r\n"));
}

function partsOf(bytes: Uint8Array<ArrayBuffer>, boundary = "xyz"): FormPart[] {
  return [...parseMultipart(bytes, boundary)];
}

const NAME = 'Content-Disposition: form-data; name="a"';

Deno.test("parseMultipart() reads back what the runtime writes, whatever is in it", async () => {
  const pieces = ["\r\n", "--", "-", "\r", "\n", "xyz", "\0", "ü", "€", "text "];
  let seed = 7;
  const random = (below: number) => (seed = seed * 48271 % 2147483647) % below;
  const content = () => Array.from({ length: random(40) }, () => pieces[random(pieces.length)]);
  for (let round = 0; round < 200; round++) {
    const form = new FormData();
    const expected: FormPart[] = [];
    for (let part = random(5); part >= 0; part--) {
      const text = content().join("");
      if (random(2) === 0) {
        form.append(`text${part}`, text);
        // A form's texts have the line breaks of the wire.
        expected.push([`text${part}`, text.replace(/\r\n|\r|\n/g, "\r\n")]);
      } else {
        form.append(`file${part}`, new File([text], "film.png"));
        expected.push([`file${part}`, encoder.encode(text)]);
      }
    }
    const written = new Response(form);
    const boundary = written.headers.get("content-type")!.split("boundary=")[1]!;
    const bytes = new Uint8Array(await written.arrayBuffer());
    assert.deepEqual(partsOf(bytes, boundary), expected);
  }
});

const READABLE:
  readonly (readonly [what: string, body: Uint8Array<ArrayBuffer>, parts: unknown])[] = [
    ["no parts", bodyOf("--xyz--"), []],
    ["an empty part", bodyOf("--xyz", NAME, "", "", "--xyz--"), [["a", ""]]],
    ["a part whose head's end is all there is", bodyOf("--xyz", NAME, "", "--xyz--"), [["a", ""]]],
    ["a preamble and an epilogue", bodyOf("before", "--xyz", NAME, "", "1", "--xyz--", "behind"), [
      ["a", "1"],
    ]],
    ["blanks behind a boundary", bodyOf("--xyz \t", NAME, "", "1", "--xyz--"), [["a", "1"]]],
    [
      "what only looks like a boundary",
      bodyOf("--xyz", NAME, "", "--xy", "--xyzz", " --xyz", "---xyz", "--xyz", NAME, "", "--xyz--"),
      [["a", "--xy\r\n--xyzz\r\n --xyz\r\n---xyz"], ["a", ""]],
    ],
    [
      "a file whose name holds another name",
      bodyOf(
        "--xyz",
        'Content-Disposition: form-data; filename="; name=\\"b\\""; name=a',
        "",
        "1",
        "--xyz--",
      ),
      [["a", Uint8Array.of(0x31)]],
    ],
    [
      "headers in any case and order",
      bodyOf(
        "--xyz",
        "content-TYPE: x/y",
        'CONTENT-disposition:Form-Data ;NAME="a"',
        "",
        "1",
        "--xyz--",
      ),
      [["a", "1"]],
    ],
    [
      "a name that is not UTF-8",
      Uint8Array.from([
        ...bodyOf("--xyz", 'Content-Disposition: form-data; name="a'),
        0xfc,
        ...bodyOf('"', "", "1", "--xyz--"),
      ]),
      [["a\ufffd", "1"]],
    ],
  ];

for (const [what, body, parts] of READABLE) {
  Deno.test(`parseMultipart() reads ${what}`, () => {
    assert.deepEqual(partsOf(body), parts);
  });
}

const MALFORMED: readonly (readonly [what: string, body: Uint8Array<ArrayBuffer>, why: RegExp])[] =
  [
    ["of another boundary", bodyOf("--abc--"), /breaks off/],
    [
      "with a head that is too long",
      bodyOf("--xyz", NAME, `x: ${"y".repeat(9_000)}`, "", "", "--xyz--"),
      /no head/,
    ],
    [
      "with a part that is no form's",
      bodyOf("--xyz", 'Content-Disposition: attachment; name="a"', "", "", "--xyz--"),
      /no name/,
    ],
    [
      "with a name behind something else",
      bodyOf("--xyz", 'Content-Disposition: form-data; ? name="a"', "", "", "--xyz--"),
      /no name/,
    ],
  ];

for (const [what, body, why] of MALFORMED) {
  Deno.test(`parseMultipart() refuses a body ${what}`, () => {
    assert.throws(() => partsOf(body), { name: "MalformedFormError", message: why });
  });
}

Deno.test("parseMultipart() reads no further than it is asked to", () => {
  const part = ["--xyz", NAME, "", "1"];
  const parts = parseMultipart(bodyOf(...part, ...part, "--xyz", "no head"), "xyz");
  assert.deepEqual([parts.next().value, parts.next().value], [["a", "1"], ["a", "1"]]);
});
