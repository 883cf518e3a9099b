/**
 * Efforts as tokens, for models of Anthropic's that know no efforts, wherever they are asked.
 *
 * @module
 */

/** The API's least is 1,024. */
export const THINKING_BUDGETS: Readonly<Record<string, number>> = {
  minimal: 1_024,
  low: 1_024,
  medium: 2_048,
  high: 4_096,
  xhigh: 8_192,
  max: 16_384,
};
