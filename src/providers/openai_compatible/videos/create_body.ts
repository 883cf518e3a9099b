/**
 * An order as the body of `POST /videos`, in either form that upstreams take.
 *
 * @module
 */

import type { VideoForm } from "./form_memory.ts";
import type { JsonObject } from "../../../domain/json_value.ts";
import { applyRules, dropFields } from "../../contract/body_rules.ts";
import type { VideoOrder } from "../../contract/video_upstream.ts";

/** A body and what it is. */
export interface CreateBody {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly contentType: string;
}

/** Names of an image's file, for upstreams that look at the ending. */
const ENDINGS: ReadonlyMap<string, string> = new Map([
  ["image/png", "png"],
  ["image/jpeg", "jpg"],
  ["image/webp", "webp"],
]);

/** Builds the body. */
export async function createBody(order: VideoOrder, form: VideoForm): Promise<CreateBody> {
  const fields = fieldsOf(order);
  return form === "json" ? asJson(fields, order) : await asMultipart(fields, order);
}

/**
 * The fields by the route's rules; `model` is always the gateway's. `seconds` is a
 * string in both forms: OpenAI and vLLM-Omni want one, and SGLang, whose field is
 * an integer, reads one (pydantic converts it). A route can `set` a number.
 */
function fieldsOf({ route, prompt, size, seconds, fields }: VideoOrder): JsonObject {
  const rules = route.body;
  const body: JsonObject = { ...fields, prompt, size, seconds: String(seconds) };
  // An image of the caller comes as bytes; a text here would be a URL or path for the upstream.
  delete body.input_reference;
  applyRules(body, rules);
  dropFields(body, rules, []);
  body.model = route.upstreamModel;
  return body;
}

function asJson(fields: JsonObject, { reference, route }: VideoOrder): CreateBody {
  const body = { ...fields };
  if (reference !== undefined && !route.body.drop.includes("input_reference")) {
    body.input_reference = `data:${reference.mediaType};base64,${reference.bytes.toBase64()}`;
  }
  return { body: JSON.stringify(body), contentType: "application/json" };
}

async function asMultipart(
  fields: JsonObject,
  { reference, route }: VideoOrder,
): Promise<CreateBody> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue;
    form.append(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  if (reference !== undefined && !route.body.drop.includes("input_reference")) {
    const { bytes, mediaType } = reference;
    const name = `reference.${ENDINGS.get(mediaType) ?? "bin"}`;
    form.append("input_reference", new File([bytes], name, { type: mediaType }));
  }
  const encoded = new Response(form);
  return {
    body: new Uint8Array(await encoded.arrayBuffer()),
    contentType: encoded.headers.get("content-type")!,
  };
}
