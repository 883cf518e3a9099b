/**
 * Events beside texts that OpenAI has, and the items that they are about. No others
 * reach a client: the official ones raise at types that they do not know, and at
 * events of items that have not begun.
 *
 * @module
 */

/** What an event without a place of its own in an item is about. */
export interface PassingEvent {
  /** `undefined` for what belongs to no item. */
  readonly itemType: string | undefined;
  readonly verbs: readonly string[];
}

const STEPS = ["in_progress", "completed", "failed"];
const SEARCH = ["in_progress", "searching", "completed"];
const TEXT = ["delta", "done"];

const EVENTS: { readonly [base: string]: PassingEvent | undefined } = {
  "response.output_text.annotation": { itemType: "message", verbs: ["added"] },
  "response.audio": { itemType: undefined, verbs: TEXT },
  "response.audio.transcript": { itemType: undefined, verbs: TEXT },
  "response.code_interpreter_call": {
    itemType: "code_interpreter_call",
    verbs: ["in_progress", "interpreting", "completed"],
  },
  "response.code_interpreter_call_code": { itemType: "code_interpreter_call", verbs: TEXT },
  "response.file_search_call": { itemType: "file_search_call", verbs: SEARCH },
  "response.web_search_call": { itemType: "web_search_call", verbs: SEARCH },
  "response.image_generation_call": {
    itemType: "image_generation_call",
    verbs: ["in_progress", "generating", "partial_image", "completed"],
  },
  "response.mcp_call": { itemType: "mcp_call", verbs: STEPS },
  "response.mcp_call_arguments": { itemType: "mcp_call", verbs: TEXT },
  "response.mcp_list_tools": { itemType: "mcp_list_tools", verbs: STEPS },
  "response.shell_call_command": { itemType: "shell_call", verbs: ["added", ...TEXT] },
  "response.shell_call_output_content": { itemType: "shell_call_output", verbs: TEXT },
  "response.compaction": { itemType: "compaction", verbs: ["compacting"] },
};

/** What an event `<base>.<verb>` is about; `undefined` for one that OpenAI does not have. */
export function passingEvent(base: string, verb: string): PassingEvent | undefined {
  const event = Object.hasOwn(EVENTS, base) ? EVENTS[base] : undefined;
  return event?.verbs.includes(verb) === true ? event : undefined;
}
