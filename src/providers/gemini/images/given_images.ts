/**
 * Images that a request gives, as Google's models take them: within the body, in base64. Those that are
 * on the disk are read from there while the body is sent.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { readDataUrl } from "../../../dialects/turns/data_url.ts";
import { asArray, asObject, isObject, type JsonObject } from "../../../domain/json_value.ts";
import { SpooledFile } from "../../../files/spooled_file.ts";
import type { StreamedBody } from "../../transport/contract.ts";
import { refuseImage } from "./refuse_image.ts";

/** Read at a time: a multiple of 3, so that the pieces' base64 is that of the whole. */
const PIECE_BYTES = 3 * 16 * 1024;
const HEAD_BYTES = 12;

/** One of them. */
export interface GivenImage {
  readonly mimeType: string;
  /** Base64, or what is to be read. */
  readonly data: string | SpooledFile;
}

/**
 * The images of a request for an edit, in their order.
 *
 * @throws {UpstreamError} `caller`, by name, of what is no image, or none that Google takes.
 */
export async function givenImages(
  { image, images, mask }: Readonly<JsonObject>,
): Promise<readonly GivenImage[]> {
  if ((mask ?? undefined) !== undefined) {
    throw refuseImage("mask", "The upstream of this model takes no 'mask': say it in the prompt");
  }
  const field = (image ?? undefined) === undefined ? "images" : "image";
  const given = image ?? images;
  const isList = Array.isArray(given);
  return await Promise.all(
    (isList ? asArray(given) : [given]).map((one, at) =>
      readImage(one, isList ? `${field}[${at}]` : field)
    ),
  );
}

async function readImage(value: unknown, at: string): Promise<GivenImage> {
  if (value instanceof SpooledFile) return { mimeType: await typeOf(value, at), data: value };
  const { image_url: url, file_id: id } = asObject(value) ?? {};
  const told = isObject(url) ? url.url : url ?? value;
  if ((id ?? undefined) !== undefined) {
    throw refuseImage(at, `The upstream of this model knows no 'file_id' (${at}): send the image`);
  }
  const held = typeof told === "string" ? readDataUrl(told, at) : undefined;
  if (held === undefined) {
    throw refuseImage(at, `The upstream of this model takes '${at}' as a file or a data URL alone`);
  }
  return { mimeType: held.media ?? "image/png", data: held.base64 };
}

/** What its sender says, or what its first bytes do: some clients send no type. */
async function typeOf({ path, contentType }: SpooledFile, at: string): Promise<string> {
  if (contentType?.startsWith("image/") === true) return contentType;
  using file = await Deno.open(path);
  const head = new Uint8Array(HEAD_BYTES);
  await file.read(head);
  const text = Buffer.from(head).toString("latin1");
  if (text.startsWith("\x89PNG")) return "image/png";
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (text.startsWith("RIFF") && text.endsWith("WEBP")) return "image/webp";
  if (/^ftyphei[cfmsx]|^ftypmif1/.test(text.slice(4))) return "image/heic";
  throw refuseImage(at, `Invalid value for '${at}': it is no PNG, JPEG, WebP or HEIC image`);
}

/** Stands in a body for images until it is sent. */
export class ImageSlots {
  /** What no prompt has in it. */
  readonly #mark = `image:${crypto.randomUUID()}:`;
  readonly #files: SpooledFile[] = [];

  /** The part of a body that is an image. */
  partOf({ mimeType, data }: GivenImage): JsonObject {
    const shown = typeof data === "string" ? data : `${this.#mark}${this.#files.push(data) - 1};`;
    return { inlineData: { mimeType, data: shown } };
  }

  /** The body with its images: read while it is sent where there are files. */
  write(body: JsonObject): string | StreamedBody {
    const text = JSON.stringify(body);
    if (this.#files.length === 0) return text;
    const pieces: (Uint8Array<ArrayBuffer> | SpooledFile)[] = [];
    for (const [index, words] of text.split(this.#mark).entries()) {
      const end = index === 0 ? 0 : words.indexOf(";") + 1;
      if (index > 0) pieces.push(this.#files[Number(words.slice(0, end - 1))]!);
      pieces.push(new TextEncoder().encode(words.slice(end)));
    }
    const bytes = pieces.reduce(
      (sum, piece) => sum + (piece instanceof SpooledFile ? codedBytes(piece) : piece.length),
      0,
    );
    return { bytes, open: () => read(pieces) };
  }
}

function codedBytes({ bytes }: SpooledFile): number {
  return Math.ceil(bytes / 3) * 4;
}

async function* read(
  pieces: readonly (Uint8Array<ArrayBuffer> | SpooledFile)[],
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (const piece of pieces) {
    if (piece instanceof SpooledFile) yield* coded(piece);
    else yield piece;
  }
}

async function* coded({ path }: SpooledFile): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  using file = await Deno.open(path);
  const buffer = new Uint8Array(PIECE_BYTES);
  const encoder = new TextEncoder();
  for (;;) {
    let filled = 0;
    while (filled < buffer.length) {
      const count = await file.read(buffer.subarray(filled));
      if (count === null) break;
      filled += count;
    }
    if (filled > 0) {
      yield encoder.encode(Buffer.from(buffer.buffer, 0, filled).toString("base64"));
    }
    if (filled < buffer.length) return;
  }
}
