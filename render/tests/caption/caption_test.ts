/**
 * Captions as they are in the picture: where the band is, how dark, and what its ink looks like.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createCaption } from "../../caption/caption.ts";
import { loadCaptionFont } from "../../caption/caption_font.ts";
import { createFrame, type Frame } from "../../frame.ts";

const font = await loadCaptionFont();
const SIZES = [[640, 360], [1280, 720], [720, 1280], [1024, 1792], [1792, 1024]] as const;
const [LUMA, BLUE, RED] = [180, 90, 170];
const FOX = "A red fox runs through fresh snow at dawn";
const FISHERMAN = "An old fisherman mends a blue net while gulls circle overhead. ".repeat(30);

for (const [width, height] of SIZES) {
  const share = height > width ? 0.14 : 0.16;

  for (const [name, prompt] of [["short", FOX], ["long", FISHERMAN]] as const) {
    Deno.test(`draw() keeps a ${name} caption inside its band at ${width}x${height}`, () => {
      const frame = captioned(prompt, width, height);
      const top = firstChangedRow(frame);
      assert.ok(height - top <= height * share, `the band begins in row ${top}`);
      assert.ok(top < height, "nothing was drawn");
      const box = inkBox(frame);
      assert.ok(box.ink > 500, `there is ink on ${box.ink} pixels`);
      assert.ok(box.left >= width * 0.04 && box.right <= width * 0.96, JSON.stringify(box));
      assert.ok(box.top > top && box.bottom < height - 1, `${top} ${JSON.stringify(box)}`);
      assert.ok(Math.abs(box.left - (width - 1 - box.right)) <= 4, "the text is not centred");
    });
  }

  Deno.test(`draw() keeps text of any length inside its band at ${width}x${height}`, () => {
    for (let length = 20; length <= 400; length += 20) {
      const top = firstChangedRow(captioned(FISHERMAN.slice(0, length), width, height));
      assert.ok(height - top <= height * share, `${length} characters begin in row ${top}`);
    }
  });

  Deno.test(`draw() darkens what is behind the text at ${width}x${height}`, () => {
    const frame = captioned(FOX, width, height);
    for (const row of [height - 2, height - 1]) {
      const values = frame.y.subarray(row * width, (row + 1) * width);
      assert.ok(values.every((value) => value > 16 && value < LUMA * 0.5), String(values[0]));
    }
    const last = frame.u.length - 1;
    assert.ok(frame.u[last]! > BLUE && frame.u[last]! < 128, String(frame.u[last]));
    assert.ok(frame.v[last]! < RED && frame.v[last]! > 128, String(frame.v[last]));
  });
}

Deno.test("draw() stays in the limited range on the darkest and the lightest picture", () => {
  for (const luma of [16, 235]) {
    const frame = createFrame(640, 360);
    frame.y.fill(luma);
    frame.u.fill(128);
    frame.v.fill(128);
    createCaption(FOX, frame, font).draw(frame);
    assert.ok(frame.y.every((value) => value >= 16 && value <= 235));
    assert.ok(frame.y.includes(235), "no pixel is wholly ink");
    assert.ok(frame.u.every((value) => value === 128) && frame.v.every((value) => value === 128));
  }
});

Deno.test("createCaption() sets the same text the same way and other texts otherwise", () => {
  const fox = captioned(FOX);
  assert.ok(isSame(captioned(FOX), fox));
  assert.ok(!isSame(captioned(FOX.replace("red", "blue")), fox));
  assert.ok(!isSame(captioned(FOX.toUpperCase()), fox));
});

Deno.test("draw() gives every frame the same caption", () => {
  const caption = createCaption(FOX, { width: 640, height: 360 }, font);
  const [first, second] = [grey(640, 360), grey(640, 360)];
  caption.draw(first);
  caption.draw(second);
  assert.ok(isSame(first, second));
});

Deno.test("createCaption() sets letters upright and to be read from the left", () => {
  const upperShare = (text: string) =>
    inkShare(text, (box, _x, y) => y < (box.top + box.bottom) / 2);
  assert.ok(upperShare("TTTT") > 0.55, "T carries its bar at the top");
  assert.ok(upperShare("LLLL") < 0.45, "L carries its bar at the bottom");
  const leftShare = (text: string) => inkShare(text, (box, x) => x < (box.left + box.right) / 2);
  assert.ok(leftShare("MMMM....") > 0.6, "what comes first is on the left");
  assert.ok(leftShare("....MMMM") < 0.4);
});

Deno.test("createCaption() leaves the insides of letters open", () => {
  const box = inkBox(captioned("OOOOOO", 1280, 720));
  const area = (box.right - box.left + 1) * (box.bottom - box.top + 1);
  assert.ok(box.ink < area * 0.5, `${box.ink} of ${area} pixels are ink`);
});

Deno.test("createCaption() makes longer text smaller and then gives it no more room", () => {
  const heightOf = (text: string) => 360 - firstChangedRow(captioned(text));
  const one = heightOf(FOX);
  const two = heightOf(`${FOX} while the moon still hangs over the pines`);
  const full = heightOf(FISHERMAN);
  assert.ok(two > one, "two lines need a higher band than one");
  assert.ok(full < two, "smaller type needs a lower band");
});

Deno.test("createCaption() looks only at the start of a very long prompt", () => {
  const long = FISHERMAN.repeat(20).slice(0, 32_000);
  assert.ok(isSame(captioned(long), captioned(long.slice(0, 1_200))));
});

Deno.test("createCaption() leaves the picture alone when there is nothing to read", () => {
  const untouched = grey(640, 360);
  const nothing = [
    "",
    "   ",
    "\u0000\n\t\r",
    "🦊",
    "👨‍👩‍👧 🇯🇵 1️⃣",
    "\u200b\u202e",
    "\ud800",
    "مرحبا",
    "ไทย",
    "\u0301",
  ];
  for (const text of nothing) {
    assert.ok(isSame(captioned(text), untouched), JSON.stringify(text));
  }
});

Deno.test("createCaption() takes any input without a fault and inside the band", () => {
  const odd = [
    "fox \ud83e",
    "\udc00\ud800 fox",
    "a\u0000b\u0007c\u007f\u0085d",
    "‮fox‬ مرحبا بالعالم fox שלום",
    "Z\u0301\u0302\u0303\u0304".repeat(200),
    "W".repeat(5_000),
    "雪".repeat(5_000),
    "「".repeat(300),
    "。".repeat(300),
    "🦊 ".repeat(2_000) + "fox",
    "\u{10ffff}\u{e000}\ufffe fox",
    "นกกระจอก fox हिन्दी",
    "-".repeat(400),
    " . ".repeat(400),
  ];
  for (const text of odd) {
    for (const [width, height] of [[640, 360], [720, 1280]] as const) {
      const frame = captioned(text, width, height);
      assert.ok(height - firstChangedRow(frame) <= height * 0.16, JSON.stringify(text.slice(0, 9)));
    }
  }
});

Deno.test("createCaption() shows line ends and controls as spaces, and decomposed as composed", () => {
  assert.ok(isSame(captioned("red\r\n\tfox\u0000runs"), captioned("red fox runs")));
  assert.ok(isSame(captioned("red 🦊 fox"), captioned("red fox")));
  assert.ok(isSame(captioned("cafe\u0301"), captioned("caf\u00e9")));
});

Deno.test("draw() refuses a frame of another size", () => {
  const caption = createCaption(FOX, { width: 640, height: 360 }, font);
  assert.throws(
    () => caption.draw(createFrame(360, 640)),
    /^RangeError: Cannot draw a caption for 640x360 on a frame of 360x640: create one/,
  );
});

function grey(width: number, height: number): Frame {
  const frame = createFrame(width, height);
  frame.y.fill(LUMA);
  frame.u.fill(BLUE);
  frame.v.fill(RED);
  return frame;
}

function captioned(text: string, width = 640, height = 360): Frame {
  const frame = grey(width, height);
  createCaption(text, frame, font).draw(frame);
  return frame;
}

/** Without a list of differences, which would be as long as the pictures. */
function isSame(one: Frame, other: Frame): boolean {
  return Buffer.from(one.data).equals(other.data);
}

/** The first row that differs from {@linkcode grey}; the height when none does. */
function firstChangedRow({ y, width, height }: Frame): number {
  const at = y.findIndex((value) => value !== LUMA);
  return at < 0 ? height : Math.floor(at / width);
}

interface InkBox {
  ink: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Where pixels are lighter than the picture under the caption ever was. */
function inkBox(frame: Frame): InkBox {
  const box = { ink: 0, left: Infinity, right: -1, top: Infinity, bottom: -1 };
  for (const [x, y] of inkPixels(frame)) {
    box.ink++;
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y);
  }
  return box;
}

function inkPixels({ y, width }: Frame): [number, number][] {
  const found: [number, number][] = [];
  y.forEach((value, at) => {
    if (value > LUMA + 5) found.push([at % width, Math.floor(at / width)]);
  });
  return found;
}

function inkShare(text: string, counts: (box: InkBox, x: number, y: number) => boolean): number {
  const frame = captioned(text);
  const box = inkBox(frame);
  return inkPixels(frame).filter(([x, y]) => counts(box, x, y)).length / box.ink;
}
