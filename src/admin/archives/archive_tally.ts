/**
 * What archived rows add up to.
 *
 * @module
 */

import { completionTokens, promptTokens } from "../../domain/work.ts";
import type { ClosedCall, LedgerRow, StoredCall } from "../../domain/call.ts";
import type {
  ArchivedProject,
  CheckpointDocument,
  KeptReference,
} from "../../domain/checkpoint.ts";
import type { AmountE8 } from "../../domain/money.ts";
import { sumReferences } from "../ledger_check/check_checkpoints.ts";

/** What follows from an archive's rows; the rest of a document says which archive it is. */
export type ArchiveFacts = Omit<
  CheckpointDocument,
  "number" | "previous" | "before" | "written_at"
>;

/** What a project begins with, by the names that a document has. */
const NOTHING = {
  credited_e8: 0n,
  charged_e8: 0n,
  lost_e8: 0n,
  calls: 0n,
  prompt_tokens: 0n,
  completion_tokens: 0n,
  cost_e8: 0n,
  sale_e8: 0n,
};

type ProjectSums = typeof NOTHING;

/** Adds rows up, in any order but that of ledger rows. */
export class ArchiveTally {
  readonly #projects = new Map<string, ProjectSums>();
  readonly #references: KeptReference[] = [];
  #fromSeq = 0;
  #toSeq = 0;
  #latestAt = 0;
  #calls = 0;
  #firstCallId = 0;
  #lastCallId = 0;
  #costE8 = 0n;
  #saleE8 = 0n;

  /** The latest time of any row, milliseconds since the epoch. */
  get latestAt(): number {
    return this.#latestAt;
  }

  addRow({ seq, projectId, kind, amountE8, reference, at }: LedgerRow): void {
    if (this.#fromSeq === 0) this.#fromSeq = seq;
    this.#toSeq = seq;
    this.#latestAt = Math.max(this.#latestAt, at);
    const sums = this.#sumsOf(projectId);
    if (kind === "credit") sums.credited_e8 += amountE8;
    if (kind === "settle") sums.charged_e8 += amountE8;
    if (kind === "loss") sums.lost_e8 += amountE8;
    if (reference !== undefined) this.#references.push({ projectId, reference, amountE8 });
  }

  addCall(call: StoredCall): void {
    const { callId } = call;
    this.#calls++;
    if (this.#firstCallId === 0 || callId < this.#firstCallId) this.#firstCallId = callId;
    this.#lastCallId = Math.max(this.#lastCallId, callId);
    if (call.state === "open") return;
    const { costE8, saleE8, work }: ClosedCall = call;
    this.#costE8 += costE8;
    this.#saleE8 += saleE8;
    const sums = this.#sumsOf(call.projectId);
    sums.calls++;
    sums.prompt_tokens += BigInt(promptTokens(work));
    sums.completion_tokens += BigInt(completionTokens(work));
    sums.cost_e8 += costE8;
    sums.sale_e8 += saleE8;
  }

  /** @param opening What the projects began with. */
  facts(
    opening: ReadonlyMap<string, AmountE8>,
    file: Pick<ArchiveFacts, "price_versions" | "content_sha256">,
  ): ArchiveFacts {
    return {
      from_seq: this.#fromSeq,
      to_seq: this.#toSeq,
      calls: this.#calls,
      first_call_id: this.#firstCallId,
      last_call_id: this.#lastCallId,
      price_versions: file.price_versions,
      references: this.#references.length,
      references_sha256: sumReferences(this.#references),
      cost_e8: String(this.#costE8),
      sale_e8: String(this.#saleE8),
      content_sha256: file.content_sha256,
      projects: this.#statements(opening),
    };
  }

  #sumsOf(projectId: string): ProjectSums {
    let sums = this.#projects.get(projectId);
    if (sums === undefined) this.#projects.set(projectId, sums = { ...NOTHING });
    return sums;
  }

  #statements(opening: ReadonlyMap<string, AmountE8>): CheckpointDocument["projects"] {
    const ids = [...new Set([...opening.keys(), ...this.#projects.keys()])].sort();
    return Object.fromEntries(ids.map((id): [string, ArchivedProject] => {
      const { credited_e8, charged_e8, lost_e8, ...usage } = this.#sumsOf(id);
      const opening_e8 = opening.get(id) ?? 0n;
      const closing_e8 = opening_e8 + credited_e8 - charged_e8;
      return [id, {
        ...inWords({ opening_e8, credited_e8, charged_e8, lost_e8, closing_e8 }),
        usage: inWords(usage),
      }];
    }));
  }
}

function inWords<Name extends string>(sums: { readonly [name in Name]: bigint }) {
  const words = Object.entries<bigint>(sums).map(([name, sum]) => [name, String(sum)]);
  return Object.fromEntries(words) as { [name in Name]: string };
}
