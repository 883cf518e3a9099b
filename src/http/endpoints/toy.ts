/**
 * `POST /v1/toy`.
 *
 * @module
 */

import { toy } from "../../dialects/toy/dialect.ts";
import { serve } from "../../providers/serve.ts";
import { modelEndpoint } from "./shape/model_endpoint.ts";

/** See the module's text. */
export const createToy = modelEndpoint({
  path: "/toy",
  id: "createToy",
  summary: "Say something",
  dialect: toy,
  serving: serve("toy"),
});
