/**
 * What moderation upstreams answer.
 *
 * @module
 */

const CATEGORIES = [
  "harassment",
  "harassment/threatening",
  "sexual",
  "hate",
  "hate/threatening",
  "illicit",
  "illicit/violent",
  "self-harm/intent",
  "self-harm/instructions",
  "self-harm",
  "sexual/minors",
  "violence",
  "violence/graphic",
];

/** A judgement of so many inputs, in OpenAI's form. */
export function judgement(count: number, { flagged = false } = {}) {
  const of = <Value>(value: Value) =>
    Object.fromEntries(CATEGORIES.map((category) => [category, value]));
  return {
    id: "modr-1",
    model: "omni-moderation-2024-09-26",
    results: Array.from({ length: count }, () => ({
      flagged,
      categories: of(flagged),
      category_scores: of(0.5),
      category_applied_input_types: of(["text"]),
    })),
  };
}
