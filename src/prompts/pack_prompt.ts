/**
 * Makes what is kept of a call. It takes tens of milliseconds for a long one: work for a thread of its own.
 *
 * @module
 */

import { Redactor } from "./redactor.ts";
import type { KeptPrompt, SaidAnswer, SaidPrompt } from "./said_prompt.ts";
import { Shortener } from "./shorten.ts";
import { streamedAnswer } from "./streamed_answer.ts";

/** Characters kept of a call's request, and as many of its answer. */
const MOST_CHARACTERS = 256 * 1024;

/** What of it all is kept. */
function keptOf({ project, requestId, request, answer, ...said }: SaidPrompt): KeptPrompt {
  const redactor = new Redactor(project.quotas.promptRedact);
  const asked = new Shortener(redactor, MOST_CHARACTERS);
  const told = new Shortener(redactor, MOST_CHARACTERS);
  const kept = { request: asked.shorten(request), answer: told.shorten(valueOf(answer)) };
  return {
    request_id: requestId,
    project: project.id,
    at: said.at,
    path: said.path,
    model: said.model === undefined ? null : redactor.redact(said.model),
    status: said.status,
    stream: answer.form === "events",
    state: said.state,
    cut: asked.isCut || told.isCut || answer.isCut,
    redacted: redactor.redacted,
    ...kept,
  };
}

function valueOf({ form, text }: SaidAnswer): unknown {
  if (form === "events") return streamedAnswer(text);
  if (form === "error") return { error: { message: text } };
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

/** What is kept of a call, redacted, shortened and compressed. */
export async function packPrompt(said: SaidPrompt): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([JSON.stringify(keptOf(said))]).stream()
    .pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}
