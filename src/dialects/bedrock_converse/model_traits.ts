/**
 * What models at Bedrock take besides what all do, by their ids: data of November 2026.
 *
 * @module
 */

export interface ModelTraits {
  /** Whether temperature and the like are taken. */
  readonly sampling: boolean;
  /** Whether a call of a tool can be demanded. */
  readonly forcedTools: boolean;
  /** How much it is to think is said as Claude's effort, as a budget of tokens, in OpenAI's word, or not. */
  readonly thinking: "effort" | "budget" | "openai" | "none";
  /** Whether the schema of an answer has a field of its own: others are told it in words. */
  readonly schemas?: true;
}

const PLAIN: ModelTraits = { sampling: true, forcedTools: true, thinking: "none" };

const BY_ID: readonly (readonly [RegExp, ModelTraits])[] = [
  [/claude-(?:sonnet|opus)-5-5|claude-fable-5-/, {
    sampling: false,
    forcedTools: false,
    thinking: "effort",
  }],
  [/claude-(?:opus-4-[78]|(?:opus|sonnet|haiku|fable)-5)/, {
    sampling: false,
    forcedTools: true,
    thinking: "effort",
  }],
  // AWS says it of these and of all with 4.5, and of no others yet.
  [/claude-opus-4-6/, { ...PLAIN, thinking: "effort", schemas: true }],
  [/claude-sonnet-4-6/, { ...PLAIN, thinking: "effort" }],
  [/claude-(?:opus|sonnet|haiku)-4-5/, { ...PLAIN, thinking: "budget", schemas: true }],
  [/claude-3-7|claude-[a-z]+-4/, { ...PLAIN, thinking: "budget" }],
  [/openai\.gpt-\d/, { ...PLAIN, sampling: false, thinking: "openai" }],
  [/openai\./, { ...PLAIN, thinking: "openai" }],
];

/** Of a model, by its id, its inference profile's or its ARN. */
export function traitsOf(model = ""): ModelTraits {
  return BY_ID.find(([pattern]) => pattern.test(model))?.[1] ?? PLAIN;
}
