/**
 * Azure, scripted: it gives tokens, takes a key or a token, and answers with what its filters say.
 *
 * @module
 */

import { answerBody, chunk, finishChunk, usageChunk } from "../../support/chat_bodies.ts";
import {
  jsonReply,
  type RecordedRequest,
  type Reply,
  sseReply,
} from "../../support/fake_upstream.ts";

/** What it takes. */
export const AZURE_KEY = "azure-resource-key-0123456789";
export const ENTRA_SECRET = "entra-client-secret-0123456789";

const SAFE = { hate: { filtered: false, severity: "safe" } };
const PROMPT_RESULTS = [{ prompt_index: 0, content_filter_results: SAFE }];
const USAGE = {
  prompt_tokens: 100,
  completion_tokens: 10,
  total_tokens: 110,
  prompt_tokens_details: { cached_tokens: 40 },
};
function withFilters(body: Record<string, unknown>) {
  const [choice] = body.choices as object[];
  return {
    ...body,
    prompt_filter_results: PROMPT_RESULTS,
    choices: [{ ...choice, content_filter_results: SAFE }],
  };
}

/** A stream with its filter's chunk first, and late ones of a filter that goes beside it. */
export const STREAM: readonly (object | string)[] = [
  { ...chunk({}), id: "", model: "", choices: [], prompt_filter_results: PROMPT_RESULTS },
  chunk({ role: "assistant", content: "" }),
  chunk({ content: "Hel" }),
  chunk({ content: "lo!" }),
  {
    ...chunk({}),
    choices: [{
      index: 0,
      delta: {},
      finish_reason: null,
      content_filter_offsets: { check_offset: 44, start_offset: 44, end_offset: 198 },
      content_filter_results: SAFE,
    }],
  },
  finishChunk(),
  usageChunk(100, 10),
  "[DONE]",
];

const NOT_FOUND = jsonReply({
  error: {
    code: "DeploymentNotFound",
    message: "The API deployment for this resource does not exist. If you created the deployment " +
      "within the last 5 minutes, please wait a moment and try again.",
  },
}, { status: 404 });

/** The refusal of a prompt. */
export const filteredBy = (filter: object, code: string | null = "content_filter") =>
  jsonReply({
    error: {
      message: "The response was filtered due to the prompt triggering Azure OpenAI's content " +
        "management policy. Please modify your prompt and retry.",
      type: null,
      param: "prompt",
      code,
      status: 400,
      innererror: { code: "ResponsibleAIPolicyViolation", content_filter_result: filter },
    },
  }, { status: 400 });

/** Azure, as it answers whoever is authorised. */
export class Azure {
  tokens = 0;
  /** Seconds for which a token is given. */
  lifetime: number | string = "3599";
  readonly withdrawn = new Set<string>();
  answer: Reply | undefined;
  /** What of each request authorised it. */
  readonly seen: string[] = [];

  reply = (request: RecordedRequest): Reply => {
    const { target, headers, body } = request;
    if (target === "/t-1/oauth2/v2.0/token") return this.#token(body);
    const bearer = headers.get("authorization");
    this.seen.push(bearer ?? headers.get("api-key") ?? "nothing");
    const isTaken = bearer === undefined
      ? headers.get("api-key") === AZURE_KEY
      : /^Bearer eyToken-\d+$/.test(bearer) && !this.withdrawn.has(bearer);
    if (!isTaken) {
      return jsonReply({
        error: {
          code: "401",
          message: "Access denied due to invalid subscription key or wrong API endpoint.",
        },
      }, { status: 401 });
    }
    if (target.includes("/models")) return jsonReply({ object: "list", data: [{ id: "gpt-5" }] });
    const asked = JSON.parse(body);
    if (asked.model === "nowhere" || target.includes("/nowhere/")) return NOT_FOUND;
    if (asked.messages.length === 0) {
      return jsonReply({ error: { code: null, message: "[] is too short - 'messages'" } }, {
        status: 400,
      });
    }
    if (this.answer !== undefined) return this.answer;
    if (asked.stream === true) return sseReply(STREAM);
    return jsonReply(withFilters(answerBody("Hello!", USAGE)), {
      headers: { "x-ms-region": "Sweden Central", "apim-request-id": "abc" },
    });
  };

  #token(body: string): Reply {
    const form = new URLSearchParams(body);
    if (form.get("client_secret") !== ENTRA_SECRET) {
      return jsonReply({
        error: "invalid_client",
        error_description: `AADSTS7000215: Invalid client secret ${
          form.get("client_secret")
        }.\r\nTrace ID: 1`,
      }, { status: 401 });
    }
    const access_token = `eyToken-${++this.tokens}`;
    return jsonReply({ token_type: "Bearer", expires_in: this.lifetime, access_token });
  }
}
