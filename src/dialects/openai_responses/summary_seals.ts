/**
 * Summaries as callers keep them: `tg1.summary.MAKER.TEXT.MAC`, an opaque text that stands for a
 * conversation. The MAC is over the project, so that nobody goes on from a summary of its own making or
 * of another project; MAKER names the data dir whose secret it is of. Nothing in it is secret.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import { ownSeal } from "../turns/own_seal.ts";

const SUMMARY = ownSeal("summary.");
const PARTS = /^([\w-]{8})\.([\w-]*)\.([\w-]{22})$/;
const MAKER_BYTES = 6;
const MAC_BYTES = 16;

export class SummarySeals {
  readonly #key: Uint8Array;
  readonly #maker: string;

  /** @param key The same one for as long as summaries are to be believed. */
  constructor(key: Uint8Array) {
    this.#key = key;
    this.#maker = this.#digestOf("maker").subarray(0, MAKER_BYTES).toString("base64url");
  }

  /** A summary that the project may go on from. */
  wrap(projectId: string, text: string): string {
    const payload = Buffer.from(text).toString("base64url");
    const mac = this.#macOf(projectId, payload).toString("base64url");
    return `${SUMMARY}${this.#maker}.${payload}.${mac}`;
  }

  /**
   * The text again; `undefined` for what is none of ours, so that only who made it can open it.
   *
   * @throws {ForgedSummary} For what says that it is ours, and is not, or is another project's.
   */
  unwrap(projectId: string, wrapped: unknown): string | undefined {
    if (typeof wrapped !== "string" || !wrapped.startsWith(`${SUMMARY}${this.#maker}.`)) {
      return undefined;
    }
    const [, , payload, mac] = PARTS.exec(wrapped.slice(SUMMARY.length)) ?? [];
    if (payload === undefined || mac === undefined) throw new ForgedSummary();
    const told = Buffer.from(mac, "base64url");
    const due = this.#macOf(projectId, payload);
    if (told.length !== MAC_BYTES || !timingSafeEqual(told, due)) throw new ForgedSummary();
    return Buffer.from(payload, "base64url").toString();
  }

  #macOf(projectId: string, payload: string): Buffer {
    return this.#digestOf(`${JSON.stringify(projectId)} ${payload}`).subarray(0, MAC_BYTES);
  }

  #digestOf(of: string): Buffer {
    return createHmac("sha256", this.#key).update(`summary ${of}`).digest();
  }
}

/** A summary that was not made here, or not for who gives it back. */
export class ForgedSummary extends Error {
  override readonly name = "ForgedSummary";

  constructor() {
    super("The summary was not made by this gateway for this project, or was changed since");
  }
}
