import assert from "node:assert/strict";
import { fastStart } from "../../encode/fast_start.ts";
import { labelFilm } from "../../encode/label_film.ts";
import { leafBoxes, readBoxes } from "../../encode/mp4_boxes.ts";

const FTYP = box("ftyp", [...ascii("mp42"), 0, 0, 0, 0]);
const PICTURES = [...ascii("first picture"), ...ascii("second picture")];

Deno.test("fastStart() moves the index first and its offsets with the pictures", () => {
  for (const kind of ["stco", "co64"] as const) {
    const film = Uint8Array.from([
      ...FTYP,
      ...box("free", new Array(20).fill(0)),
      ...box("mdat", PICTURES),
      ...indexOf(kind, [52, 52 + 13]),
      ...box("free", []),
    ]);
    assert.equal(text(film, 52, 13), "first picture", "the sample film is right");

    const ordered = fastStart(film);

    assert.deepEqual(readBoxes(ordered).map(({ type }) => type), ["ftyp", "moov", "mdat"]);
    const [first, second] = offsets(ordered);
    assert.equal(text(ordered, first!, 13), "first picture");
    assert.equal(text(ordered, second!, 14), "second picture");
  }
});

Deno.test("fastStart() leaves a film alone whose index is first", () => {
  const film = fastStart(
    Uint8Array.from([...FTYP, ...box("mdat", PICTURES), ...indexOf("stco", [24, 37])]),
  );
  assert.deepEqual(fastStart(film), film);
});

Deno.test("fastStart() reads a box with a long length", () => {
  const long = [0, 0, 0, 1, ...ascii("mdat"), 0, 0, 0, 0, 0, 0, 0, 16 + PICTURES.length];
  const film = Uint8Array.from([...FTYP, ...long, ...PICTURES, ...indexOf("stco", [32])]);
  assert.equal(text(film, 32, 13), "first picture", "the sample film is right");

  const ordered = fastStart(film);

  assert.equal(text(ordered, offsets(ordered)[0]!, 13), "first picture");
});

Deno.test("fastStart() throws when a box is missing, there twice or cut short", () => {
  const mdat = box("mdat", PICTURES);
  const moov = indexOf("stco", [24]);
  const wrong = {
    "0 boxes 'moov'": [...FTYP, ...mdat],
    "2 boxes 'mdat'": [...FTYP, ...mdat, ...mdat, ...moov],
    "wrong length": [...FTYP, ...mdat, ...moov].slice(0, -1),
    "byte 16 has a wrong length": [...FTYP, 0, 0, 0, 7, ...ascii("mdat")],
  };
  for (const [message, bytes] of Object.entries(wrong)) {
    assert.throws(() => fastStart(Uint8Array.from(bytes)), new RegExp(message));
  }
});

Deno.test("labelFilm() throws when the index is not last", () => {
  const film = Uint8Array.from([...FTYP, ...indexOf("stco", [0]), ...box("mdat", PICTURES)]);
  assert.throws(() => labelFilm(film), /index is not last/);
});

function indexOf(kind: "stco" | "co64", offsets: readonly number[]): number[] {
  const entries = offsets.flatMap((offset) => {
    const entry = [0, 0, offset >> 8, offset & 255];
    return kind === "stco" ? entry : [0, 0, 0, 0, ...entry];
  });
  const table = box(kind, [0, 0, 0, 0, 0, 0, 0, offsets.length, ...entries]);
  const track = ["stbl", "minf", "mdia", "trak"].reduce((inner, type) => box(type, inner), table);
  return box("moov", [...box("mvhd", [0, 0, 0, 0]), ...track]);
}

function offsets(film: Uint8Array): number[] {
  const moov = readBoxes(film).find(({ type }) => type === "moov")!;
  const table = leafBoxes(film, moov).find(({ type }) => type === "stco" || type === "co64")!;
  const view = new DataView(film.buffer, table.content);
  return Array.from(
    { length: view.getUint32(4) },
    (_, entry) =>
      table.type === "stco"
        ? view.getUint32(8 + entry * 4)
        : Number(view.getBigUint64(8 + entry * 8)),
  );
}

function box(type: string, content: readonly number[]): number[] {
  return [0, 0, 0, 8 + content.length, ...ascii(type), ...content];
}

function ascii(letters: string): number[] {
  return [...letters].map((letter) => letter.charCodeAt(0));
}

function text(bytes: Uint8Array, start: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(start, start + length));
}
