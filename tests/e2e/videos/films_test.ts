/**
 * Films of the executable, as ffmpeg sees them: what they are, that they follow
 * from their prompts, and that they begin with the image they were given.
 *
 * @module
 */

import assert from "node:assert/strict";
import * as seven from "openai7";
import { serveGateway } from "../../support/served_gateway.ts";
import {
  decodeRgb,
  JPEG,
  LOSSLESS_WEBP,
  makeImage,
  needsFfmpeg,
  PNG,
  probeFilm,
  psnr,
} from "../../../render/tests/film_probe.ts";
import { type Client, clientOf, create, type CreateFields, download, untilEnded } from "./scene.ts";

/** A picture that reached the viewer: differences are what compression leaves. */
const SAME_PICTURE_DB = 28;
const SMALL = { size: "640x360", seconds: "1" };
const FRAME_BYTES = 640 * 360 * 3;
const FRAMES = 24;

/** Images of other proportions than the film's, in each format that is taken. */
const REFERENCES = [
  { type: "image/png", name: "first.png", size: "300x200", output: PNG },
  { type: "image/jpeg", name: "first.jpg", size: "480x640", output: JPEG },
  { type: "image/webp", name: "first.webp", size: "800x400", output: LOSSLESS_WEBP },
];

Deno.test("films are H.264 of their size and length, whose pictures follow from the prompt", {
  ...needsFfmpeg,
}, async (test) => {
  await using gateway = await serveGateway({ args: ["--video-tasks-per-project", "2"] });
  const client = clientOf(seven, { url: gateway.url, key: gateway.server.key });

  await test.step("what ffprobe says", async () => {
    for (const [size, seconds] of [["640x360", "2"], ["720x1280", "1"]] as const) {
      const film = await makeFilm(client, { prompt: "A snowy forest at dawn", size, seconds });
      const { codec_name, width, height, pix_fmt, duration, nb_frames, nb_read_frames } =
        await probeFilm(film);
      assert.deepEqual({ codec_name, size: `${width}x${height}`, pix_fmt }, {
        codec_name: "h264",
        size,
        pix_fmt: "yuv420p",
      });
      assert.equal(Number(duration), Number(seconds));
      assert.equal(nb_frames, String(FRAMES * Number(seconds)));
      assert.equal(nb_read_frames, nb_frames);
      const boxes = topBoxes(film);
      assert.equal(boxes[0], "ftyp");
      assert.ok(boxes.includes("moov") && boxes.includes("mdat"), boxes.join());
      assert.ok(boxes.indexOf("moov") < boxes.indexOf("mdat"), boxes.join());
    }
  });

  await test.step("frames differ between prompts, move within one, and come again", async () => {
    const snow = { prompt: "Snow falls on a dark forest at night", ...SMALL };
    const beach = { prompt: "A red balloon rises over a sunny beach", ...SMALL };
    const [night, day, again] = await Promise.all(
      [snow, beach, snow].map((fields) => makeFilm(client, fields)),
    );
    assert.deepEqual(again, night);
    const [dark, bright] = [await decodeRgb(night!), await decodeRgb(day!)];
    assert.equal(dark.length, FRAMES * FRAME_BYTES);
    for (const at of [0, FRAMES / 2, FRAMES - 1]) {
      assert.ok(psnr(frame(dark, at), frame(bright, at)) < 20, `frame ${at} is that of the other`);
    }
    for (const film of [dark, bright]) {
      assert.ok(psnr(frame(film, 0), frame(film, FRAMES - 1)) < 40, "nothing moves");
    }
    assert.ok(mean(frame(bright, 0)) > mean(frame(dark, 0)) + 20, "night is no darker than day");
  });

  await test.step("frame 1 is the image that was given", async () => {
    for (const { type, name, size, output } of REFERENCES) {
      const bytes = new Uint8Array(await makeImage(size, ...output));
      const input_reference = new File([bytes], name, { type });
      const film = await decodeRgb(
        await makeFilm(client, { prompt: "And then it rains", input_reference, ...SMALL }),
      );
      const cover = "scale=640:360:force_original_aspect_ratio=increase,crop=640:360";
      const fitted = await decodeRgb(await makeImage(size, "-vf", cover, ...PNG));
      const likeness = psnr(frame(film, 0), fitted);
      assert.ok(likeness > SAME_PICTURE_DB, `${type}: ${likeness} dB`);
      const last = psnr(frame(film, FRAMES - 1), fitted);
      assert.ok(last < likeness - 3, `${type}: the last frame is as like it, ${last} dB`);
    }
  });
});

async function makeFilm(client: Client, fields: CreateFields): Promise<Uint8Array<ArrayBuffer>> {
  const { id } = await create(client, { model: "video-2", ...fields });
  const { status, error } = await untilEnded(client, id);
  assert.equal(status, "completed", JSON.stringify(error));
  return await download(client, id);
}

/** The types of a file's outermost boxes (ISO/IEC 14496-12), in order; they fill the file. */
function topBoxes(file: Uint8Array<ArrayBuffer>): readonly string[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const types: string[] = [];
  let at = 0;
  while (at < file.length) {
    const size = view.getUint32(at);
    assert.ok(size >= 8, `a box of ${size} bytes`);
    types.push(new TextDecoder().decode(file.subarray(at + 4, at + 8)));
    at += size;
  }
  assert.equal(at, file.length);
  return types;
}

function frame(film: Uint8Array, index: number): Uint8Array {
  return film.subarray(index * FRAME_BYTES, (index + 1) * FRAME_BYTES);
}

function mean(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum += byte;
  return sum / bytes.length;
}
