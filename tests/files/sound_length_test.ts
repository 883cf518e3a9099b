/**
 * How long files of sound play: by ffmpeg, and by hand.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { soundLength } from "../../src/files/sound_length.ts";
import { SeededRandom } from "../support/seeded_random.ts";

const SECONDS = 7.5;
const hasFfmpeg = await runs("-version");

async function runs(...args: readonly string[]): Promise<boolean> {
  try {
    const command = new Deno.Command("ffmpeg", { args: [...args], stdout: "null", stderr: "null" });
    return (await command.output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** A file's name and what ffmpeg makes it with. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  "a.wav": [],
  "a.flac": [],
  "a.mp3": ["-c:a", "libmp3lame", "-b:a", "64k"],
  "variable.mp3": ["-c:a", "libmp3lame", "-q:a", "6"],
  "untagged.mp3": ["-c:a", "libmp3lame", "-b:a", "64k", "-write_xing", "0", "-id3v2_version", "0"],
  "slow.mp3": ["-c:a", "libmp3lame", "-ar", "16000", "-b:a", "32k"],
  "a.m4a": [],
  "fast.m4a": ["-movflags", "+faststart"],
  "a.ogg": ["-c:a", "libvorbis"],
  "a.opus": ["-c:a", "libopus"],
  "a.webm": ["-c:a", "libopus"],
  "a.mka": ["-c:a", "flac"],
};

Deno.test({
  name: "soundLength() agrees with ffmpeg on every container",
  ignore: !hasFfmpeg && Deno.env.get("CI") !== "true",
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      for (const [name, args] of Object.entries(FILES)) {
        const path = `${folder}/${name}`;
        const source = `sine=frequency=440:duration=${SECONDS}`;
        assert.ok(await runs("-y", "-f", "lavfi", "-i", source, ...args, path), name);
        const { size: bytes } = await Deno.stat(path);
        const seconds = await soundLength({ path, bytes });
        // Encoders fill the last frame up.
        assert.ok(Math.abs((seconds ?? 0) - SECONDS) < 0.2, `${name}: ${seconds}`);
        await lookAtBroken(path);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

/** What is cut or spoilt has some length or none, but is read. */
async function lookAtBroken(path: string): Promise<void> {
  const whole = await Deno.readFile(path);
  const random = new SeededRandom(1, "sound");
  for (let round = 0; round < 100; round++) {
    const bytes = whole.slice(0, random.integer(0, Math.min(whole.length, 600)));
    for (let spoilt = 0; spoilt < 4 && bytes.length > 0; spoilt++) {
      bytes[random.integer(0, bytes.length - 1)] = random.integer(0, 255);
    }
    await Deno.writeFile(path, bytes);
    const seconds = await soundLength({ path, bytes: bytes.length });
    assert.ok(seconds === undefined || (seconds > 0 && Number.isFinite(seconds)));
  }
}

const text = (value: string) => new TextEncoder().encode(value);

async function lengthOf(...parts: readonly Uint8Array[]): Promise<number | undefined> {
  const path = await Deno.makeTempFile();
  try {
    const bytes = Buffer.concat(parts);
    await Deno.writeFile(path, bytes);
    return await soundLength({ path, bytes: bytes.length });
  } finally {
    await Deno.remove(path);
  }
}

const zeros = (count: number) => new Uint8Array(count);

Deno.test("what a browser records plays for a time that nobody knows", async () => {
  const ebml = Uint8Array.of(0x1a, 0x45, 0xdf, 0xa3, 0x80);
  const segment = Uint8Array.of(0x18, 0x53, 0x80, 0x67, 0x01, 255, 255, 255, 255, 255, 255, 255);
  const scale = Uint8Array.of(0x2a, 0xd7, 0xb1, 0x83, 0x0f, 0x42, 0x40);
  const info = Uint8Array.of(0x15, 0x49, 0xa9, 0x66);
  assert.equal(await lengthOf(ebml, segment, info, Uint8Array.of(0x87), scale), undefined);
  const duration = Uint8Array.of(0x44, 0x89, 0x84, 0x45, 0xea, 0x60, 0);
  assert.equal(
    await lengthOf(ebml, segment, info, Uint8Array.of(0x8e), scale, duration, zeros(5_000)),
    SECONDS,
  );
});

Deno.test("an Ogg file of something else, or without samples, has no length", async () => {
  const page = (granule: number) => {
    const bytes = new Uint8Array(28);
    bytes.set(text("OggS"));
    new DataView(bytes.buffer).setBigInt64(6, BigInt(granule), true);
    bytes[26] = 1;
    return bytes;
  };
  const opus = new Uint8Array(19);
  opus.set(text("OpusHead"));
  assert.equal(await lengthOf(page(0), opus, zeros(5_000), page(360_000)), SECONDS);
  assert.equal(await lengthOf(page(0), opus, zeros(5_000), page(360_000), page(-1)), SECONDS);
  assert.equal(await lengthOf(page(0), opus, page(0)), undefined);
  assert.equal(await lengthOf(page(0), new Uint8Array(19), page(360_000)), undefined);
  assert.equal(await lengthOf(text("words that are no sound at all")), undefined);
});

/** The parts of a WAV file's head, of a rate, bytes of a sample of all channels, and a format. */
function wavHead(rate: number, block: number, { format = 1, told = rate * block } = {}) {
  const view = new DataView(new ArrayBuffer(44));
  new Uint8Array(view.buffer).set(text("RIFF\0\0\0\0WAVEfmt "));
  view.setUint32(16, 16, true);
  view.setUint16(20, format, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, told, true);
  view.setUint16(32, block, true);
  return new Uint8Array(view.buffer);
}

Deno.test("a WAV file plays by its samples, whatever its head says of a second", async () => {
  const hour = zeros(32_000 * 60 - 44);
  assert.equal(await lengthOf(wavHead(16_000, 2), hour), 60);
  assert.equal(await lengthOf(wavHead(16_000, 2, { told: 4_000_000_000 }), hour), 60);
  assert.equal(await lengthOf(wavHead(16_000, 2, { told: 1 }), hour), 60);
  const coded = { format: 0x11, told: 4_000_000_000 };
  assert.equal(await lengthOf(wavHead(16_000, 2, coded), hour), 1_920_000 / 576_000);
  assert.equal(await lengthOf(wavHead(16_000, 2, { ...coded, told: 1 }), hour), 1_920_000 / 500);
  assert.equal(await lengthOf(wavHead(1, 1), hour), 1_920_000 / 500);
  assert.equal(await lengthOf(wavHead(4_000_000_000, 60_000), hour), 1_920_000 / 6_144_000);
});

Deno.test({
  name: "a head that tells another length is believed as far as the bytes allow",
  ignore: !hasFfmpeg && Deno.env.get("CI") !== "true",
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      const forge = async (
        name: string,
        write: (view: DataView, set: (length: "long" | "short") => number) => void,
      ) => {
        const path = `${folder}/${name}`;
        const args = ["-f", "lavfi", "-i", `sine=frequency=440:duration=${SECONDS}`];
        assert.ok(await runs("-y", ...args, ...FILES[name]!, path), name);
        const whole = await Deno.readFile(path);
        const told: number[] = [];
        for (const length of ["short", "long"] as const) {
          const bytes = whole.slice();
          write(new DataView(bytes.buffer), () => length === "long" ? 0xffff_fff0 : 1);
          await Deno.writeFile(path, bytes);
          told.push(await soundLength({ path, bytes: bytes.length }) ?? 0);
        }
        const [short, long] = told as [number, number];
        return { short, long, bytes: whole.length };
      };
      const find = (view: DataView, words: string) =>
        Buffer.from(view.buffer as ArrayBuffer).indexOf(words);
      const cases: readonly (readonly [string, number, Parameters<typeof forge>[1]])[] = [
        ["variable.mp3", 40_000, (view, set) => {
          const at = Math.max(find(view, "Xing"), find(view, "Info"));
          view.setUint32(at + 8, set("long"));
        }],
        ["a.m4a", 576_000, (view, set) => view.setUint32(find(view, "mvhd") + 20, set("long"))],
        ["a.opus", 96_000, (view, set) => {
          const at = Buffer.from(view.buffer as ArrayBuffer).lastIndexOf("OggS");
          view.setBigInt64(at + 6, BigInt(set("long")) * 1_000n, true);
        }],
        ["a.webm", 576_000, (view, set) => {
          const at = Buffer.from(view.buffer as ArrayBuffer).indexOf(
            Uint8Array.of(0x44, 0x89, 0x88),
          );
          view.setFloat64(at + 3, set("long"));
        }],
        ["a.flac", 44_100 * 2 * 1.1, (view, set) => view.setUint32(22, set("long"))],
      ];
      for (const [name, mostRate, write] of cases) {
        const { short, long, bytes } = await forge(name, write);
        // All frames of an MP3 are counted, whatever is told of them.
        if (name === "variable.mp3") near(short, SECONDS, "no shorter than its frames");
        else assert.equal(short, bytes / mostRate, `${name}: no shorter than its bytes`);
        assert.equal(long, bytes / 500, `${name}: no longer than its bytes`);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

/** A file of `FILES` as ffmpeg makes it. */
async function made(name: string, ...args: readonly string[]): Promise<Uint8Array> {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/${name}`;
    const source = ["-f", "lavfi", "-i", `sine=frequency=440:duration=${SECONDS}`];
    assert.ok(await runs("-y", ...source, ...FILES[name]!, ...args, path), name);
    return await Deno.readFile(path);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function near(seconds: number | undefined, expected: number, why: string): void {
  assert.ok(Math.abs((seconds ?? 0) - expected) < 0.2, `${why}: ${seconds}`);
}

Deno.test({
  name: "a head that claims a higher rate than its frames have is not believed",
  ignore: !hasFfmpeg && Deno.env.get("CI") !== "true",
  async fn() {
    for (const rate of [16_000, 44_100, 11_025, 12_345]) {
      const flac = await made("a.flac", "-ar", String(rate));
      const view = new DataView(flac.buffer);
      // 20 bits of the rate, 3 of the channels.
      view.setUint32(18, (655_350 << 12 | 7 << 9 | view.getUint32(18) & 0x1ff) >>> 0);
      near(await lengthOf(flac), SECONDS, `FLAC of ${rate}`);
      // A lower one takes longer to play.
      view.setUint32(18, (rate / 3 << 12 | view.getUint32(18) & 0xfff) >>> 0);
      near(await lengthOf(flac), SECONDS * 3, `FLAC of ${rate} that claims less`);
    }
    const slow = await made("variable.mp3", "-ar", "16000");
    const fast = await made("variable.mp3", "-ar", "48000", "-b:a", "320k");
    const tagged = (bytes: Uint8Array) => {
      const at = Math.max(...["Xing", "Info"].map((tag) => Buffer.from(bytes).indexOf(tag)));
      const start = bytes.subarray(0, at).lastIndexOf(0xff);
      return { start, count: new DataView(bytes.buffer).getUint32(at + 8), at };
    };
    const [honest, claimed] = [tagged(slow), tagged(fast)];
    near(await lengthOf(slow), SECONDS, "an honest tag");
    // The tag of a file of another rate, with the count of this one.
    const head = fast.slice(claimed.start, claimed.start + frameBytes(fast, claimed.start));
    new DataView(head.buffer).setUint32(claimed.at - claimed.start + 8, honest.count);
    const sound = slow.subarray(honest.start + frameBytes(slow, honest.start));
    near(await lengthOf(head, sound), SECONDS, "a tag of another rate");
    // What no decoder has played so far is not taken for sound that is short.
    assert.equal(
      await lengthOf(head, zeros(50), sound),
      undefined,
      "a tag that no frame follows says nothing",
    );
  },
});

Deno.test({
  name: "an MP3 without a count plays as long as all of its frames, not as the first ones do",
  ignore: !hasFfmpeg && Deno.env.get("CI") !== "true",
  async fn() {
    // Without the reservoir of bits a piece may stand anywhere.
    const piece = (rate: string) => made("untagged.mp3", "-b:a", rate, "-reservoir", "0");
    const [fast, slow] = [await piece("320k"), await piece("32k")];
    near(await lengthOf(fast, slow), 2 * SECONDS, "a fast beginning");
    near(await lengthOf(slow, fast), 2 * SECONDS, "a slow beginning");
    near(await lengthOf(fast, slow, slow, fast), 4 * SECONDS, "both, twice");
    near(await lengthOf(slow, text("TAG"), zeros(125)), SECONDS, "a tag at the end");
    // A head alone is not the beginning of sound, and what is between frames is not for ever.
    const noise = Uint8Array.from({ length: 1_000 }, (_, at) => at % 7 === 0 ? 0xff : 0xfb);
    near(await lengthOf(slow, noise, fast), 2 * SECONDS, "noise in between");
  },
});

Deno.test("a FLAC head that no frame follows says nothing, however many blocks it has", async () => {
  const head = new Uint8Array(42);
  head.set(text("fLaC"));
  const view = new DataView(head.buffer);
  view.setUint32(4, 34);
  view.setUint32(18, (44_100 << 12 | 1 << 9 | 15 << 4) >>> 0);
  view.setUint32(22, 44_100);
  assert.equal(await lengthOf(head), undefined);
  assert.equal(await lengthOf(head, zeros(1_000_000)), undefined);
  view.setUint32(4, 0x8000_0022);
  assert.equal(await lengthOf(head, zeros(1_000)), undefined);
  // Rate and bits are the head's, two channels, the frame's number in one byte.
  const frame = new Uint8Array(30_000);
  frame.set([0xff, 0xf8, 0x90, 0x10, 0]);
  assert.equal(await lengthOf(head, frame), 1);
  // 16 kHz, told by a byte of its own behind the number and the block's size.
  frame.set([0xff, 0xf8, 0x6c, 0x10, 0, 255, 16]);
  assert.equal(await lengthOf(head, frame), 44_100 / 16_000);
});

/** Of layer III. */
function frameBytes(bytes: Uint8Array, at: number): number {
  const isMpeg1 = (bytes[at + 1]! >> 3 & 3) === 3;
  const kbits =
    (isMpeg1
      ? [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
      : [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160])[bytes[at + 2]! >> 4]!;
  const rate = [44_100, 48_000, 32_000][bytes[at + 2]! >> 2 & 3]! / (isMpeg1 ? 1 : 2);
  return Math.floor((isMpeg1 ? 144 : 72) * kbits * 1_000 / rate) + (bytes[at + 2]! >> 1 & 1);
}
