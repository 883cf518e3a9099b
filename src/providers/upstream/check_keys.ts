/**
 * Asks an upstream for its model list, with every key that is configured.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { ProviderCheck } from "../contract/provider.ts";
import { failureWords, UpstreamError } from "../../domain/upstream_error.ts";
import { redactSecrets } from "./clean_message.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Credential } from "./key_ring.ts";
import { verdictOnKey } from "./key_troubles.ts";

type Found = Pick<ProviderCheck, "ok" | "checked" | "detail">;

/** Where an upstream lists its models. */
export interface ModelList {
  readonly path: string;
  /** Where all of it is, if that is another place. */
  readonly wholePath?: string;
  /** Whether it is only its beginning, which says nothing of how many there are. */
  readonly isPart?: true;
  /** The models in its body; `undefined` when it is no such list. */
  modelsIn(body: JsonObject): readonly unknown[] | undefined;
}

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
  const failed = answers.filter(({ ok }) => !ok);
  if (failed.length === 0) return answers.find(({ checked }) => checked) ?? answers[0]!;
  return {
    ok: false,
    checked: answers.some(({ checked }) => checked),
    detail: [...new Set(failed.map(({ detail }) => detail)), ...othersAnswer(answers)].join("; "),
  };
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
): Promise<Found> {
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
          "base_url and key were not checked",
      };
    }
    // Some put "message": "Ok" beside their list.
    const isAnswer = (body: JsonObject) => list.modelsIn(body) !== undefined;
    const models = list.modelsIn(await endpoint.jsonOf(response, { isAnswer }));
    if (models === undefined) {
      const detail = "answers, but with no model list: base_url and key were not checked";
      return { ok: true, checked: false, detail };
    }
    if (reference !== undefined) troubles.forgive(reference, noted);
    const detail = list.isPart
      ? "has a model list"
      : models.length === 1
      ? "1 model"
      : `${models.length} models`;
    return { ok: true, checked: true, detail };
  } catch (error) {
    const found = tellFailure(endpoint, error);
    if (!(error instanceof UpstreamError) || reference === undefined) return found;
    if (verdictOnKey(error) === undefined) return found;
    // A model list is refused to no request, only to a key.
    troubles.note(reference, error);
    return { ...found, detail: `key ${reference}: ${found.detail}` };
  }
}

function tellFailure({ keys }: Endpoint, error: unknown): Found {
  if (!(error instanceof UpstreamError)) throw error;
  const detail = redactSecrets(failureWords(error), keys.secrets);
  return { ok: false, checked: false, detail };
}
