/**
 * Has what a call says kept, for a project that has it so: its caller notices nothing of it.
 *
 * @module
 */

import type { TextParts } from "../../domain/text_parts.ts";
import { GatewayError } from "../../errors.ts";
import type { KeptPrompts } from "../../prompts/kept_prompts.ts";
import type { PromptState, SaidAnswer, SaidPrompt } from "../../prompts/said_prompt.ts";
import { LeanResponse } from "../listener/lean_response.ts";

/** Characters of a streamed answer that are held: events say everything many times over. */
const MOST_HELD = 4 * 1024 ** 2;

/** A request that has come. */
export type AskedPrompt = Omit<SaidPrompt, "status" | "state" | "answer">;

type Prompts = Pick<KeptPrompts, "keep" | "hold" | "release">;

/**
 * The response that `respond` gives, or its error, either way kept.
 *
 * @throws What `respond` throws.
 */
export async function keepPrompt(
  prompts: Prompts,
  asked: AskedPrompt,
  respond: () => Promise<Response>,
): Promise<Response> {
  let response: Response;
  try {
    response = await respond();
  } catch (error) {
    const [status, text] = error instanceof GatewayError
      ? [error.row.status, error.message]
      : [500, "The gateway failed"];
    const answer = { form: "error", text, isCut: false } as const;
    prompts.keep({ ...asked, status, state: "refused", answer });
    throw error;
  }
  // What was answered before was kept before, under its own id.
  if (response.headers.get("idempotent-replayed") !== null) return response;
  const content = LeanResponse.of(response)?.content;
  const form = response.headers.get("content-type")?.startsWith("text/event-stream") === true
    ? "events"
    : "json";
  const done = (state: PromptState, { text, isCut }: Pick<SaidAnswer, "text" | "isCut">) =>
    prompts.keep({ ...asked, status: response.status, state, answer: { form, text, isCut } });
  if (typeof content === "string") done("complete", { text: content, isCut: false });
  else if (content !== undefined && "next" in content) {
    return LeanResponse.withContent(response, heard(prompts, asked.project.id, content, done));
  }
  return response;
}

/** The same parts; what they were is told once they are over. */
function heard(
  prompts: Prompts,
  projectId: string,
  parts: TextParts,
  done: (state: PromptState, said: Pick<SaidAnswer, "text" | "isCut">) => void,
): TextParts {
  let text = "";
  let isCut = false;
  let isOver = false;
  const end = (state: PromptState) => {
    if (isOver) return;
    isOver = true;
    prompts.release(projectId, text.length);
    done(state, { text, isCut });
  };
  return {
    async next() {
      const part = await parts.next();
      if (part === undefined) end("complete");
      else if (!isCut && !isOver) {
        isCut = text.length + part.length > MOST_HELD || !prompts.hold(projectId, part.length);
        if (!isCut) text += part;
      }
      return part;
    },
    async cancel(reason) {
      await parts.cancel(reason);
      end("left");
    },
  };
}
