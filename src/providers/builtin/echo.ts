/**
 * `echo-1`: a deterministic chat model. It repeats the last user message, calls
 * tools that are offered and asked for, and answers in a JSON schema.
 *
 * @module
 */

import { CHAT_LIMIT_FIELDS } from "../../dialects/openai_chat/schemas.ts";
import type { Clock, Random } from "../../domain/clock.ts";
import type { ChatFaults } from "../../domain/chat_faults.ts";
import { completionTokens, type Work } from "../../domain/work.ts";
import { createCompletionIds } from "../../dialects/base/completion_ids.ts";
import { usageBody } from "../../dialects/openai/normalise_usage.ts";
import { applyRules, dropFields, setLimit } from "../contract/body_rules.ts";
import type { Answer } from "../../dialects/base/answer.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { ProviderCall } from "../contract/provider.ts";
import { countPromptTokens } from "./conversation.ts";
import { type Begun, EchoStream } from "./echo_stream.ts";
import { type BuiltinCall, faultOfStatus, Patience, sufferFaults } from "./patience.ts";
import { throwIfAborted } from "./pace.ts";
import { planEcho, type PlannedChoice } from "./plan_echo.ts";
import { textOfSpan, type TokenSpan, TokenTurns } from "./token_turns.ts";

/** Creates the model. */
export function createEcho(options: { readonly clock: Clock; readonly random: Random }) {
  const { clock } = options;
  const ids = createCompletionIds(options.random);

  async function begin(builtinCall: BuiltinCall, stream: boolean): Promise<Begun> {
    const { call, faults, signal } = builtinCall;
    throwIfAborted(signal);
    const patience = new Patience(builtinCall, { clock, stream });
    if (faults.status !== undefined) throw faultOfStatus(faults.status, clock);
    const body = bodyFor(call);
    const turns = new TokenTurns(signal);
    const choices = await planEcho(body, { ids, turns });
    call.room?.countAnswer(heldCharacters(choices, { stream }));
    return {
      choices,
      usage: usageOf(await countPromptTokens(body, turns), choices),
      head: {
        id: ids.completion(),
        created: Math.floor(clock.now() / 1000),
        model: "echo-1",
        system_fingerprint: "fp_echo_1",
      },
      patience,
    };
  }

  return {
    async answer(builtinCall: BuiltinCall): Promise<Answer> {
      const begun = await begin(builtinCall, false);
      const { faults } = builtinCall;
      const { patience, usage } = begun;
      await sufferFaults(faults, { patience, tokens: completionTokens(usage) });
      return answerOf(begun, faults);
    },
    async stream(builtinCall: BuiltinCall): Promise<EchoStream> {
      return new EchoStream(await begin(builtinCall, true), builtinCall.faults);
    },
  };
}

/** What an upstream would be sent, as far as it matters here. */
function bodyFor(
  { body: asked, route: { body: rules }, outputTokensCap }: ProviderCall,
): JsonObject {
  const body = { ...asked };
  applyRules(body, rules);
  if (outputTokensCap !== undefined) {
    const usual = "max_completion_tokens";
    setLimit(body, outputTokensCap, { rules, names: CHAT_LIMIT_FIELDS, usual });
  }
  dropFields(body, rules);
  return body;
}

function answerOf(begun: Begun, faults: ChatFaults): Answer {
  const { choices, usage, head } = begun;
  const body: JsonObject = {
    ...head,
    object: "chat.completion",
    choices: choices.map((choice, index) => ({
      index,
      message: messageOf(choice),
      logprobs: null,
      finish_reason: choice.finishReason,
    })),
  };
  if (!faults.noUsage) body.usage = usageBody(usage);
  return {
    body,
    usage: faults.noUsage ? undefined : usage,
    text: () => choices.map(textOfChoice).join(""),
  };
}

function messageOf(choice: PlannedChoice): JsonObject {
  const message: JsonObject = { role: "assistant", content: null, refusal: null };
  if (choice.calls.length === 0) {
    message.content = textOfSpan(choice.content);
    return message;
  }
  message.tool_calls = choice.calls.map((call) => ({
    id: call.id,
    type: call.kind,
    [call.kind]: call.kind === "function"
      ? { name: call.name, arguments: textOfSpan(call.input) }
      : { name: call.name, input: textOfSpan(call.input) },
  }));
  return message;
}

function textOfChoice(choice: PlannedChoice): string {
  return textOfSpan(choice.content) +
    choice.calls.map((call) => call.name + textOfSpan(call.input)).join("");
}

/** Characters of an answer in memory: a stream is written token by token, and choices share their texts. */
function heldCharacters(
  choices: readonly PlannedChoice[],
  { stream }: { readonly stream: boolean },
): number {
  const held = new Set<TokenSpan>();
  let sum = 0;
  for (const { content, calls } of choices) {
    for (const span of [content, ...calls.map(({ input }) => input)]) {
      if (stream && held.has(span)) continue;
      held.add(span);
      sum += span.end;
    }
  }
  return sum;
}

function usageOf(input: number, choices: readonly PlannedChoice[]): Work {
  return { input, output: choices.reduce((sum, choice) => sum + choice.tokenCount, 0) };
}
