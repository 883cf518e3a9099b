/**
 * Asks an upstream for its model list, with every key that is configured.
 *
 * @module
 */

import { asObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import type { ProviderCheck } from "../contract/provider.ts";
import { failureWords, UpstreamError } from "../../domain/upstream_error.ts";
import { adviseOn } from "./advise.ts";
import type { ModelList } from "./model_list.ts";
import { redactSecrets } from "./clean_message.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Credential } from "./key_ring.ts";
import { verdictOnKey } from "./key_troubles.ts";

type Found = Pick<ProviderCheck, "ok" | "checked" | "detail" | "names">;

/** Never calls a paid model. Says which key it is that is refused, by its reference. */
export async function checkKeys(
  endpoint: Endpoint,
  list: ModelList,
  signal: AbortSignal,
): Promise<ProviderCheck> {
  const { clock } = endpoint;
  const startedAt = clock.monotonic();
  const found = await askAll({ endpoint, list, signal });
  return { ...found, milliseconds: Math.round(clock.monotonic() - startedAt) };
}

const NOT_CHECKED = "base_url and key were not checked";

/** What came of one key. */
interface Answered extends Found {
  /** Set where something answered, but not with a list. */
  readonly refusal?: { readonly status: number | undefined };
}

interface Check {
  readonly endpoint: Endpoint;
  readonly list: ModelList;
  readonly signal: AbortSignal;
}

async function askAll(check: Check): Promise<Found> {
  const { endpoint } = check;
  let credentials: readonly Credential[];
  try {
    credentials = endpoint.keys.all();
  } catch (error) {
    return tellFailure(endpoint, error);
  }
  const answers = await Promise.all(
    credentials.map((credential) => askWith(check, credential)),
  );
  const advice = await adviseOnAll(check, { credentials, answers });
  if (advice !== undefined) {
    const { detail } = answers[0]!;
    const told = detail.endsWith(NOT_CHECKED) ? detail.slice(0, -2 - NOT_CHECKED.length) : detail;
    return { ok: false, checked: false, detail: `${told}; ${advice}` };
  }
  const failed = answers.filter(({ ok }) => !ok);
  if (failed.length === 0) {
    const { refusal: _refusal, ...found } = answers.find(({ checked }) => checked) ?? answers[0]!;
    return found;
  }
  return {
    ok: false,
    checked: answers.some(({ checked }) => checked),
    detail: [...new Set(failed.map(({ detail }) => detail)), ...othersAnswer(answers)].join("; "),
  };
}

/** Where no key leads to a list, what would. */
async function adviseOnAll(
  { endpoint, list, signal }: Check,
  { credentials, answers }: {
    readonly credentials: readonly Credential[];
    readonly answers: readonly Answered[];
  },
): Promise<string | undefined> {
  const [credential] = credentials;
  const [first] = answers;
  if (credential === undefined || first?.refusal === undefined || signal.aborted) return undefined;
  if (answers.some(({ refusal }) => refusal === undefined)) return undefined;
  return await adviseOn({ endpoint, list, credential, status: first.refusal.status, signal });
}

/** That calls are served all the same. */
function othersAnswer(answers: readonly Found[]): readonly string[] {
  const count = answers.filter(({ ok }) => ok).length;
  return count === 0
    ? []
    : [`${count} of ${answers.length} keys that have a value answer${count === 1 ? "s" : ""}`];
}

async function askWith(
  { endpoint, list, signal }: Check,
  credential: Credential,
): Promise<Answered> {
  const { reference } = credential;
  const { troubles } = endpoint.keys;
  const { noted } = troubles;
  try {
    const request = { method: "GET", path: list.path, credential } as const;
    const response = await endpoint.send(request, signal);
    if (response.status === 404 || response.status === 405) {
      response.close();
      return {
        ok: true,
        checked: false,
        detail: `answers, but has no model list (${response.status} for GET ${list.path}): ` +
          NOT_CHECKED,
        refusal: { status: response.status },
      };
    }
    // Some put "message": "Ok" beside their list.
    const isAnswer = (body: JsonObject) => list.modelsIn(body) !== undefined;
    const models = list.modelsIn(await endpoint.jsonOf(response, { isAnswer }));
    if (models === undefined) {
      const detail = `answers, but with no model list: ${NOT_CHECKED}`;
      return { ok: true, checked: false, detail, refusal: { status: response.status } };
    }
    if (reference !== undefined) troubles.forgive(reference, noted);
    const names = list.isPart ? undefined : namesIn(models);
    const detail = list.isPart
      ? "has a model list"
      : models.length === 1
      ? "1 model"
      : `${models.length} models`;
    return { ok: true, checked: true, detail, ...(names && { names }) };
  } catch (error) {
    const told = tellFailure(endpoint, error);
    if (!(error instanceof UpstreamError)) return told;
    const { status, failure } = error;
    // What is no API answers with a page; who does not answer at all has no other way either.
    const isAnswered = status !== undefined || (failure === "broken" && !error.isUnanswered);
    const found = isAnswered ? { ...told, refusal: { status } } : told;
    if (reference === undefined) return found;
    if (verdictOnKey(error) === undefined) return found;
    // A model list is refused to no request, only to a key.
    troubles.note(reference, error);
    return { ...found, detail: `key ${reference}: ${found.detail}` };
  }
}

function namesIn(models: readonly unknown[]): readonly string[] {
  return models.flatMap((model) => nonEmptyString(asObject(model)?.id) ?? []);
}

function tellFailure({ keys }: Endpoint, error: unknown): Found {
  if (!(error instanceof UpstreamError)) throw error;
  const detail = redactSecrets(failureWords(error), keys.secrets);
  return { ok: false, checked: false, detail };
}
