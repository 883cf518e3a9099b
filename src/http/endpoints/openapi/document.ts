/**
 * `GET /openapi.json`: the API as an OpenAPI 3.1 document, made from the endpoints themselves.
 *
 * @module
 */

import * as z from "zod";
import { OPENAI } from "../../../dialects/openai/family.ts";
import { VERSION } from "../../../version.ts";
import { jsonResponse } from "../../answers/text_response.ts";
import { type Endpoint, pathsOf } from "../shape/endpoint.ts";
import { componentsOf, describeOperation, securityOf } from "./operation.ts";

/**
 * Makes the endpoint; the document is built once, with the first request.
 *
 * @param endpoints All of them, itself included: in the order of the document.
 */
export function openApiEndpoint(endpoints: () => readonly Endpoint[]): Endpoint {
  let document: unknown;
  return {
    method: "GET",
    path: "/openapi.json",
    isOutside: true,
    description: {
      id: "retrieveOpenApi",
      summary: "This document",
      isPublic: true,
      answer: { description: "OpenAPI 3.1", schema: z.looseObject({ openapi: z.string() }) },
      errors: [],
    },
    handler: () => ({ env }) => {
      document ??= apiDocument(endpoints());
      return jsonResponse(document, env.identity.requestId);
    },
  };
}

/** The API of some endpoints. */
export function apiDocument(endpoints: readonly Endpoint[]): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    const { method, description, family = OPENAI } = endpoint;
    if (description === undefined) continue;
    const methods = { [method.toLowerCase()]: description };
    if (description.head !== undefined) methods.head = { ...description, ...description.head };
    for (const [index, path] of pathsOf(endpoint).entries()) {
      for (const [name, described] of Object.entries(methods)) {
        const id = index === 0 ? described.id : `${described.id}Alias`;
        (paths[path.replaceAll("{+", "{")] ??= {})[name] = describeOperation(described, {
          path,
          id,
          family,
        });
      }
    }
  }
  return documentOf({
    title: "Tollgate",
    description: "An OpenAI-compatible gateway in front of many model providers",
    paths,
    components: componentsOf([OPENAI, ...endpoints.flatMap(({ family }) => family ?? [])]),
    security: securityOf(OPENAI),
  });
}

/** A document of ours, whatever it describes. */
export function documentOf(
  { title, description, ...parts }: {
    readonly title: string;
    readonly description?: string;
    readonly paths: object;
    readonly components: object;
    readonly security: readonly object[];
  },
): object {
  const license = { name: "MIT", identifier: "MIT" };
  const info = {
    title,
    version: VERSION,
    ...(description !== undefined && { description }),
    license,
  };
  return { openapi: "3.1.0", info, ...parts };
}
