/**
 * An order as Veo takes it.
 *
 * @module
 */

import type { VideoWork } from "../../../domain/call.ts";
import type { VideoOffer } from "../../../domain/catalogue.ts";
import { mappingFrom, type Report } from "../../../documents/problem.ts";
import { asArray, type JsonObject } from "../../../domain/json_value.ts";
import type { LooseRoute } from "../../contract/kind.ts";
import { UpstreamError } from "../../../domain/upstream_error.ts";
import { applyRules, dropFields } from "../../contract/body_rules.ts";
import type { VideoOrder } from "../../contract/video_upstream.ts";

interface Picture {
  readonly aspectRatio: "16:9" | "9:16";
  readonly resolution: "720p" | "1080p" | "4k";
}

/** Sizes that there are. */
export const VEO_SIZES: ReadonlyMap<string, Picture> = new Map([
  ["1280x720", { aspectRatio: "16:9", resolution: "720p" }],
  ["720x1280", { aspectRatio: "9:16", resolution: "720p" }],
  ["1920x1080", { aspectRatio: "16:9", resolution: "1080p" }],
  ["1080x1920", { aspectRatio: "9:16", resolution: "1080p" }],
  ["3840x2160", { aspectRatio: "16:9", resolution: "4k" }],
  ["2160x3840", { aspectRatio: "9:16", resolution: "4k" }],
]);

/** What every model of it makes at once; larger ones take 8 seconds. */
export const VEO_OFFER: VideoOffer = Object.freeze({
  sizes: ["1280x720", "720x1280"],
  seconds: [8, 4, 6],
  passFields: [],
});

/** The only length of the larger ones. */
const LONGEST = 8;

/** Why no model makes a film of this length in this size; `undefined` where one may. */
export function filmFault({ size, seconds }: VideoWork): string | undefined {
  const resolution = VEO_SIZES.get(size)?.resolution ?? "720p";
  return resolution === "720p" || seconds === LONGEST
    ? undefined
    : `makes films of ${size} with ${LONGEST} seconds alone`;
}

/** What is no parameter, but stands beside the prompt, where this gateway puts the first picture alone. */
const BESIDE_PROMPT = /^(?:last_?frame|reference_?images|video|mask)$/i;

/** Checks what a route offers, raw as it is in the file: what no model makes is refused before it is paid for. */
export function checkFilms({ route, model, path }: LooseRoute, report: Report): void {
  if (model.kind !== "video") return;
  const video = mappingFrom(route.video);
  for (const [index, size] of asArray(video.sizes).entries()) {
    if (VEO_SIZES.has(String(size))) continue;
    const words = `Veo makes no such size: write one of ${[...VEO_SIZES.keys()].join(", ")}`;
    report([...path, "video", "sizes", index], words);
  }
  for (const [index, field] of asArray(video.pass_fields).entries()) {
    if (typeof field !== "string" || !BESIDE_PROMPT.test(field)) continue;
    const words = `Cannot be passed: of pictures a film takes its first one, as input_reference`;
    report([...path, "video", "pass_fields", index], words);
  }
}

/** Fields that callers spell as OpenAI's are. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ["negative_prompt", "negativePrompt"],
  ["person_generation", "personGeneration"],
]);

/**
 * Builds the body. The route's rules are for its `parameters`.
 *
 * @throws {UpstreamError} `caller`, of a size that there is not.
 */
export function createBody(
  { route, prompt, size, seconds, fields, reference }: VideoOrder,
): JsonObject {
  const picture = VEO_SIZES.get(size);
  if (picture === undefined) {
    const message = `Cannot make a film of ${size}: this model makes ${
      [...VEO_SIZES.keys()].join(", ")
    }`;
    throw new UpstreamError("caller", message, {
      status: 400,
      code: "invalid_value",
      param: "size",
      publicMessage: message,
    });
  }
  const parameters: JsonObject = { ...picture, durationSeconds: seconds };
  for (const [name, value] of Object.entries(fields)) parameters[FIELDS.get(name) ?? name] = value;
  applyRules(parameters, route.body);
  dropFields(parameters, route.body, []);
  // One film is asked for, and paid for.
  parameters.sampleCount = 1;
  return {
    instances: [{
      prompt,
      ...(reference !== undefined && {
        image: { bytesBase64Encoded: reference.bytes.toBase64(), mimeType: reference.mediaType },
      }),
    }],
    parameters,
  };
}
