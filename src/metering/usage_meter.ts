/**
 * Decides what a call used, and whether that was reported or estimated. The
 * only place that does.
 *
 * @module
 */

import {
  addWork,
  completionTokens,
  NO_WORK,
  promptTokens,
  type UsageSource,
  type Work,
} from "../domain/work.ts";
import type { Terms } from "../domain/terms.ts";
import { countTokens } from "../domain/tokenizer.ts";

/** Longer texts are counted by their beginning, so that counting never blocks the event loop. */
export const COUNTED_CHARACTERS = 200_000;

/** Counts tokens of a text that is that long, extrapolating beyond its first 200,000 characters. */
export function estimateTokens(text: string, length = text.length): number {
  if (length <= COUNTED_CHARACTERS) return countTokens(text);
  const counted = countTokens(text.slice(0, COUNTED_CHARACTERS));
  return Math.ceil(counted * length / COUNTED_CHARACTERS);
}

/**
 * The same of many texts, none of which is empty: so much of them is counted in all, and the rest
 * is taken to be like it.
 */
export function estimateTokensOfAll(texts: readonly string[]): number {
  let tokens = 0;
  let counted = 0;
  let length = 0;
  for (const text of texts) {
    length += text.length;
    const part = text.slice(0, COUNTED_CHARACTERS - counted);
    tokens += countTokens(part);
    counted += part.length;
  }
  return length === counted ? tokens : Math.ceil(tokens * length / counted);
}

/** What was bought and where that comes from. */
export interface MeteredUsage {
  readonly work: Work;
  readonly source: UsageSource;
}

/** The most tokens of a stream, over all choices. */
export interface OutputLimit {
  /** Of the answer alone. */
  readonly answer: number;
  /** With the thoughts that stand in fields of their own. */
  readonly withThoughts: number;
}

/** What a call used nothing of. */
export const NOTHING_USED: MeteredUsage = { work: NO_WORK, source: "none" };

/** Far beyond any context, yet small enough that every price of it fits an amount. */
const MOST_TOKENS = 100_000_000;

/** Our count is within a factor of two of the upstream's. */
const UNSURE = 2;
/** Tokens beyond its limit that no answer is ended for. */
const MARGIN = 256;
/** Most texts have more characters than this for a token: shorter ones are not counted. */
const CHARACTERS_PER_TOKEN = 4;

/** How much longer a text is when it is counted again. */
const RECOUNT = 1.25;

/** What one call bought: the upstream's own counts when it sends any, ours otherwise. */
export class UsageMeter {
  readonly #promptTokens: () => number;
  readonly #expected: Work;
  #reported: Work | undefined;
  #terms: Terms | undefined;
  /** What had been written when that came: some upstreams count as they go, or only at the start. */
  #reportedLength = 0;
  /** What the model wrote, as far as it is looked at: an endless answer must not fill the memory. */
  #delivered = "";
  #deliveredLength = 0;
  /** Of `#deliveredLength`, what is no part of the answer. */
  #thoughtsLength = 0;
  #hasOutput = false;
  /** Tokens that it wrote and nobody has seen, as far as that can be told without counts. */
  #unseenThoughts = 0;
  /** The lengths from which on {@linkcode isClearlyBeyond} counts anew: counting takes time. */
  #countAnswerFrom = 0;
  #countAllFrom = 0;

  /**
   * @param promptTokens Counts the prompt's tokens; called only when the upstream has not.
   * @param expected What is bought besides them, likely.
   */
  constructor(promptTokens: () => number, expected: Work = NO_WORK) {
    this.#promptTokens = promptTokens;
    this.#expected = expected;
  }

  /** What the upstream has told that a price may depend on. */
  get terms(): Terms | undefined {
    return this.#terms;
  }

  /** Whether the upstream has sent counts. */
  get hasReport(): boolean {
    return this.#reported !== undefined;
  }

  /** Tokens that it wrote in sight, as the upstream counts; `undefined` where it has not. */
  get seenTokens(): number | undefined {
    const { output = 0, reasoning = 0 } = this.#reported ?? NO_WORK;
    if (this.#reported === undefined) return undefined;
    return this.#thoughtsLength > 0 ? output + reasoning : output;
  }

  /** Whether the upstream's counts are of all that the model has written so far. */
  get isReportWhole(): boolean {
    return this.#reported !== undefined && this.#reportedLength === this.#deliveredLength;
  }

  /**
   * Notes counts from the upstream, of what it has written before them: the last ones win. Counts
   * that no call can reach are ignored. What it tells besides holds for estimates, too.
   */
  report(usage: Work | undefined, terms?: Terms): void {
    if (terms !== undefined) this.#terms = terms;
    if (usage === undefined) return;
    if (promptTokens(usage) > MOST_TOKENS || completionTokens(usage) > MOST_TOKENS) return;
    this.#reported = usage;
    this.#terms = terms;
    this.#reportedLength = this.#deliveredLength;
  }

  /**
   * Notes output of the model, with its text as far as it is one.
   *
   * @param thoughts Characters of it that are no part of the answer.
   */
  wrote(text: string, thoughts = 0): void {
    this.#hasOutput = true;
    this.#deliveredLength += text.length;
    this.#thoughtsLength += thoughts;
    if (this.#delivered.length < COUNTED_CHARACTERS) this.#delivered += text;
  }

  /**
   * Notes thoughts that were never delivered, by an estimate.
   *
   * @param mostTokens With what was delivered they are no more than this.
   */
  thoughtUnseen(tokens: number, mostTokens: number): void {
    const delivered = estimateTokens(this.#delivered, this.#deliveredLength);
    this.#unseenThoughts = Math.max(0, Math.min(tokens, mostTokens - delivered));
  }

  /** Whether what the model wrote is more than so many tokens, whoever counts. */
  isClearlyBeyond({ answer, withThoughts }: OutputLimit): boolean {
    const all = this.#deliveredLength;
    const answered = all - this.#thoughtsLength;
    if (answered >= this.#countAnswerFrom && mayBeBeyond(answered, answer)) {
      this.#countAnswerFrom = Math.ceil(answered * RECOUNT);
      const tokens = estimateTokens(this.#delivered, all) * answered / all;
      if (tokens > UNSURE * answer + MARGIN) return true;
    }
    // Without thoughts the answer is all there is, and the smaller limit holds.
    if (answered === all || all < this.#countAllFrom || !mayBeBeyond(all, withThoughts)) {
      return false;
    }
    this.#countAllFrom = Math.ceil(all * RECOUNT);
    return estimateTokens(this.#delivered, all) > UNSURE * withThoughts + MARGIN;
  }

  /** The usage of an answer that is complete, or that its caller broke off while it was written. */
  complete(): MeteredUsage {
    const reported = this.#reported;
    if (reported === undefined) return this.estimate();
    if (this.isReportWhole) return { work: reported, source: "reported" };
    const output = (reported.output ?? 0) + this.#tokensSinceReport();
    return { work: { ...reported, output }, source: "estimated" };
  }

  /**
   * The usage of an answer that broke off: counts that the upstream sent, else the prompt and what
   * was delivered; nothing when nothing was delivered.
   */
  brokenOff(): MeteredUsage {
    if (this.#reported !== undefined) return this.complete();
    return this.#hasOutput ? this.estimate() : NOTHING_USED;
  }

  /** The usage of an answer of which nothing was delivered, though the model wrote about so much. */
  undelivered(output: number): MeteredUsage {
    const work = { ...this.#expected, input: this.#promptTokens() };
    return { work: addWork(work, { output }), source: "estimated" };
  }

  /** Our own counts of the prompt and of what the model wrote, whatever the upstream reported. */
  estimate(): MeteredUsage {
    const delivered = estimateTokens(this.#delivered, this.#deliveredLength);
    const reasoning = this.#unseenThoughts;
    const output = delivered > 0 ? delivered : this.#expected.output ?? 0;
    return {
      work: { ...this.#expected, input: this.#promptTokens(), output, reasoning },
      source: "estimated",
    };
  }

  #tokensSinceReport(): number {
    const length = this.#deliveredLength;
    const share = (length - this.#reportedLength) / length;
    return Math.ceil(estimateTokens(this.#delivered, length) * share);
  }
}

/** Whether a text is long enough to be worth counting. */
function mayBeBeyond(length: number, tokens: number): boolean {
  return length >= CHARACTERS_PER_TOKEN * (tokens + MARGIN);
}
