/**
 * Input items as they are listed: in the full form that OpenAI has for them,
 * whatever short form they were sent in.
 *
 * @module
 */

/** An item as it is kept, or as it is listed. */
export interface InputItem {
  readonly id: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Types that are listed with a status, and may be sent without. */
const WITH_STATUS: ReadonlySet<unknown> = new Set([
  "message",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
]);

/** Gives an item its status, and a message its text as a part. What is sent whole is listed as it is. */
export function listedItem(item: InputItem): InputItem {
  if (!WITH_STATUS.has(item.type)) return item;
  const { content, role, status } = item;
  return {
    ...item,
    status: status ?? "completed",
    ...(typeof content === "string" && { content: [textPart(content, role)] }),
  };
}

function textPart(text: string, role: unknown): { readonly [field: string]: unknown } {
  return role === "assistant"
    ? { type: "output_text", text, annotations: [], logprobs: [] }
    : { type: "input_text", text };
}
