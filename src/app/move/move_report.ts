/**
 * What a move has done.
 *
 * @module
 */

import type { LedgerFindings } from "../../admin/base/findings.ts";
import { GatewayError } from "../../errors.ts";
import type { ComparedSides, CopiedRows } from "./copy_rows.ts";

/** A move that has come to its end. */
export interface MoveReport extends CopiedRows, ComparedSides {
  readonly from: string;
  readonly to: string;
  /** `undefined` where the source is served, and the rest is yet to be moved. */
  readonly books: LedgerFindings | undefined;
  /** A database that was in the target's place. */
  readonly kept: string | undefined;
  /** Whether a project keeps what its calls say; absent where that is no matter of the move. */
  readonly keepsPrompts?: boolean;
}

/** @throws {GatewayError} `conflict` when the two are not the same, or the books do not add up. */
export function refuseUnlike(
  { unequal }: ComparedSides,
  books: LedgerFindings | undefined,
  to: string,
): void {
  if (unequal.length > 0) {
    throw new GatewayError(
      "conflict",
      `What is in ${to} is not what was moved: ${
        unequal.join(", ")
      }. It is not used; move it again, and report this`,
    );
  }
  if (books !== undefined) refuseFaulty(books, to, "It is not used");
}

/** @throws {GatewayError} `conflict` when the books of a database do not add up. @param then What that means. */
export function refuseFaulty(books: LedgerFindings, name: string, then: string): void {
  const [first] = books.differences;
  if (first === undefined) return;
  const count = books.differences.length + books.omitted;
  const word = count === 1 ? "difference" : "differences";
  throw new GatewayError(
    "conflict",
    `The books in ${name} have ${count} ${word}, such as ${first.table} ${first.id}: ${first.detail}. ` +
      `${then}. \`tollgate ledger verify\` lists them where they come from`,
  );
}
