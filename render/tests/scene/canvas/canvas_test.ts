import assert from "node:assert/strict";
import { createFrame, type Frame } from "../../../frame.ts";
import { Canvas } from "../../../scene/canvas/canvas.ts";

const WHITE = 235;
const BLACK = 16;

Deno.test("fill() covers exactly the pixels inside a polygon, edges by their share", () => {
  const { canvas, frame } = blackCanvas(16, 8);
  canvas.path.polygon([2, 1, 6.5, 1, 6.5, 3, 2, 3]);
  canvas.fill(0xffffff);
  assert.equal(frame.y[1 * 16 + 1], BLACK);
  assert.equal(frame.y[1 * 16 + 2], WHITE);
  assert.equal(frame.y[2 * 16 + 5], WHITE);
  assert.ok(Math.abs(frame.y[2 * 16 + 6]! - (WHITE + BLACK) / 2) <= 1);
  assert.equal(frame.y[3 * 16 + 3], BLACK);
});

Deno.test("fill() covers the area of a circle, wherever it stands", () => {
  for (const [x, y] of [[32, 32], [20.3, 40.7]] as const) {
    const { canvas, frame } = blackCanvas(64, 64);
    canvas.path.ellipse(x, y, 14, 14);
    canvas.fill(0xffffff);
    const share = areaOf(frame) / (Math.PI * 14 * 14);
    assert.ok(share > 0.98 && share < 1.005, `${share}`);
  }
});

Deno.test("fill() clips what leaves the picture on any side", () => {
  for (const [x, y] of [[0, 16], [32, 16], [16, 0], [16, 32]] as const) {
    const { canvas, frame } = blackCanvas(32, 32);
    canvas.path.ellipse(x, y, 10, 10);
    canvas.fill(0xffffff);
    assert.ok(Math.abs(areaOf(frame) - Math.PI * 50) < 5, `${x},${y}: ${areaOf(frame)}`);
  }
  const { canvas, frame } = blackCanvas(32, 32);
  canvas.path.polygon([-500, -300, 700, -400, 900, 800, -600, 500]);
  canvas.fill(0xffffff);
  assert.ok(frame.y.every((value) => value === WHITE));
});

Deno.test("fill() unites outlines that overlap, whichever way round they run", () => {
  const { canvas, frame } = blackCanvas(16, 16);
  canvas.path.polygon([2, 2, 10, 2, 10, 10, 2, 10]);
  canvas.path.polygon([6, 6, 6, 14, 14, 14, 14, 6]);
  canvas.fill(0xffffff);
  assert.ok(Math.abs(areaOf(frame) - (64 + 64 - 16)) < 0.5);
});

Deno.test("fill() leaves no trace of one fill in the next", () => {
  const { canvas, frame } = blackCanvas(64, 16);
  canvas.path.polygon([3, 0, 61.3, 5.5, 20, 15.2]);
  canvas.fill({ colour: 0xffffff, alpha: 0.5 });
  canvas.clear(0x000000);
  canvas.path.polygon([10, 10, 12, 10, 12, 12, 10, 12]);
  canvas.fill(0xffffff);
  assert.equal(areaOf(frame), 4);
});

Deno.test("fill() multiplies by the light, except what shines", () => {
  const { canvas, frame } = blackCanvas(8, 8);
  canvas.light = { ambient: 0x808080, haze: 0, depth: 0 };
  for (const [shines, expected] of [[true, WHITE], [false, 126]] as const) {
    canvas.path.polygon([0, 0, 8, 0, 8, 8, 0, 8]);
    canvas.fill({ colour: 0xffffff, shines });
    assert.equal(frame.y[20], expected);
  }
});

Deno.test("fill() writes colours as BT.709 in the limited range", () => {
  const { canvas, frame } = blackCanvas(8, 8);
  canvas.path.polygon([0, 0, 8, 0, 8, 8, 0, 8]);
  canvas.fill(0xff0000);
  assert.deepEqual([frame.y[0], frame.u[0], frame.v[0]], [63, 102, 240]);
});

Deno.test("glow() is brightest at its centre and nothing beyond its radius", () => {
  const { canvas, frame } = blackCanvas(64, 64);
  canvas.glow(32, 32, 20, { colour: 0xffffff, alpha: 0.8 });
  const along = [32, 40, 48].map((x) => frame.y[32 * 64 + x]!);
  assert.ok(along[0]! > 150 && along[0]! > along[1]! && along[1]! > along[2]!);
  assert.equal(frame.y[32 * 64 + 54], BLACK);
});

function blackCanvas(width: number, height: number): { canvas: Canvas; frame: Frame } {
  const canvas = new Canvas(width, height);
  const frame = createFrame(width, height);
  canvas.begin(frame);
  canvas.clear(0x000000);
  return { canvas, frame };
}

/** White pixels, parts of one counted as such. */
function areaOf(frame: Frame): number {
  return frame.y.reduce((sum, value) => sum + (value - BLACK) / (WHITE - BLACK), 0);
}
