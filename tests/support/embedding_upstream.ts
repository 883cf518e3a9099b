/**
 * An upstream that embeds: every input comes out as a small vector that says which
 * input it was, in whichever form and order the upstream is told to answer.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { RecordedRequest, Reply } from "./fake_upstream.ts";
import { jsonReply } from "./fake_upstream.ts";

/** How it answers. */
export interface EmbeddingManners {
  /** Its form of a vector, whatever was asked for. */
  readonly form: "float" | "base64" | "as_asked";
  readonly order: "in_order" | "reversed";
  /** More inputs than that are refused. */
  readonly mostInputs?: number;
  /** Says nothing of tokens. */
  readonly noUsage?: boolean;
}

/** The vector of an input; every number is exact in 32 bits. */
export function vectorOf(input: string | readonly number[]): readonly number[] {
  const codes = typeof input === "string" ? [...input].map((one) => one.codePointAt(0)!) : input;
  return [codes.length, codes[0]!, codes.at(-1)!, -0.25];
}

/** Answers requests in these manners; a token counts one for each input. */
export function embedding(
  { form, order, mostInputs = Infinity, noUsage }: EmbeddingManners,
): (request: RecordedRequest) => Reply {
  return (request) => {
    const { input, encoding_format } = request.json();
    const inputs = input as readonly (string | readonly number[])[];
    if (inputs.length > mostInputs) {
      return jsonReply({ error: { message: "Too many inputs" } }, { status: 400 });
    }
    const isBase64 = form === "base64" || (form === "as_asked" && encoding_format === "base64");
    const data = inputs.map((one, index) => ({
      object: "embedding",
      index,
      embedding: isBase64 ? base64Of(vectorOf(one)) : vectorOf(one),
    }));
    return jsonReply({
      object: "list",
      data: order === "reversed" ? data.reverse() : data,
      model: "theirs",
      ...(noUsage !== true && {
        usage: { prompt_tokens: inputs.length, total_tokens: inputs.length },
      }),
    });
  };
}

function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.alloc(4 * vector.length);
  vector.forEach((value, index) => bytes.writeFloatLE(value, 4 * index));
  return bytes.toString("base64");
}
