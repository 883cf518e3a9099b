/**
 * How models of one dialect want to be asked where they differ: data of a catalogue's routes, and of
 * the list that comes with the program.
 *
 * @module
 */

/** Words for how much a model is to think, from the least; none at all is no such word. */
export const EFFORTS = ["minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** One of {@linkcode EFFORTS}. */
export type Effort = typeof EFFORTS[number];

/** Where a model is told how much to think: as an effort, a budget of tokens, a level, OpenAI's word, or nowhere. */
export const THINKING_WAYS = ["effort", "budget", "level", "reasoning_effort", "none"] as const;

/** Where the schema of an answer is said: in its own field, as the one tool that it has to call, or in words. */
export const SCHEMA_WAYS = ["field", "tool", "words"] as const;

/** What is known of a model; an absent key is as the shipped list has it of the model's name. */
export interface ModelTraits {
  /** Whether temperature and the like are taken. */
  readonly sampling?: boolean;
  readonly thinking?: typeof THINKING_WAYS[number];
  /** Whether thoughts can be switched off. */
  readonly thinkingOff?: boolean;
  readonly leastEffort?: Effort;
  readonly mostEffort?: Effort;
  /** Of a budget; 0: not at all. */
  readonly leastThinkingTokens?: number;
  readonly mostThinkingTokens?: number;
  /** Whether a call of a tool can be demanded. */
  readonly forcedTools?: boolean;
  readonly schemasBy?: typeof SCHEMA_WAYS[number];
  /** Whether an answer can be demanded to be JSON while tools are offered. */
  readonly schemasWithTools?: boolean;
  /** Whether the system may speak in mid-conversation. */
  readonly systemTurns?: boolean;
  /** Whether there is a place for instructions; else they are said first. */
  readonly systemPlace?: boolean;
  /** Whether calls that are given back have to be signed. */
  readonly signedCalls?: boolean;
  /** Whether what a tool gave may have pictures and files in it. */
  readonly richResults?: boolean;
  /** Tokens that it counts where our tokenizer counts one. */
  readonly tokenFactor?: number;
}
