/**
 * What embeddings and films look like in Google's cloud.
 *
 * @module
 */

import { asArray, asObject, type JsonObject } from "../../domain/json_value.ts";
import { applyRules, dropFields } from "../contract/body_rules.ts";
import { dimensionsOf, type EmbedForm } from "../gemini/embed.ts";
import type { VeoForm } from "../gemini/videos/veo.ts";

/** The newer models take one text at a time, the others up to 250. */
const MOST_INPUTS = 250;

/** Embeddings as predictions; the route's rules are for each instance. */
export function vertexEmbedding(pathOf: (model: string) => string): EmbedForm {
  return {
    mostInputs: (model) => /gemini-embedding/.test(model) ? 1 : MOST_INPUTS,
    path: (model) => `${pathOf(model)}:predict`,
    body: (texts, { route, body }) => ({
      instances: texts.map((content) => {
        const instance: JsonObject = { content };
        applyRules(instance, route.body);
        dropFields(instance, route.body, []);
        return instance;
      }),
      parameters: dimensionsOf(body, "outputDimensionality"),
    }),
    vectorsIn: ({ predictions }) =>
      asArray(predictions).map((one) => asObject(asObject(one)?.embeddings)?.values),
    usageIn: ({ predictions }) => {
      const counts = asArray(predictions).map((one) => {
        const { statistics } = asObject(asObject(one)?.embeddings) ?? {};
        return asObject(statistics)?.token_count;
      });
      if (!counts.every((count) => typeof count === "number")) return undefined;
      return { promptTokenCount: counts.reduce((sum, count) => sum + count, 0) };
    },
  };
}

/** Films are asked after by a question of their own, and lie in a bucket or in the answer. */
export function vertexFilms(pathOf: (model: string) => string): VeoForm {
  return {
    startPath: (model) => `${pathOf(model)}:predictLongRunning`,
    poll(operation) {
      const model = /\/models\/([^/]+)\/operations\//.exec(operation)?.[1] ?? "";
      return {
        method: "POST",
        path: `${pathOf(model)}:fetchPredictOperation`,
        body: JSON.stringify({ operationName: operation }),
      };
    },
    urlOf(uri) {
      const [, bucket, name] = /^gs:\/\/([^/]+)\/(.+)$/.exec(uri) ?? [];
      if (bucket === undefined || name === undefined) return URL.canParse(uri) ? uri : undefined;
      const object = `${encodeURIComponent(bucket)}/o/${encodeURIComponent(name)}`;
      return `${STORAGE}/storage/v1/b/${object}?alt=media`;
    },
    isTrusted: ({ origin }) => origin === STORAGE,
  };
}

const STORAGE = "https://storage.googleapis.com";
