/**
 * Streams of chat chunks as the JSON texts that upstreams send, usual ones and all kinds of odd ones.
 *
 * @module
 */

import type { SeededRandom } from "./seeded_random.ts";

/** What the words of an answer look like inside of the quotes of JSON. */
const WORDS = [
  ...[" word", "a", " and then some more of it", "Grüße", "世界", "🎬", "\u2028", "\u007f"],
  ...[String.raw`\n`, String.raw`\"quoted\"`, String.raw`C:\\dir`, String.raw`\\u0000`],
  ...[String.raw`\u0041`, String.raw`\/`, String.raw`\u0000`, String.raw`\u0001`],
  ...[String.raw`\ud83c\udfac`, String.raw`\ud83c`, String.raw`\u000a`, String.raw`\u00e9`],
  ...[String.raw`\"},\"logprobs\":null`, String.raw`\",\"content\":\"x`, "", "$&", "$1", "null"],
];
/** What members stand in a chunk, by the share of the streams that have them. */
const MEMBERS: readonly (readonly [json: string, share: number])[] = [
  [`"object":"chat.completion.chunk"`, 0.9],
  [`"created":1700000000`, 0.8],
  [`"model":"upstream-model"`, 0.8],
  [`"system_fingerprint":"fp_1"`, 0.5],
  [`"service_tier":"default"`, 0.3],
  [`"usage":null`, 0.4],
  [`"0":"first by number"`, 0.05],
  [`"__proto__":{"x":1}`, 0.05],
  [`"number":1.50e3`, 0.05],
  [`"x":"\\u0000"`, 0.03],
  [`"x":"\\u0001"`, 0.03],
  [`"content":"of the chunk"`, 0.03],
  [`"provider":"caf\\u00e9"`, 0.05],
];

const DELTAS = {
  content: 60,
  reasoning_content: 6,
  reasoning: 4,
  both: 2,
  parts: 2,
  refusal: 1,
  empty: 3,
  nothing: 2,
  calls: 2,
  emptyCalls: 2,
  twice: 2,
  thoughtsBeside: 3,
  details: 2,
};

/** Of those, what all chunks of an upstream may have. */
const STEADY = ["reasoning", "reasoning_content", "thoughtsBeside", "both", "emptyCalls"] as const;

/** How one upstream writes. */
class Habit {
  readonly #random: SeededRandom;
  readonly #members: readonly string[];
  readonly #space: string;
  readonly #role: string | undefined;
  /** Of most of its chunks; absent: they are mixed. */
  readonly #usual: keyof typeof DELTAS | undefined;
  readonly #choiceMore: string;
  readonly #pads: boolean;
  readonly #choices: number;
  #created = 1_700_000_100;

  constructor(random: SeededRandom) {
    this.#random = random;
    this.#members = MEMBERS.filter(([, share]) => random.chance(share)).map(([json]) => json);
    this.#space = random.pick(["", "", " "]);
    this.#role = random.pick([undefined, undefined, `"assistant"`, `"user"`, "null", `""`]);
    this.#usual = random.pick([...Array(12).fill("content"), ...STEADY, ...Array(6)]);
    this.#choiceMore = random.pick([
      "",
      `,"logprobs":null,"finish_reason":null`,
      `,"finish_reason":""`,
      `,"usage":null`,
    ]);
    this.#pads = random.chance(0.3);
    this.#choices = random.chance(0.15) ? 2 : 1;
  }

  chunk(isFirst: boolean): string {
    const kind = this.#usual !== undefined && this.#random.chance(0.95)
      ? this.#usual
      : this.#random.weighted(DELTAS);
    const { delta, reason } = this.#deltaOf(kind);
    const role = isFirst ? `"assistant"` : this.#role;
    const said = role === undefined
      ? delta
      : delta === ""
      ? `"role":${role}`
      : `"role":${role},${delta}`;
    const index = this.#choices === 1 ? 0 : this.#random.integer(0, 1);
    const more = reason === undefined ? this.#choiceMore : `,"finish_reason":"${reason}"`;
    const choice = this.#random.chance(0.02)
      ? `{"delta":{${said}}${more}}`
      : `{"index":${index},"delta":{${said}}${more}}`;
    return this.#wrap(`"choices":[${choice}]`);
  }

  /** What is no word of the answer. */
  aside(): string {
    return this.#random.pick([
      this.#wrap(`"choices":[]`),
      this.#wrap(`"choices":[],"service_tier":"priority"`),
      this.#wrap(`"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}`),
      this.#wrap(
        `"choices":[{"index":0,"delta":{"content":"counted"}}],"usage":{"prompt_tokens":3}`,
      ),
      this.#wrap(`"choices":[{"index":1,"delta":{"content":"another"}}]`),
      this.#wrap(`"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]`),
      this.#wrap(`"choices":null`),
    ]);
  }

  #wrap(choices: string): string {
    const id = this.#random.chance(0.02) ? `"id":"another"` : `"id":"chatcmpl-1"`;
    const first = this.#random.chance(0.02) ? [] : [id];
    if (this.#random.chance(0.02)) this.#created++;
    const members = this.#members.map((json) =>
      json.startsWith(`"created"`) ? `"created":${this.#created}` : json
    );
    const padding = this.#pads ? [`"obfuscation":"${this.#padding()}"`] : [];
    const all = this.#random.chance(0.1)
      ? [...first, ...padding, choices, ...members]
      : [...first, ...members, choices, ...padding];
    const text = `{${all.join(",")}}`;
    return this.#space === "" ? text : text.replaceAll(`":`, `": `).replaceAll(`,"`, `, "`);
  }

  #padding(): string {
    const words = this.#random.chance(0.05) ? WORDS : ["abc", "kLm9", "x"];
    return `${this.#random.pick(words)}${this.#random.integer(0, 99)}`;
  }

  #words(): string {
    if (this.#random.chance(0.03)) return "";
    const usual = this.#random.chance(0.85) ? WORDS.slice(0, 6) : WORDS;
    return `${this.#random.pick(usual)}${this.#random.chance(0.2) ? this.#random.pick(usual) : ""}`;
  }

  #deltaOf(kind: keyof typeof DELTAS): { delta: string; reason?: string } {
    const words = this.#words();
    switch (kind) {
      case "content":
      case "reasoning":
      case "reasoning_content":
        return { delta: `"${kind}":"${words}"` };
      case "both":
        return { delta: `"reasoning":"${words}","reasoning_content":"${words}"` };
      case "thoughtsBeside":
        return { delta: `"reasoning":"kept","reasoning_content":"${words}"` };
      case "details":
        return { delta: `"reasoning":"${words}","reasoning_details":[{"text":"told"}]` };
      case "parts":
        return { delta: `"content":[{"type":"text","text":"${words}"}]` };
      case "refusal":
        return { delta: `"refusal":"${words}"` };
      case "empty":
        return { delta: `"content":""` };
      case "nothing":
        return { delta: "" };
      case "twice":
        return { delta: `"content":"${words}","content":"${words}"` };
      case "emptyCalls":
        return { delta: `"content":"${words}","tool_calls":[]` };
      case "calls":
        return {
          delta: `"content":"${words}","tool_calls":[{"index":0,"function":{"name":"f"}}]`,
        };
    }
  }
}

/** The data of the events of one stream, in their order. */
export function oddChunks(random: SeededRandom): readonly string[] {
  const habit = new Habit(random);
  const count = random.integer(3, 40);
  const all = Array.from({ length: count }, (_, place) => {
    const text = random.chance(0.02) ? habit.aside() : habit.chunk(place === 0);
    return random.chance(0.005) ? damaged(text, random) : text;
  });
  if (random.chance(0.8)) {
    all.push(`{"id":"chatcmpl-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`);
  }
  if (random.chance(0.5)) {
    all.push(`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}}`);
  }
  if (random.chance(0.02)) all.push(`{"error":{"message":"It broke","type":"server_error"}}`);
  if (random.chance(0.9)) all.push("[DONE]");
  return all;
}

function damaged(text: string, random: SeededRandom): string {
  const at = random.integer(0, text.length - 1);
  const put = random.pick(["", '"', "}", "\\", "\t", "x", "{"]);
  return text.slice(0, at) + put + text.slice(at + random.integer(0, 1));
}
