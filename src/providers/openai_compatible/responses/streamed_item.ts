/**
 * One output item on its way: which of its brackets are open, and what has been
 * written in them, so that a bracket which an upstream leaves out is put in.
 *
 * @module
 */

import { isObject, type JsonObject } from "../../../domain/json_value.ts";
import type { AnswerEvent } from "../../../dialects/base/answer.ts";
import { type Holder, kindOfPart, type PieceKind, wholeKindsOf } from "./piece_kinds.ts";
import { nameOfCall, repairPart } from "./repair_item.ts";

/** @param text What the model wrote in it. */
export function providerEvent(chunk: JsonObject, text = ""): AnswerEvent {
  return {
    chunk,
    text,
    thoughts: bringsThoughts(chunk) ? text.length : 0,
    usage: undefined,
    usageBody: undefined,
    finished: false,
    empty: false,
  };
}

/** Whether the text of an event is of thoughts, or of their summary. */
function bringsThoughts({ type }: JsonObject): boolean {
  return typeof type === "string" && type.startsWith("response.reasoning");
}

/** A text of the item, and its part. */
export interface Piece {
  readonly kind: PieceKind;
  /** Of the part; 0 for a text without one. */
  readonly index: number;
  text: string;
  /** How many annotations have been sent. */
  annotations: number;
  /** Whether the event with the whole text has been sent. */
  isTold: boolean;
  /** Whether the part is closed. */
  isClosed: boolean;
}

export class StreamedItem {
  readonly id: string;
  /** What the upstream called it, which another item of the stream may have been called too. */
  readonly upstreamId: unknown;
  readonly type: unknown;
  readonly index: number;
  /** As last heard of. */
  item: JsonObject;
  isDone = false;
  readonly #pieces: Piece[] = [];
  /** By holder and the upstream's index, which need not be the number that clients count to. */
  readonly #byIndex = new Map<string, Piece>();
  /** Indexes of parts without a text, by the upstream's. */
  readonly #others = new Map<unknown, number>();
  /** Parts begun, by holder: clients raise at a part that is not the next one. */
  readonly #counts = { content: 0, summary: 0, arguments: 0, input: 0 };

  /** @param item Repaired. */
  constructor(
    item: JsonObject,
    { index, upstreamId }: { readonly index: number; readonly upstreamId: unknown },
  ) {
    this.id = item.id as string;
    this.upstreamId = upstreamId;
    this.type = item.type;
    this.index = index;
    this.item = item;
  }

  /** Says that the item begins: without its texts, which follow. */
  begin(events: AnswerEvent[], extra: JsonObject = {}): void {
    const item = { ...this.item };
    if (Array.isArray(item.content)) item.content = [];
    if (Array.isArray(item.summary)) item.summary = [];
    for (const { field } of wholeKindsOf(this.type)) item[field] = "";
    if (item.status === "completed") item.status = "in_progress";
    const name = nameOfCall(item);
    events.push(
      providerEvent({
        ...extra,
        type: "response.output_item.added",
        output_index: this.index,
        item,
      }, name),
    );
  }

  /** Where an event of the item belongs, as fields of it. */
  place(piece?: Piece): JsonObject {
    const field = piece?.kind.part?.indexField;
    return {
      item_id: this.id,
      output_index: this.index,
      ...(field !== undefined && { [field]: piece!.index }),
    };
  }

  /** A text that has begun, by the upstream's index; without one, the latest. */
  find(holder: Holder, index: unknown): Piece | undefined {
    if (index !== undefined) return this.#byIndex.get(`${holder} ${index}`);
    return this.#pieces.findLast(({ kind }) => kind.holder === holder);
  }

  /**
   * Notes that a text begins; its bracket is the caller's to send.
   *
   * @param index The upstream's, if it gave one.
   */
  add(kind: PieceKind, index?: unknown): Piece {
    const { holder } = kind;
    const piece: Piece = {
      kind,
      index: this.#counts[holder]++,
      text: "",
      annotations: 0,
      isTold: false,
      isClosed: false,
    };
    this.#pieces.push(piece);
    this.#byIndex.set(`${holder} ${index ?? piece.index}`, piece);
    return piece;
  }

  /**
   * Notes that a part begins or ends which holds no text, and gives its index: `undefined`
   * for the end of one that has not begun.
   *
   * @param given The upstream's index.
   */
  otherPart(given: unknown, verb: "added" | "done"): number | undefined {
    if (verb === "added") this.#others.set(given, this.#counts.content++);
    return this.#others.get(given);
  }

  /** The text by the upstream's index, begun now if it has not. */
  open(kind: PieceKind, index: unknown, events: AnswerEvent[]): Piece {
    const found = this.find(kind.holder, index);
    return found?.kind === kind ? found : this.#begin(kind, index, events);
  }

  /** A part as far as it has come. */
  partOf({ kind, text }: Piece): JsonObject {
    const part: JsonObject = { type: kind.part?.type, [kind.field]: text };
    repairPart(part);
    return part;
  }

  /** Sends the whole text, as one delta before what of it has none, unless that is done. */
  tell(piece: Piece, whole: unknown, events: AnswerEvent[]): void {
    if (piece.isTold) return;
    const { kind } = piece;
    if (typeof whole === "string" && whole !== "") this.catchUp(piece, whole, events);
    piece.isTold = true;
    events.push(providerEvent({
      type: `${kind.base}.done`,
      ...this.place(piece),
      ...(kind.itemType === "function_call" && { name: this.item.name }),
      [kind.field]: piece.text,
      ...(kind.base === "response.output_text" && { logprobs: [] }),
    }));
  }

  /** Sends what of a text came without a delta as one; of another text than was begun nothing. */
  catchUp(piece: Piece, whole: string, events: AnswerEvent[]): void {
    if (piece.text.length >= whole.length || !whole.startsWith(piece.text)) return;
    const delta = whole.slice(piece.text.length);
    piece.text = whole;
    const { base } = piece.kind;
    events.push(
      providerEvent({
        type: `${base}.delta`,
        ...this.place(piece),
        delta,
        ...(base === "response.output_text" && { logprobs: [] }),
      }, delta),
    );
  }

  /** Closes the part, unless that is done. */
  close(piece: Piece, events: AnswerEvent[]): void {
    if (piece.isClosed) return;
    piece.isClosed = true;
    const { part } = piece.kind;
    if (part === undefined) return;
    events.push(providerEvent({
      type: `${part.base}.done`,
      ...this.place(piece),
      part: this.partOf(piece),
    }));
  }

  /**
   * Says that the item is done, after everything in it that was not sent yet.
   *
   * @param item The whole item, repaired; gets this one's id, and texts that it lacks.
   */
  finish(item: JsonObject, events: AnswerEvent[], extra: JsonObject = {}): void {
    item.id = this.id;
    this.item = item;
    this.isDone = true;
    for (const kind of wholeKindsOf(this.type)) {
      const piece = this.open(kind, undefined, events);
      this.tell(piece, item[kind.field], events);
      if (item[kind.field] === "") item[kind.field] = piece.text;
    }
    for (const holder of ["summary", "content"] as const) {
      const given = item[holder];
      if (Array.isArray(given)) this.#finishParts(given, holder, events);
    }
    for (const piece of this.#pieces) {
      this.tell(piece, undefined, events);
      this.close(piece, events);
      this.#putIn(item, piece);
    }
    events.push(providerEvent({
      ...extra,
      type: "response.output_item.done",
      output_index: this.index,
      item,
    }));
  }

  #finishParts(parts: readonly unknown[], holder: Holder, events: AnswerEvent[]): void {
    for (const [index, part] of parts.entries()) {
      const kind = isObject(part) ? kindOfPart(part) : undefined;
      if (!isObject(part) || kind?.holder !== holder || kind.itemType !== this.type) continue;
      const begun = this.#pieces.find((one) => one.kind.holder === holder && one.index === index);
      const piece = begun ?? this.#begin(kind, undefined, events);
      this.tell(piece, part[piece.kind.field], events);
      this.close(piece, events);
    }
  }

  #begin(kind: PieceKind, index: unknown, events: AnswerEvent[]): Piece {
    const piece = this.add(kind, index);
    if (kind.part !== undefined) {
      events.push(providerEvent({
        type: `${kind.part.base}.added`,
        ...this.place(piece),
        part: this.partOf(piece),
      }));
    }
    return piece;
  }

  /** Sees to it that a text which was sent is in the item. */
  #putIn(item: JsonObject, piece: Piece): void {
    const { holder, field, part } = piece.kind;
    if (part === undefined || piece.text === "") return;
    if (!Array.isArray(item[holder])) item[holder] = [];
    const parts = item[holder] as unknown[];
    const there = parts[piece.index];
    if (there === undefined) parts.push(this.partOf(piece));
    else if (isObject(there) && there[field] === "") there[field] = piece.text;
  }
}
