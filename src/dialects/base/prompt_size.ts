/**
 * How many tokens a prompt is, before anybody counts: its text by bytes, and images, files, sound
 * and films by their kind and their size, or by their kind alone where they are only referred to.
 * Nobody opens them here.
 *
 * Each has two figures. The estimate is what is likely: it decides whether a
 * prompt fits a context, what is reserved of tokens per minute, and what is billed
 * where the upstream does not count. The bound is for holds: the most that vendors
 * take of such a part. What goes beyond it is charged all the same.
 *
 * The figures:
 * - An image: 3,000 tokens, what one large image takes with most models.
 * - A page of a document: Anthropic's documentation of PDF support says 1,500 to
 *   3,000 tokens of text a page, and each page as an image besides, about 1,600;
 *   2,800 in all are measured for invoices. At most 100 pages in a request.
 * - A second of sound: 10 tokens at OpenAI (its guide to realtime costs: one for
 *   100 ms of a user's audio), 32 at Google (its guide to audio).
 * - A second of film: Google's 258 for a picture and 32 for the sound.
 *
 * @module
 */

import type { RequestFacts } from "../../domain/request_facts.ts";
import { asObject, type JsonObject } from "../../domain/json_value.ts";

/** Most tokenizers take about four bytes of English for a token. */
const BYTES_PER_TOKEN = 4;

/** What a tool that an upstream runs may add to the prompt: a search's pages, a file's text. */
export const FETCHED_TOKENS = 128_000;

/** The parts of a prompt that are no text, added up. */
export interface PromptMedia {
  readonly images: number;
  readonly dataLength: number;
  readonly estimate: number;
  readonly bound: number;
}

/** Most prompts: none. */
export const NO_MEDIA: PromptMedia = Object.freeze({
  images: 0,
  dataLength: 0,
  estimate: 0,
  bound: 0,
});

/** With one more part. */
export function withMedia(sum: PromptMedia, one: MediaSize | undefined): PromptMedia {
  return one === undefined ? sum : {
    images: sum.images + (one.isImage ? 1 : 0),
    dataLength: sum.dataLength + one.dataLength,
    estimate: sum.estimate + one.estimate,
    bound: sum.bound + one.bound,
  };
}

/** The likely and the largest number of tokens of a body of so many bytes. */
export function promptSize(
  bodyBytes: number,
  { dataLength, estimate, bound }: PromptMedia,
): Pick<RequestFacts, "promptTokensEstimate" | "promptTokensBound"> {
  const textBytes = Math.max(0, bodyBytes - dataLength);
  return {
    promptTokensEstimate: Math.ceil(textBytes / BYTES_PER_TOKEN) + estimate,
    promptTokensBound: textBytes + bound,
  };
}

/** What a part that is no text takes. */
export interface MediaSize {
  readonly isImage: boolean;
  /** Characters of the body that are its data, not text. */
  readonly dataLength: number;
  readonly estimate: number;
  readonly bound: number;
}

const TOKENS_PER_IMAGE = 3_000;

const TOKENS_PER_PAGE = { estimate: 3_000, bound: 4_600 };
const MOST_PAGES = 100;
/** Pages of a document of which only a reference is known. */
const LIKELY_PAGES = 10;
/** Many documents are scans; a page of nothing but text takes far less. */
const BYTES_PER_PAGE = { likely: 100_000, least: 1_000 };

const TOKENS_PER_SECOND_OF_SOUND = 32;
/** 16 kHz of 16 bits, and the least that is in use: 8 kHz of 8 bits. */
const WAV_BYTES_PER_SECOND = { likely: 32_000, least: 8_000 };
/** 128 kbit/s, and 8. */
const PACKED_BYTES_PER_SECOND = { likely: 16_000, least: 1_000 };

const TOKENS_PER_SECOND_OF_FILM = 290;
const SECONDS_OF_FILM = { likely: 60, most: 600 };

/** What a content part of a chat or of the Responses API takes; `undefined` when it is text. */
export function mediaSize(part: JsonObject): MediaSize | undefined {
  if (part.image_url !== undefined || part.type === "input_image") return imageSize(part.image_url);
  switch (part.type) {
    case "input_audio":
      return soundSize(asObject(part.input_audio) ?? part);
    case "file":
      return fileSize(asObject(part.file) ?? part);
    case "input_file":
      return fileSize(part);
    case "video_url":
    case "input_video":
      return filmSize(asObject(part.video_url)?.url ?? part.video_url);
    default:
      return undefined;
  }
}

/** An image by its URL or data: as chat, or as the Responses API has it. */
export function imageSize(image: unknown): MediaSize {
  const url = typeof image === "string" ? image : asObject(image)?.url;
  return {
    isImage: true,
    dataLength: lengthOf(url),
    estimate: TOKENS_PER_IMAGE,
    bound: TOKENS_PER_IMAGE,
  };
}

function fileSize({ file_data, filename }: JsonObject): MediaSize {
  const dataLength = lengthOf(file_data);
  if (dataLength === 0) return pages({ likely: LIKELY_PAGES, most: MOST_PAGES, dataLength });
  const bytes = bytesOf(dataLength);
  if (isText(file_data as string, filename)) {
    const estimate = Math.ceil(bytes / BYTES_PER_TOKEN);
    return { isImage: false, dataLength, estimate, bound: bytes };
  }
  const pagesOf = (bytesPerPage: number) => Math.min(MOST_PAGES, Math.ceil(bytes / bytesPerPage));
  return pages({
    likely: pagesOf(BYTES_PER_PAGE.likely),
    most: pagesOf(BYTES_PER_PAGE.least),
    dataLength,
  });
}

function pages({ likely, most, dataLength }: {
  readonly likely: number;
  readonly most: number;
  readonly dataLength: number;
}): MediaSize {
  return {
    isImage: false,
    dataLength,
    estimate: likely * TOKENS_PER_PAGE.estimate,
    bound: most * TOKENS_PER_PAGE.bound,
  };
}

function soundSize({ data, format }: JsonObject): MediaSize {
  const dataLength = lengthOf(data);
  const bytes = bytesOf(dataLength);
  const perSecond = format === "wav" ? WAV_BYTES_PER_SECOND : PACKED_BYTES_PER_SECOND;
  const tokens = (bytesPerSecond: number) =>
    Math.ceil(bytes / bytesPerSecond) * TOKENS_PER_SECOND_OF_SOUND;
  return {
    isImage: false,
    dataLength,
    estimate: tokens(perSecond.likely),
    bound: tokens(perSecond.least),
  };
}

function filmSize(url: unknown): MediaSize {
  return {
    isImage: false,
    dataLength: lengthOf(url),
    estimate: SECONDS_OF_FILM.likely * TOKENS_PER_SECOND_OF_FILM,
    bound: SECONDS_OF_FILM.most * TOKENS_PER_SECOND_OF_FILM,
  };
}

const TEXT_NAME =
  /\.(?:txt|md|csv|tsv|json|jsonl|xml|html?|ya?ml|log|[cm]?[jt]sx?|py|go|rs|java|c|cc|h|sh|sql|css|tex)$/i;

/** Whether a file is text by its media type or, where the data does not say that, by its name. */
function isText(data: string, filename: unknown): boolean {
  if (/^data:/i.test(data)) return /^data:(?:text\/|application\/(?:json|xml)\b)/i.test(data);
  return typeof filename === "string" && TEXT_NAME.test(filename);
}

/** Of base64. */
function bytesOf(characters: number): number {
  return Math.ceil(characters * 3 / 4);
}

function lengthOf(data: unknown): number {
  return typeof data === "string" ? data.length : 0;
}
