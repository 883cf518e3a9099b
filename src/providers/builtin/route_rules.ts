/**
 * Rules of the catalogue file for routes of the built-in provider: which of its models serves which
 * kind, which faults that takes, and what its videos can be.
 *
 * @module
 */

import { mappingFrom, type Report } from "../../documents/problem.ts";
import { asArray } from "../../domain/json_value.ts";
import type { VideoOffer } from "../../domain/catalogue.ts";
import type { LooseRoute } from "../contract/kind.ts";
import { readVideoSize } from "../../domain/video_size.ts";
import {
  BUILTIN_CHAT_MODEL,
  BUILTIN_EMBEDDING_MODEL,
  parseChatFaults,
} from "../../domain/chat_faults.ts";
import { BUILTIN_VIDEO_MODEL, parseFilmFaults } from "@tollgate/render/faults";

const MOST_SECONDS = 12;
const SIDE = { least: 64, most: 1792 } as const;
/** Memory and time grow with the picture: none is larger than the largest one on offer. */
const MOST_PIXELS = 1792 * 1024;

/** What a built-in video route offers unless its catalogue says otherwise. */
export const BUILTIN_OFFER: VideoOffer = Object.freeze({
  sizes: ["720x1280", "1280x720", "1024x1792", "1792x1024", "640x360"],
  seconds: [4, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12],
  passFields: [],
});

/** Why a size (`<width>x<height>`) cannot be rendered; `undefined` when it can. */
export function unrenderableSize(size: string): string | undefined {
  const { width, height } = readVideoSize(size) ?? { width: 0, height: 0 };
  const isSide = (side: number) => side % 2 === 0 && side >= SIDE.least && side <= SIDE.most;
  if (isSide(width) && isSide(height) && width * height <= MOST_PIXELS) return undefined;
  return `The built-in renderer cannot make this size: each side must be even, from ${SIDE.least} ` +
    `to ${SIDE.most}, with at most ${MOST_PIXELS} pixels`;
}

/** Why a length cannot be rendered; `undefined` when it can. */
export function unrenderableSeconds(seconds: number): string | undefined {
  return seconds <= MOST_SECONDS
    ? undefined
    : `The built-in renderer makes films of at most ${MOST_SECONDS} seconds`;
}

/** Checks what a route offers, raw as it is in the file. */
export function checkOffer({ route, path }: LooseRoute, report: Report): void {
  const video = mappingFrom(route.video);
  for (const [index, size] of asArray(video.sizes).entries()) {
    const fault = typeof size === "string" ? unrenderableSize(size) : undefined;
    if (fault !== undefined) report([...path, "video", "sizes", index], fault);
  }
  for (const [index, seconds] of asArray(video.seconds).entries()) {
    const fault = typeof seconds === "number" ? unrenderableSeconds(seconds) : undefined;
    if (fault !== undefined) report([...path, "video", "seconds", index], fault);
  }
  if (asArray(video.pass_fields).length > 0) {
    report([...path, "video", "pass_fields"], "A builtin route has no upstream: remove it");
  }
}

/** What serves a kind of model. */
const SERVING: ReadonlyMap<
  unknown,
  { readonly name: string; readonly does: string; readonly parse: (upstream: string) => unknown }
> = new Map([
  ["chat", { name: BUILTIN_CHAT_MODEL, does: "chats", parse: parseChatFaults }],
  ["embedding", { name: BUILTIN_EMBEDDING_MODEL, does: "embeds", parse: parseChatFaults }],
  ["video", { name: BUILTIN_VIDEO_MODEL, does: "makes films", parse: parseFilmFaults }],
]);

/** Checks which model a route of the built-in provider calls, raw as it is in the file. */
export function checkBuiltinModel({ route, path, model }: LooseRoute, report: Report): void {
  const serving = SERVING.get(model.kind);
  const upstream = route.upstream_model ?? model.id;
  if (serving === undefined || typeof upstream !== "string") return;
  const { name, does, parse } = serving;
  const at = "upstream_model" in route ? [...path, "upstream_model"] : path;
  if (upstream.split(":", 1)[0] !== name) {
    report(at, `The built-in provider ${does} with ${name} alone: write upstream_model: ${name}`);
    return;
  }
  try {
    parse(upstream);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    report(at, error.message);
  }
}
