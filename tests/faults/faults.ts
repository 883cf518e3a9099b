/**
 * Faults that recur in other gateways when one dialect is put in another, as their users have reported
 * them, and what shows that each is not made here. A test of this folder begins with the numbers of the
 * faults that it is about; the others are named here, by their files.
 *
 * @module
 */

/** What has gone wrong elsewhere, in a few words, by number. */
export const FAULTS: Readonly<Record<number, string>> = {
  1: "thoughts within a text's block, and a second start",
  2: "arguments that only the last event has are lost",
  3: "a stream that the client finds wrong is asked for again in one piece, and paid for twice",
  4: "calls told in turns give blocks that overlap",
  5: "thoughts after a call go to a block that is closed",
  6: "a call without a name in its first piece is dropped",
  7: "a summary of thoughts becomes text, and texts come twice",
  8: "events lose their names",
  9: "an error in mid-stream leaves a block open and the client waiting",
  10: "a stream whose stop never comes is waited for without end",
  11: "an upstream that says nothing makes an empty answer",
  12: "something is written after the stop",
  13: "a stall that nobody notices",
  14: "events for who has asked for one piece",
  15: "one piece in chat's words for a client of Messages",
  16: "a call that cannot be served hangs in place of being refused",
  17: "an answer with calls ends as a usual one",
  18: "a call is forgotten when the end comes in another chunk",
  19: "arguments are lost on the way",
  20: "a tool without parameters is refused by Anthropic",
  21: "keywords of JSON Schema are refused by Gemini",
  22: "a field of one dialect's gets into another's body",
  23: "results do not stand right behind their calls",
  24: "blank texts are refused",
  25: "betas go where nobody knows them",
  26: "a temperature goes to models that refuse it",
  27: "more than four marks for a cache",
  28: "marks for a cache are lost",
  29: "callers of chat never have Anthropic's cache",
  30: "thoughts that have to go back are lost",
  31: "keywords of a schema are refused by Anthropic",
  32: "signatures go to another upstream",
  33: "signatures are left out in advance",
  34: "signed blocks are written anew",
  35: "thoughts and their signature come apart",
  36: "callers of chat get no signatures",
  37: "Gemini's signatures are missing",
  38: "what is written to a cache is charged twice",
  39: "a stream costs something else than one piece",
  40: "prices are looked up by an upstream's name",
  41: "what is cached is counted twice for callers of Messages",
  42: "counts vanish on the way",
  43: "buckets are taken for parts of each other, and go below 0",
  44: "Gemini's thoughts are not charged",
  45: "pictures are charged as texts, or not at all",
  46: "pictures are charged by tokens and each",
  47: "tokens of pictures are tokens of texts",
  48: "films are priced without their size",
  49: "a spoilt call is a usual end",
  50: "a vendor's word for an end gets to callers of another dialect",
  51: "an exception in a stream of Bedrock's is a usual end",
  52: "a prompt that Azure's filter keeps back looks like a defect",
};

/** Tests elsewhere, as a file and what the name of one of its tests begins with. */
export const ELSEWHERE: Readonly<
  Record<number, readonly (readonly [file: string, test: string])[]>
> = {
  3: [["tests/e2e/claude_code_test.ts", "Claude Code's requests are put in chat's words"]],
  9: [[
    "tests/e2e/anthropic_sdk/hardships.ts",
    "a stream that its upstream cuts, or ends with an error, ends as an error",
  ]],
  10: [[
    "tests/e2e/anthropic_sdk/hardships.ts",
    "a stream whose end the upstream forgets has one all the same",
  ]],
  13: [[
    "tests/providers/openai_compatible/chat/chat_stream_failure_test.ts",
    "a stream that pauses ends at the idle limit",
  ]],
  16: [
    ["tests/e2e/pairs_test.ts", "every caller's dialect over"],
    [
      "tests/e2e/anthropic_sdk/over_chat.ts",
      "over chat what it has no word for is refused by name, before anything is spent",
    ],
  ],
  25: [["tests/providers/anthropic/provider_test.ts", "a caller's own version goes before"]],
  32: [["tests/e2e/sealed_thoughts_test.ts", "a chat with sealed thoughts stays on its route"]],
  40: [["tests/e2e/bedrock_test.ts", "each API answers, signed or by key"]],
  45: [["tests/e2e/gemini_test.ts", "images are paid for by their tokens or each"]],
  46: [["tests/e2e/gemini_test.ts", "images are paid for by their tokens or each"]],
  48: [["tests/e2e/videos/veo_test.ts", "a film is paid for by its seconds and its size"]],
  52: [["tests/e2e/azure_test.ts", "a prompt that its filter keeps back"]],
};
