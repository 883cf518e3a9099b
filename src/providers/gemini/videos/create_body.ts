/**
 * An order as Veo takes it.
 *
 * @module
 */

import type { VideoOffer } from "../../../domain/catalogue.ts";
import type { JsonObject } from "../../../domain/json_value.ts";
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
