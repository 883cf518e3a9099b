/**
 * What a request has of what all of them share, from its arrival until it is over.
 *
 * @module
 */

import type { Permit } from "./permit.ts";

/** A count of bytes in memory that is shared with others. */
export interface ByteRoom {
  /** Takes bytes, or throws and takes none. */
  reserve(bytes: number): void;
  /** Gives back what was taken. */
  release(bytes: number): void;
  /**
   * Counts a body that is about to be read, or one of unknown length once it was, and gives the
   * milliseconds until its turn, of which `LargeBodyTurns` tells more; for 0 bytes it only gives
   * them. Absent: every body has its turn.
   */
  turnInMs?(bytes: number): number;
  /** Does something once nobody needs what was taken. Absent: nobody says when that is. */
  whenOver?(end: () => void): void;
}

/** Answers up to this size are not worth counting: so many bytes of requests are in flight anyway. */
const SMALL_ANSWER_BYTES = 64 * 1024;

/**
 * A request's place among those that its project and key may have at the same time, the bytes of
 * its body and of what that brings into memory, and those of its answer.
 *
 * Place and body end with the request's call, or, where it is none, with its handler; the answer
 * when call and handler are over and it is sent.
 */
export class Stay implements ByteRoom {
  #permit: Permit;
  readonly #room: ByteRoom;
  #bytes = 0;
  /** Of the answer: as counted, and as reserved of that. */
  #answerBytes = 0;
  #answerReserved = 0;
  #call: "none" | "open" | "over" = "none";
  #isSending = false;
  #hasLeft = false;
  /** What else is to be given back with the body. */
  #endings: (() => void)[] | undefined;
  /** What else is to be given back with the answer. */
  #lastEndings: (() => void)[] | undefined;

  /** @param permit The place, already taken. */
  constructor(permit: Permit, room: ByteRoom) {
    this.#permit = permit;
    this.#room = room;
  }

  /** The request's place. */
  get permit(): Permit {
    return this.#permit;
  }

  /** Gives a place to a request that began without one, and turns out to need it. */
  enter(permit: Permit): void {
    this.#permit.release();
    this.#permit = permit;
  }

  /** @throws What the room throws when it has too little left. */
  reserve(bytes: number): void {
    this.#room.reserve(bytes);
    this.#bytes += bytes;
  }

  release(bytes: number): void {
    this.#room.release(bytes);
    this.#bytes -= bytes;
  }

  turnInMs(bytes: number): number {
    return this.#room.turnInMs?.(bytes) ?? 0;
  }

  /** Does something once nobody needs the body any more: its files and its memory are given up then. */
  whenOver(end: () => void): void {
    (this.#endings ??= []).push(end);
    if (this.#isBodyOver) this.#giveBack();
  }

  /** Does something once nobody needs the answer any more: what of it is in files is removed then. */
  whenSent(end: () => void): void {
    (this.#lastEndings ??= []).push(end);
    if (this.#isOver) this.#giveBack();
  }

  /**
   * Counts bytes of the answer that have come, or are about to be made. Small answers cost nothing
   * but an addition.
   *
   * @throws What the room throws when it has too little left.
   */
  countAnswer(bytes: number): void {
    this.#answerBytes += bytes;
    const more = this.#answerBytes - this.#answerReserved;
    if (more <= 0 || this.#answerBytes <= SMALL_ANSWER_BYTES || this.#isOver) return;
    // At least so many, so that an answer in small parts is not reserved part by part.
    const step = Math.max(more, SMALL_ANSWER_BYTES);
    this.#room.reserve(step);
    this.#answerReserved += step;
  }

  /** What came of an answer will not be used: another one begins. */
  forgetAnswer(): void {
    if (this.#answerReserved > 0) this.#room.release(this.#answerReserved);
    this.#answerReserved = this.#answerBytes = 0;
  }

  /** A call begins, which lasts until {@linkcode end}, whatever becomes of the handler. */
  takeOver(): void {
    this.#call = "open";
  }

  /** The call is over; safe to call more than once. */
  end(): void {
    this.#call = "over";
    this.#giveBack();
  }

  /** The answer is about to be sent, which lasts until {@linkcode sent}. */
  send(): void {
    this.#isSending = true;
  }

  /** The answer is sent, or will not be; safe to call more than once. */
  sent(): void {
    this.#isSending = false;
    this.#giveBack();
  }

  /** The handler is done. */
  leave(): void {
    this.#hasLeft = true;
    this.#giveBack();
  }

  get #isOver(): boolean {
    return this.#hasLeft && !this.#isSending && this.#call !== "open";
  }

  get #isBodyOver(): boolean {
    return this.#isOver || this.#call === "over";
  }

  /** Gives back what nobody needs any more. */
  #giveBack(): void {
    if (this.#isBodyOver) {
      this.#permit.release();
      if (this.#bytes > 0) this.#room.release(this.#bytes);
      this.#bytes = 0;
      const endings = this.#endings;
      this.#endings = undefined;
      endings?.forEach((end) => end());
    }
    if (!this.#isOver) return;
    this.forgetAnswer();
    const endings = this.#lastEndings;
    this.#lastEndings = undefined;
    endings?.forEach((end) => end());
  }
}
