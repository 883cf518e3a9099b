/**
 * Things sent as the image that a film begins with, which are none, or a trap.
 *
 * @module
 */

import { greyRows, pngFile } from "../../../render/tests/images/png_file.ts";
import { type BadFilm, filmForm, filmJson, FORM_TYPE } from "./bad_film.ts";

const PARAM = "input_reference";
const encoder = new TextEncoder();

function file(name: string, bytes: Uint8Array, answer: Partial<BadFilm> = {}): BadFilm {
  return {
    name: `a file: ${name}`,
    type: FORM_TYPE,
    body: filmForm([[PARAM, bytes, "image/png"]]),
    param: PARAM,
    ...answer,
  };
}

function json(name: string, value: unknown, answer: Partial<BadFilm> = {}): BadFilm {
  return {
    name: `in JSON: ${name}`,
    body: filmJson({ [PARAM]: value }),
    param: PARAM,
    ...answer,
  };
}

const dataUrl = (bytes: Uint8Array) => `data:image/png;base64,${bytes.toBase64()}`;
const png = pngFile(64, 64, greyRows(64, 64));
const tooLarge = { status: 413, code: "request_too_large" };

/** JPEG whose frame header claims the largest sides there are. */
const hugeJpeg = Uint8Array.of(
  ...[0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0xff, 0xff, 0xff, 0xff, 1, 1, 0x11, 0],
  ...[0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0, 0xff, 0xd9],
);
const hugeWebp = Uint8Array.of(
  ...encoder.encode("RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0"),
  ...[0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
);

/** What cannot be used without an image tool; see the test for those that can only be cut. */
export function badImages(good: Readonly<Record<string, Uint8Array>>): BadFilm[] {
  return [
    file("text", encoder.encode("this is no image at all, only some words")),
    file("HTML", encoder.encode("<!doctype html><script>alert(1)</script>".padEnd(200))),
    file("SVG", encoder.encode('<svg xmlns="http://www.w3.org/2000/svg"/>'.padEnd(200))),
    file("GIF", encoder.encode("GIF89a\x01\0\x01\0\0\0\0;".padEnd(64, "\0"))),
    file("MP4", encoder.encode("\0\0\0\x18ftypisom".padEnd(64, "\0"))),
    file("nothing", new Uint8Array()),
    file("one byte", new Uint8Array(1)),
    file("zeros", new Uint8Array(100_000)),
    file("a PNG's signature", png.slice(0, 8)),
    file("a PNG of no width", pngFile(0, 64, greyRows(1, 1))),
    file("a PNG of huge sides", pngFile(0x7fffffff, 0x7fffffff, greyRows(1, 1)), tooLarge),
    file("a PNG of 65535 x 65535", pngFile(65_535, 65_535, greyRows(1, 1)), tooLarge),
    file("a PNG with too few rows", pngFile(3_000, 3_000, greyRows(3_000, 3))),
    file("a JPEG of 65535 x 65535", hugeJpeg, tooLarge),
    file("a WebP of 16777216 x 65536", hugeWebp, tooLarge),
    file("a WebP that is cut in its head", hugeWebp.slice(0, 25)),
    ...Object.entries({ png, ...good }).flatMap(([name, bytes]) =>
      [0.2, 0.5, 0.9].map((share) =>
        file(`${share} of a ${name}`, bytes.slice(0, Math.floor(bytes.length * share)))
      )
    ),
    json("an http address", "http://127.0.0.1:9/image.png"),
    json("an https address", "https://images.example/image.png"),
    json("an address in an object", { image_url: "https://images.example/image.png" }),
    json("a file address", "file:///etc/passwd"),
    json("a path", "/etc/passwd"),
    json("text as a data URL", `data:text/plain;base64,${btoa("words")}`),
    json("a data URL that is not base64", "data:image/png;base64,%%%%"),
    json("a data URL without base64", "data:image/png,abc"),
    json("an empty data URL", "data:image/png;base64,"),
    json("half a PNG", dataUrl(png.slice(0, png.length / 2))),
    json("a number", 7),
    json("true", true),
    json("an empty object", {}),
    json("a list", [dataUrl(png)]),
    json("empty", ""),
    json("a file id", { file_id: "file-123" }, {
      code: "not_supported",
      param: `${PARAM}.file_id`,
    }),
  ];
}
