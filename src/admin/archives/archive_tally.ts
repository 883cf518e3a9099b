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

interface ProjectSums {
  credited: bigint;
  charged: bigint;
  lost: bigint;
  calls: bigint;
  promptTokens: bigint;
  completionTokens: bigint;
  costE8: bigint;
  saleE8: bigint;
}

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
    if (kind === "credit") sums.credited += amountE8;
    if (kind === "settle") sums.charged += amountE8;
    if (kind === "loss") sums.lost += amountE8;
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
    sums.promptTokens += BigInt(promptTokens(work));
    sums.completionTokens += BigInt(completionTokens(work));
    sums.costE8 += costE8;
    sums.saleE8 += saleE8;
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
    if (sums === undefined) {
      sums = {
        credited: 0n,
        charged: 0n,
        lost: 0n,
        calls: 0n,
        promptTokens: 0n,
        completionTokens: 0n,
        costE8: 0n,
        saleE8: 0n,
      };
      this.#projects.set(projectId, sums);
    }
    return sums;
  }

  #statements(opening: ReadonlyMap<string, AmountE8>): CheckpointDocument["projects"] {
    const ids = [...new Set([...opening.keys(), ...this.#projects.keys()])].sort();
    return Object.fromEntries(ids.map((id): [string, ArchivedProject] => {
      const { credited, charged, lost, ...usage } = this.#sumsOf(id);
      const before = opening.get(id) ?? 0n;
      return [id, {
        opening_e8: String(before),
        credited_e8: String(credited),
        charged_e8: String(charged),
        lost_e8: String(lost),
        closing_e8: String(before + credited - charged),
        usage: {
          calls: String(usage.calls),
          prompt_tokens: String(usage.promptTokens),
          completion_tokens: String(usage.completionTokens),
          cost_e8: String(usage.costE8),
          sale_e8: String(usage.saleE8),
        },
      }];
    }));
  }
}
