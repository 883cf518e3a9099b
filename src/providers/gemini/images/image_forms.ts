/**
 * How each family of image models is asked, and what it answers.
 *
 * @module
 */

import { reasonOf } from "../../../dialects/gemini/finish_reasons.ts";
import { readUsage } from "../../../dialects/gemini/usage.ts";
import { asArray, asObject, type JsonObject, nonEmptyString } from "../../../domain/json_value.ts";
import { NO_WORK, type Work } from "../../../domain/work.ts";
import { applyRules, dropFields } from "../../contract/body_rules.ts";
import type { ProviderCall } from "../../contract/provider.ts";
import { shapeOf } from "./image_shape.ts";

/** What came of one request. */
export interface Made {
  /** Base64. */
  readonly images: readonly string[];
  /** Tokens, where they are counted. */
  readonly usage: Work;
  /** Why an image is missing, if a filter keeps it back. */
  readonly reason: string | undefined;
}

export interface ImageForm {
  /** Images of one request. */
  readonly mostAtOnce: number;
  /** What the model is asked to do. */
  readonly verb: string;
  /**
   * @param given Parts that are images to make others of.
   * @throws {UpstreamError} `caller`, of what it cannot make.
   */
  body(call: ProviderCall, count: number, given: readonly JsonObject[]): JsonObject;
  /** @param contextTokens Of the route. */
  read(answer: JsonObject, contextTokens: number | undefined): Made;
}

/** Of a model, by its name. */
export function formOf(model: string): ImageForm {
  return /imagen/.test(model) ? IMAGEN : GEMINI;
}

/** Why a model makes no images of images; `undefined` of one that does. */
export function editFault(capability: string, upstreamModel: string): string | undefined {
  return capability === "image_edits" && formOf(upstreamModel) === IMAGEN
    ? "makes images of texts alone"
    : undefined;
}

/** The route's rules are for the body; of `generationConfig` one says what it names. */
const GEMINI: ImageForm = {
  mostAtOnce: 1,
  verb: "generateContent",
  body({ body: { prompt, size }, route }, _count, given) {
    const shape = shapeOf({ size });
    const parts = [{ text: prompt }, ...given];
    const body: JsonObject = { contents: [{ role: "user", parts }] };
    applyRules(body, route.body);
    body.generationConfig = {
      responseModalities: ["TEXT", "IMAGE"],
      ...(Object.keys(shape).length > 0 && { imageConfig: shape }),
      ...asObject(body.generationConfig),
    };
    dropFields(body, route.body, []);
    return body;
  },
  read({ candidates, promptFeedback, usageMetadata }, contextTokens) {
    const { content, finishReason } = asObject(asArray(candidates)[0]) ?? {};
    const images = asArray(asObject(content)?.parts).flatMap((part) => {
      const { inlineData, thought } = asObject(part) ?? {};
      const data = nonEmptyString(asObject(inlineData)?.data);
      return data === undefined || thought === true ? [] : [data];
    });
    const counts = asObject(usageMetadata);
    const usage = counts && readUsage(counts, contextTokens);
    const blocked = nonEmptyString(asObject(promptFeedback)?.blockReason);
    const word = nonEmptyString(finishReason);
    const isFiltered = word !== undefined && reasonOf(word, false) === "filter";
    return {
      images,
      usage: usage === undefined ? NO_WORK : asImages(usage, images.length),
      reason: blocked ?? (isFiltered ? word : undefined),
    };
  },
};

/** Tokens that are written are an image's where nothing says otherwise. */
function asImages(usage: Work, images: number): Work {
  if (images === 0 || usage.outputImage !== undefined) return usage;
  const { output = 0, ...rest } = usage;
  return { ...rest, output: 0, ...(output > 0 && { outputImage: output }) };
}

/** The route's rules are for its `parameters`. */
const IMAGEN: ImageForm = {
  mostAtOnce: 4,
  verb: "predict",
  body({ body: { prompt, size }, route }, count) {
    const { aspectRatio, imageSize } = shapeOf({ size });
    const parameters: JsonObject = {
      ...(aspectRatio !== undefined && { aspectRatio }),
      ...(imageSize !== undefined && { sampleImageSize: imageSize }),
      includeRaiReason: true,
    };
    applyRules(parameters, route.body);
    dropFields(parameters, route.body, []);
    parameters.sampleCount = count;
    return { instances: [{ prompt }], parameters };
  },
  read({ predictions }) {
    const all = asArray(predictions).map((one) => asObject(one) ?? {});
    const images = all.flatMap(({ bytesBase64Encoded }) =>
      nonEmptyString(bytesBase64Encoded) ?? []
    );
    const told = all.map(({ raiFilteredReason }) => nonEmptyString(raiFilteredReason))
      .find((reason) => reason !== undefined);
    // Filtered ones are missing from the list.
    return {
      images,
      usage: NO_WORK,
      reason: told ?? (images.length === 0 ? "no image" : undefined),
    };
  },
};
