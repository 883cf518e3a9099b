/**
 * Seals as they are written, and read where each is what was written behind the one before it.
 *
 * @module
 */

import { type BookId, type BookPlace, MAIN_BOOK } from "../../domain/book.ts";
import type { SealDocument } from "../../domain/seal.ts";
import type { LedgerRun } from "../../storage/ports/ledger_run.ts";
import type { LedgerSeal, LedgerSeals } from "../../storage/ports/seals.ts";
import type { Differences } from "../base/findings.ts";
import { hashDocument } from "./check_checkpoints.ts";
import type { LedgerPass } from "./ledger_pass.ts";

/** Seals read at once: one may have megabytes. */
const SEALS_AT_ONCE = 4;

/** A seal that is what was written. */
export interface IntactSeal {
  readonly sha256: string;
  readonly document: SealDocument;
  /** Whether its calls are deleted, or some of them. */
  readonly isDropped: boolean;
}

/** The seal that states a document. */
export function sealOf(document: SealDocument): LedgerSeal {
  const text = JSON.stringify(document);
  const { book, after_seq: afterSeq, through_seq: throughSeq } = document;
  return { book, afterSeq, throughSeq, document: text, sha256: hashDocument(text) };
}

/** Reads the seals of all books, some at a time: they may be many. */
export async function* readSeals(
  seals: Pick<LedgerSeals, "list">,
): AsyncGenerator<LedgerSeal> {
  let last: LedgerSeal | undefined;
  for (;;) {
    const after = last && { book: last.book, seq: last.afterSeq };
    const some = await seals.list(after, SEALS_AT_ONCE);
    yield* some;
    if (some.length < SEALS_AT_ONCE) return;
    last = some.at(-1);
  }
}

/** Follows the seals of one book from the first. */
export class SealChain {
  readonly #book: BookId;
  readonly #differences: Differences;
  #lastSeq: number;
  #previous: string | null = null;
  #isBroken = false;

  /** @param lastSeq The row before the book's first one. */
  constructor(
    book: BookId,
    { lastSeq, differences }: { readonly lastSeq: number; readonly differences: Differences },
  ) {
    this.#book = book;
    this.#lastSeq = lastSeq;
    this.#differences = differences;
  }

  /** The last row that is sealed. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** SHA-256 of the last seal. */
  get previous(): string | null {
    return this.#previous;
  }

  /** Takes the next seal; `undefined` for one that proves nothing, nor do those behind it. */
  take(seal: LedgerSeal): IntactSeal | undefined {
    if (this.#isBroken) return undefined;
    const intact = readSeal(seal);
    if (intact === undefined) {
      return this.#breakAt(seal, "the seal was altered: its hash does not fit what it states");
    }
    if (seal.afterSeq !== this.#lastSeq || intact.document.previous !== this.#previous) {
      return this.#breakAt(seal, "the seal does not follow the one before it");
    }
    this.#lastSeq = seal.throughSeq;
    this.#previous = seal.sha256;
    return intact;
  }

  #breakAt({ afterSeq }: LedgerSeal, detail: string): undefined {
    this.#isBroken = true;
    this.#differences.note(["ledger_seals", `${this.#book}/${afterSeq}`], detail);
  }
}

/** The chains of all books, each begun where its first row is taken. */
export class SealChains {
  readonly #chains = new Map<BookId, SealChain>();
  readonly #ledger: Pick<LedgerPass, "beginBook">;
  readonly #differences: Differences;
  readonly #firstSeq: number;

  /** @param firstSeq The row before the main book's first one. */
  constructor(
    { ledger, differences, firstSeq }: {
      readonly ledger: Pick<LedgerPass, "beginBook">;
      readonly differences: Differences;
      readonly firstSeq: number;
    },
  ) {
    this.#ledger = ledger;
    this.#differences = differences;
    this.#firstSeq = firstSeq;
  }

  /** A book's chain. */
  of(book: BookId): SealChain {
    let chain = this.#chains.get(book);
    if (chain === undefined) {
      const lastSeq = book === MAIN_BOOK ? this.#firstSeq : 0;
      this.#ledger.beginBook(book, lastSeq);
      chain = new SealChain(book, { lastSeq, differences: this.#differences });
      this.#chains.set(book, chain);
    }
    return chain;
  }

  /** Whether a row is of a run that a seal stands for. */
  isSealed({ book, seq }: BookPlace): boolean {
    return seq <= (this.#chains.get(book)?.lastSeq ?? 0);
  }

  /** The last sealed row of each book that has a chain. */
  get places(): readonly BookPlace[] {
    return [...this.#chains].map(([book, { lastSeq: seq }]) => ({ book, seq }));
  }
}

/** What a seal states, if its hash and its columns say the same. */
export function readSeal(seal: LedgerSeal): IntactSeal | undefined {
  const { book, afterSeq, throughSeq, sha256, isDropped = false } = seal;
  if (hashDocument(seal.document) !== sha256) return undefined;
  const document = JSON.parse(seal.document) as SealDocument;
  const isSame = document.book === book && document.after_seq === afterSeq &&
    document.through_seq === throughSeq;
  return isSame ? { sha256, document, isDropped } : undefined;
}

/**
 * The seal of a run, while the run is as it was sealed or its calls are deleted; `undefined` where it was
 * altered since, or has no seal.
 */
export async function fittingSeal(
  seals: Pick<LedgerSeals, "list" | "digest">,
  run: LedgerRun,
): Promise<LedgerSeal | undefined> {
  const [seal] = await seals.list({ book: run.book, seq: run.afterSeq - 1 }, 1);
  const intact = seal && readSeal(seal);
  if (intact === undefined) return undefined;
  return intact.isDropped || await seals.digest(run) === intact.document.digest ? seal : undefined;
}
