/**
 * Looks at films and makes images with ffmpeg, a judge that shares no code with the renderer.
 *
 * @module
 */

import assert from "node:assert/strict";

/** Options for tests that need ffmpeg and ffprobe: skipped without them, but never in CI. */
export const needsFfmpeg: { readonly ignore: boolean } = {
  ignore: Deno.env.get("CI") !== "true" && !await hasFfmpeg(),
};

/** What ffprobe says of a film. */
export interface FilmFacts {
  readonly codec_name: string;
  readonly width: number;
  readonly height: number;
  readonly pix_fmt: string;
  readonly color_range: string;
  readonly color_space: string;
  readonly color_transfer: string;
  readonly color_primaries: string;
  readonly avg_frame_rate: string;
  /** Seconds with six decimals. */
  readonly duration: string;
  /** As the index says. */
  readonly nb_frames: string;
  /** As decoded. */
  readonly nb_read_frames: string;
}

/** What ffprobe says of the only stream of a film, all frames of which it decodes. */
export async function probeFilm(film: Uint8Array): Promise<FilmFacts> {
  const path = await Deno.makeTempFile({ suffix: ".mp4" });
  try {
    await Deno.writeFile(path, film);
    const { streams } = JSON.parse(new TextDecoder().decode(
      await run("ffprobe", ["-count_frames", "-show_streams", "-of", "json", path]),
    ));
    assert.equal(streams.length, 1);
    return streams[0];
  } finally {
    await Deno.remove(path);
  }
}

/** All frames as I420, one after the other. The film is read from a pipe: in order, only once. */
export async function decodeFilm(film: Uint8Array): Promise<Uint8Array> {
  return await run("ffmpeg", ["-i", "-", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-"], film);
}

/** The pixels of an image file, three bytes each. */
export async function decodeRgb(image: Uint8Array): Promise<Uint8Array> {
  return await run("ffmpeg", ["-i", "-", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], image);
}

/** An image file of ffmpeg's coloured test picture, made with the given output options. */
export async function makeImage(size: string, ...output: string[]): Promise<Uint8Array> {
  // The source itself knows even sides only.
  const source = ["-f", "lavfi", "-i", `testsrc2,scale=${size.replace("x", ":")}`];
  return await run("ffmpeg", [...source, "-frames:v", "1", ...output, "-"]);
}

/** Output options of {@linkcode makeImage}. */
export const PNG = ["-f", "image2pipe", "-c:v", "png"];
export const JPEG = ["-f", "image2pipe", "-c:v", "mjpeg", "-q:v", "2", "-pix_fmt", "yuvj420p"];
export const LOSSY_WEBP = ["-f", "image2pipe", "-c:v", "libwebp", "-quality", "90"];
export const LOSSLESS_WEBP = [
  ..."-f image2pipe -c:v libwebp -lossless 1 -pix_fmt bgra".split(" "),
];

/** How alike two pictures are, in decibels: above 35 one sees no difference. */
export function psnr(one: Uint8Array | Uint8ClampedArray, other: typeof one): number {
  assert.equal(one.length, other.length);
  let squares = 0;
  for (let at = 0; at < one.length; at++) squares += (one[at]! - other[at]!) ** 2;
  return squares === 0 ? Infinity : 10 * Math.log10(255 ** 2 / (squares / one.length));
}

async function run(tool: string, args: readonly string[], input?: Uint8Array): Promise<Uint8Array> {
  const child = new Deno.Command(tool, {
    args: ["-v", "error", ...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  // The tool may stop reading before the end: what it says of that counts, not the broken pipe.
  const written = writer.write(input ?? new Uint8Array()).then(() => writer.close()).catch(
    () => {},
  );
  const { success, stdout, stderr } = await child.output();
  await written;
  const said = new TextDecoder().decode(stderr);
  assert.ok(success && said === "", `${tool}: ${said}`);
  return stdout;
}

async function hasFfmpeg(): Promise<boolean> {
  try {
    for (const tool of ["ffmpeg", "ffprobe"]) {
      await new Deno.Command(tool, { args: ["-version"], stdout: "null" }).output();
    }
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
