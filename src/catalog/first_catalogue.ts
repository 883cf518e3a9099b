/**
 * The catalogue of a first run: what works without a key and without a network.
 *
 * @module
 */

import { BUILTIN_CHAT_MODEL, BUILTIN_EMBEDDING_MODEL } from "../domain/chat_faults.ts";
import type { Catalogue } from "../domain/catalogue.ts";
import { BUILTIN_VIDEO_MODEL } from "@tollgate/render/faults";
import { catalogueFileSchema } from "./file_schema.ts";
import { toCatalogue } from "./to_catalogue.ts";

/** The built-in provider with its models, free of charge. */
export function firstCatalogue({ nowSeconds }: { nowSeconds: number }): Catalogue {
  return toCatalogue(catalogueFileSchema.parse(firstDocument()), { nowSeconds }).catalogue;
}

/** The same as a catalogue file has it. */
export function firstDocument() {
  const models = [
    builtinModel(BUILTIN_CHAT_MODEL, { kind: "chat", cost: { input: "0", output: "0" } }),
    builtinModel(BUILTIN_EMBEDDING_MODEL, { kind: "embedding", cost: { input: "0" } }),
    // The alias is what clients of the closed Videos API name.
    builtinModel(BUILTIN_VIDEO_MODEL, {
      kind: "video",
      aliases: ["sora-2"],
      cost: { second: "0" },
    }),
  ];
  return { providers: [{ id: "builtin", kind: "builtin" }], models };
}

function builtinModel(
  id: string,
  { cost, ...model }: { readonly cost: object; kind: string; aliases?: string[] },
) {
  const route = { id: `builtin/${id}`, provider: "builtin", cost, free: true };
  return { id, ...model, routes: [route] };
}
