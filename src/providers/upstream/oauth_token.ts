/**
 * Asks a token service for a token (OAuth 2.0, section 4 and 5).
 *
 * @module
 */

import type { ProviderTimeouts } from "../../domain/catalogue.ts";
import { isObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { Transport } from "../transport/contract.ts";
import { cleanMessage } from "./clean_message.ts";
import type { GivenToken } from "./token_source.ts";
import { isSuccess, objectIn } from "./upstream_json.ts";

/** Of a token's answer. */
const MOST_BYTES = 256 * 1024;
/** A day, and an hour where nothing is told. */
const MOST_SECONDS = 86_400;
const USUAL_SECONDS = 3_600;

/** All calls of a provider wait for its token together: no drip holds them as long as an answer may take. */
const MOST_MS = 30_000;

/** Who is asked, and how. */
export interface TokenQuestion {
  /** For messages, such as `Entra ID`. */
  readonly service: string;
  readonly url: string;
  readonly form: Readonly<Record<string, string>>;
  readonly timeouts: ProviderTimeouts;
  /** What its answers must not show. */
  readonly secrets: readonly string[];
}

/** @throws {UpstreamError} `operator` where it is refused. */
export async function requestToken(
  transport: Transport,
  { service, url, form, timeouts, secrets }: TokenQuestion,
): Promise<GivenToken> {
  const response = await transport.request({
    method: "POST",
    url,
    headers: {
      accept: "application/json",
      "content-type": "application/x-www-form-urlencoded",
      "user-agent": "tollgate",
    },
    body: new URLSearchParams(form).toString(),
    timeouts: { ...timeouts, totalMs: Math.min(timeouts.totalMs, MOST_MS) },
    peer: service,
    stream: false,
  }, new AbortController().signal);
  const { status } = response;
  const body = objectIn(await response.text(MOST_BYTES));
  if (!isSuccess(status)) throw refusal(body, { service, status, secrets });
  const value = nonEmptyString(body.access_token);
  if (value === undefined || !/^[\x21-\x7e]{1,65536}$/.test(value)) {
    throw new UpstreamError("broken", `${service} answered with no token`);
  }
  const seconds = Number(body.expires_in);
  return { value, lifetimeSeconds: seconds > 0 ? Math.min(seconds, MOST_SECONDS) : USUAL_SECONDS };
}

/** `{error, error_description: "AADSTS7000215: Invalid client secret provided. …"}` */
function refusal(
  body: JsonObject,
  { service, status, secrets }: Pick<TokenQuestion, "service" | "secrets"> & {
    readonly status: number;
  },
): UpstreamError {
  const answered = `${service} answered ${status}`;
  if (status === 429 || status >= 500 || status < 400) {
    return new UpstreamError(status === 429 ? "busy" : "broken", answered, { status });
  }
  const { error_description, error, message } = isObject(body.error) ? body.error : body;
  const words = nonEmptyString(error_description) ?? nonEmptyString(error) ??
    nonEmptyString(message) ?? "";
  // Entra's later lines are traces and times.
  const said = cleanMessage(words.split(/\r?\n/, 1)[0]!, { secrets, host: "" });
  return new UpstreamError("operator", said === undefined ? answered : `${answered}: ${said}`, {
    status,
    fault: "key",
  });
}
