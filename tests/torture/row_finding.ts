/**
 * What a row found out: what it tried, its figures and what is broken.
 *
 * @module
 */

/** A figure with what it should be. */
export interface Figure {
  readonly name: string;
  /** As it is printed: with its unit. */
  readonly value: string;
  /** As it is printed: "≤ 100 ms". */
  readonly target: string;
  readonly isMet: boolean;
  /** Times are printed at commit size and count at full size only. */
  readonly isTime: boolean;
}

/** A finding as it is handed from the process of a row to the scorecard. */
export interface WrittenFinding {
  readonly tried: string;
  readonly figures: readonly Figure[];
  /** Sentences about what should hold and does not. */
  readonly broken: readonly string[];
  /** How many sentences there were in all. */
  readonly brokenCount: number;
}

const MOST_SENTENCES = 20;

/** Gathers what a row finds out. */
export class RowFinding {
  /** What was tried, and how many: "2000 calls at once from a balance for 100, 20 times". */
  tried: string;
  readonly #figures: Figure[] = [];
  readonly #broken: string[] = [];
  #brokenCount = 0;

  constructor(tried: string) {
    this.tried = tried;
  }

  /** How much is broken so far: where it makes no sense to go on, a row ends. */
  get brokenCount(): number {
    return this.#brokenCount;
  }

  /** Notes something that must hold whatever the machine; `sentence` says what is wrong if not. */
  require(holds: boolean, sentence: string | (() => string)): void {
    if (holds) return;
    this.#brokenCount++;
    if (this.#broken.length >= MOST_SENTENCES) return;
    this.#broken.push(typeof sentence === "string" ? sentence : sentence());
  }

  /** Notes everything that is broken, such as what the books say. */
  requireNone(sentences: readonly string[]): void {
    for (const sentence of sentences) this.require(false, sentence);
  }

  /**
   * Does a part of the row: an error in it is noted as broken. What merely prepares the row stays
   * outside, as an error there says nothing about the program.
   */
  async during(what: string, part: () => Promise<unknown>): Promise<void> {
    try {
      await part();
    } catch (error) {
      this.require(false, `${what}: ${error instanceof Error ? error.message : error}`);
    }
  }

  /** A number of things, which counts at every size. */
  count(name: string, value: number, target: Target = {}): void {
    this.#figure({ name, value, unit: "", isTime: false }, target);
  }

  /** Milliseconds, which count at full size only. */
  time(name: string, milliseconds: number, target: Target = {}): void {
    this.#figure({ name, value: milliseconds, unit: " ms", isTime: true }, target);
  }

  /** Anything else that a slow or busy machine changes, such as memory; counts at full size only. */
  measure(name: string, value: number, options: Target & { readonly unit: string }): void {
    this.#figure({ name, value, unit: ` ${options.unit}`, isTime: true }, options);
  }

  toJSON(): WrittenFinding {
    const { tried } = this;
    return {
      tried,
      figures: this.#figures,
      broken: this.#broken,
      brokenCount: this.#brokenCount,
    };
  }

  #figure(
    figure: { name: string; value: number; unit: string; isTime: boolean },
    { atMost, atLeast, exactly }: Target,
  ): void {
    const { name, value, unit, isTime } = figure;
    const targets = [
      exactly !== undefined && { words: `= ${shown(exactly)}${unit}`, isMet: value === exactly },
      atMost !== undefined && { words: `≤ ${shown(atMost)}${unit}`, isMet: value <= atMost },
      atLeast !== undefined && { words: `≥ ${shown(atLeast)}${unit}`, isMet: value >= atLeast },
    ].filter((target) => target !== false);
    this.#figures.push({
      name,
      value: `${shown(value)}${unit}`,
      target: targets.map(({ words }) => words).join(" and "),
      isMet: targets.every(({ isMet }) => isMet),
      isTime,
    });
  }
}

/** What a figure should be; no target just prints it. */
export interface Target {
  readonly atMost?: number;
  readonly atLeast?: number;
  readonly exactly?: number;
}

function shown(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(Math.abs(value) < 10 ? 2 : 1);
}
