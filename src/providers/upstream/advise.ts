/**
 * What is likely wrong with a provider whose model list cannot be had: its free question is asked again
 * as the operator may have meant it, of the same host and with the same key.
 *
 * @module
 */

import type { ProviderAuth } from "../../domain/catalogue.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { ModelList } from "./model_list.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Credential } from "./key_ring.ts";

/** A check that did not find what it looked for. */
export interface FailedCheck {
  readonly endpoint: Endpoint;
  readonly list: ModelList;
  readonly credential: Credential;
  /** The upstream's; `undefined` where it was no answer of an API. */
  readonly status: number | undefined;
  readonly signal: AbortSignal;
}

/** Ways to send a key that vendors have. */
const FORMS: readonly ProviderAuth[] = [
  { kind: "bearer" },
  { kind: "header", name: "x-api-key" },
  { kind: "header", name: "api-key" },
  { kind: "header", name: "x-goog-api-key" },
];

/** What to change, in words without secrets; `undefined` where nothing else works either. */
export async function adviseOn(check: FailedCheck): Promise<string | undefined> {
  const { endpoint, credential, status } = check;
  if (status === 401 || status === 403) {
    // Tokens and signatures have no other form.
    if (endpoint.isAuthorised) return undefined;
    if (credential.reference === undefined) return "it wants a key: add api_key";
    return await otherForm(check);
  }
  const { baseUrl } = endpoint;
  // Azure's older paths have no version either.
  if (/\/v\d+[a-z]*\d*(?:\/|$)|\/openai$/.test(new URL(baseUrl).pathname)) return undefined;
  const isThere = await hasList(check, { path: `/v1${check.list.path}`, credential });
  return isThere ? `base_url lacks /v1: write ${baseUrl}/v1` : undefined;
}

async function otherForm(check: FailedCheck): Promise<string | undefined> {
  const { headers } = check.credential;
  const sent = FORMS.find((form) => nameOf(form) in headers);
  if (sent === undefined) return undefined;
  const { [nameOf(sent)]: value = "", ...others } = headers;
  const key = sent.kind === "bearer" ? value.replace(/^Bearer /, "") : value;
  for (const form of FORMS) {
    if (form === sent) continue;
    const text = form.kind === "bearer" ? `Bearer ${key}` : key;
    const credential = { reference: undefined, headers: { ...others, [nameOf(form)]: text } };
    if (!await hasList(check, { path: check.list.path, credential })) continue;
    return `it takes the key in another form: write auth: ${
      form.kind === "header" ? `"header: ${form.name}"` : form.kind
    }`;
  }
  return undefined;
}

function nameOf(form: ProviderAuth): string {
  return form.kind === "header" ? form.name : "authorization";
}

async function hasList(
  { endpoint, list, signal }: FailedCheck,
  request: { readonly path: string; readonly credential: Credential },
): Promise<boolean> {
  try {
    const response = await endpoint.send({ method: "GET", ...request }, signal);
    const isAnswer = (body: JsonObject) => list.modelsIn(body) !== undefined;
    return list.modelsIn(await endpoint.jsonOf(response, { isAnswer })) !== undefined;
  } catch (error) {
    if (error instanceof UpstreamError) return false;
    throw error;
  }
}
