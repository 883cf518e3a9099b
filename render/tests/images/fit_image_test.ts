import assert from "node:assert/strict";
import type { Frame } from "../../frame.ts";
import { colourOf } from "../../images/bt709.ts";
import { fitImage } from "../../images/fit_image.ts";
import type { Picture } from "../../images/picture.ts";

type Colour = readonly [red: number, green: number, blue: number, opacity?: number];

const RED: Colour = [255, 0, 0];
const BLUE: Colour = [0, 0, 255];
const GREY: Colour = [128, 128, 128];

Deno.test("fitImage() keeps colours whether it shrinks, grows or does neither", () => {
  for (const side of [8, 40, 300]) {
    for (const colour of [RED, BLUE, GREY, [255, 255, 255], [0, 0, 0], [12, 200, 77]] as const) {
      const frame = fitImage(picture(side, side, () => colour), { width: 40, height: 40 });
      for (const [x, y] of [[0, 0], [39, 0], [20, 20], [39, 39]] as const) {
        assertColour(frame, [x, y], colour);
      }
    }
  }
});

Deno.test("fitImage() fills the frame and cuts both sides evenly when the picture is wider", () => {
  const wide = picture(400, 100, (x) => x < 150 ? RED : x < 250 ? GREY : BLUE);

  const frame = fitImage(wide, { width: 100, height: 100 });

  // The middle 100 of 400 columns are seen: all of them grey.
  for (const x of [0, 50, 99]) assertColour(frame, [x, 50], GREY);
});

Deno.test("fitImage() fills the frame and cuts top and bottom when the picture is higher", () => {
  const high = picture(50, 300, (_, y) => y < 100 ? RED : y < 200 ? GREY : BLUE);

  const frame = fitImage(high, { width: 100, height: 200 });

  // The middle 100 of 300 rows are seen, twice as large.
  for (const y of [2, 100, 197]) assertColour(frame, [50, y], GREY);
});

Deno.test("fitImage() keeps left, right, top and bottom where they are", () => {
  const corners = picture(90, 90, (x, y) => x < 45 ? (y < 45 ? RED : GREY) : (y < 45 ? BLUE : RED));

  const frame = fitImage(corners, { width: 40, height: 40 });

  assertColour(frame, [3, 3], RED);
  assertColour(frame, [36, 3], BLUE);
  assertColour(frame, [3, 36], GREY);
  assertColour(frame, [36, 36], RED);
});

Deno.test("fitImage() averages what it shrinks and lets nothing fall through", () => {
  const stripes = picture(400, 400, (x) => x % 2 === 0 ? [255, 255, 255] : [0, 0, 0]);

  const frame = fitImage(stripes, { width: 40, height: 40 });

  for (const x of [0, 13, 39]) assertColour(frame, [x, 20], [127.5, 127.5, 127.5]);
});

Deno.test("fitImage() lays what is transparent on black", () => {
  const ghost = picture(40, 40, (x) => [255, 255, 255, x < 20 ? 0 : 128]);

  const frame = fitImage(ghost, { width: 40, height: 40 });

  assertColour(frame, [5, 5], [0, 0, 0]);
  assertColour(frame, [35, 5], [128, 128, 128]);
});

Deno.test("fitImage() takes a picture of one pixel", () => {
  assertColour(fitImage(picture(1, 1, () => BLUE), { width: 64, height: 36 }), [63, 35], BLUE);
});

function picture(
  width: number,
  height: number,
  colourAt: (x: number, y: number) => Colour,
): Picture {
  const rgba = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [red, green, blue, opacity = 255] = colourAt(x, y);
      rgba.set([red, green, blue, opacity], (y * width + x) * 4);
    }
  }
  return { width, height, rgba };
}

function assertColour(
  { width, y, u, v }: Frame,
  [x, row]: readonly [number, number],
  colour: Colour,
) {
  const chroma = (row >> 1) * (width / 2) + (x >> 1);
  const shown = colourOf(y[row * width + x]!, u[chroma]!, v[chroma]!);
  // One step of luma or chroma is worth up to 2.2 of 255.
  shown.forEach((part, index) =>
    assert.ok(Math.abs(part - colour[index]!) < 3, `at ${x},${row}: ${shown}, not ${colour}`)
  );
}
