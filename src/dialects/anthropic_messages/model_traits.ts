/**
 * What Anthropic's models take and refuse, by their names at the upstream: data of November 2026, the
 * newest models first. A model that is not in the list is taken for one of the newest.
 *
 * @module
 */

export interface ModelTraits {
  /** The most output. */
  readonly maxTokens: number;
  /** Whether temperature and the like are taken. */
  readonly sampling: boolean;
  /** Whether thoughts can be switched off. */
  readonly thinkingOff: boolean;
  /** How much it is to think is said as an effort, else as a budget of tokens. */
  readonly effort: boolean;
  /** Whether there are efforts beyond `high`. */
  readonly highestEfforts: boolean;
  /** Whether a call of a tool can be demanded. */
  readonly forcedTools: boolean;
  /** Whether answers of a JSON schema can be demanded. */
  readonly schemas: boolean;
  /** Whether the system may speak in mid-conversation. */
  readonly systemTurns: boolean;
  /** Tokens that it counts where our tokenizer counts one. */
  readonly tokenFactor: number;
}

const NEWEST: ModelTraits = {
  maxTokens: 128_000,
  sampling: false,
  thinkingOff: false,
  effort: true,
  highestEfforts: true,
  forcedTools: false,
  schemas: true,
  systemTurns: false,
  tokenFactor: 1.3,
};
const FIRST_FIVE: ModelTraits = { ...NEWEST, systemTurns: true };
const FORCED: ModelTraits = { ...NEWEST, forcedTools: true };
const SWITCHED: ModelTraits = { ...FORCED, thinkingOff: true };
const OLDER: ModelTraits = { ...SWITCHED, sampling: true, highestEfforts: false, tokenFactor: 1 };
const BUDGETED: ModelTraits = { ...OLDER, effort: false, maxTokens: 64_000 };
const OLDEST: ModelTraits = { ...BUDGETED, schemas: false };

const BY_NAME: readonly (readonly [RegExp, ModelTraits])[] = [
  [/sonnet-5-5|opus-5-5|fable-5-[12]/, FIRST_FIVE],
  [/haiku-5-5/, { ...SWITCHED, systemTurns: true }],
  [/opus-5|opus-4-[78]|sonnet-5/, SWITCHED],
  [/fable-5/, FORCED],
  [/(?:sonnet|opus)-4-6/, OLDER],
  [/opus-4-5/, { ...OLDER, maxTokens: 64_000 }],
  [/-4-5/, BUDGETED],
  [/opus-4-1/, { ...BUDGETED, maxTokens: 32_000 }],
  [/opus-4/, { ...OLDEST, maxTokens: 32_000 }],
  [/sonnet-4|claude-3/, OLDEST],
];

/** Tokens that a model counts where our tokenizer counts one: others' are about ours. */
export function tokenFactor(model: string): number {
  return /claude/i.test(model) ? traitsOf(model).tokenFactor : 1;
}

/** Of a model, by its name at the upstream. */
export function traitsOf(model = ""): ModelTraits {
  return BY_NAME.find(([pattern]) => pattern.test(model))?.[1] ?? NEWEST;
}
