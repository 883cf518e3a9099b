/**
 * The output items of one stream: gives every event its item, numbers items from
 * 0 in the order in which they begin, puts in the events that an upstream leaves
 * out, and leaves out those that OpenAI does not have. Without that official clients
 * raise, or lose the text.
 *
 * @module
 */

import type { CompletionIds } from "../../../dialects/base/completion_ids.ts";
import { isObject, type JsonObject, nonEmptyString } from "../../../domain/json_value.ts";
import type { AnswerEvent, AnswerRoom } from "../../../dialects/base/answer.ts";
import { UpstreamError } from "../../../domain/upstream_error.ts";
import { MAX_ANSWER_BYTES } from "../../transport/limits.ts";
import {
  kindOfEvents,
  kindOfPart,
  passingEvent,
  type PieceKind,
  wholeKindsOf,
} from "./piece_kinds.ts";
import { type Piece, providerEvent, StreamedItem } from "./streamed_item.ts";
import { type ItemStatus, repairItem, repairPart } from "./repair_item.ts";
import type { ResponseContext } from "./repair_response.ts";

/** More items than any answer has; a bound on what is kept. */
const MOST_ITEMS = 10_000;
/** The events around parts, and the type of part that some of them always have. */
const PART_TYPES: ReadonlyMap<string, string | undefined> = new Map([
  ["response.content_part", undefined],
  ["response.reasoning_part", "reasoning_text"],
  ["response.reasoning_summary_part", "summary_text"],
]);

export class OutputItems {
  readonly #ids: CompletionIds;
  readonly #room: AnswerRoom | undefined;
  readonly #items: StreamedItem[] = [];
  /** By the upstream's id, and by the id of the call, which some servers use for it. */
  readonly #byName = new Map<unknown, StreamedItem>();
  readonly #byIndex = new Map<unknown, StreamedItem>();
  /** UTF-16 units of texts that are kept for the ends of their items. */
  #kept = 0;

  constructor({ ids, room }: Pick<ResponseContext, "ids" | "room">) {
    this.#ids = ids;
    this.#room = room;
  }

  /** Whether an item has begun. */
  get hasAny(): boolean {
    return this.#items.length > 0;
  }

  /** Takes an event that is not about the response as a whole. */
  read(event: JsonObject, events: AnswerEvent[]): void {
    const type = event.type as string;
    const dot = type.lastIndexOf(".");
    const base = type.slice(0, dot);
    const verb = type.slice(dot + 1);
    if (base === "response.output_item" && isObject(event.item)) {
      if (!this.#hasType(event.item)) return;
      if (verb === "added") return this.#itemAdded(event, event.item, events);
      if (verb === "done") return this.#itemDone(event, event.item, events);
    }
    // vLLM's own name for a part of reasoning, which official clients raise at.
    if (base === "response.reasoning_part") event.type = `response.content_part.${verb}`;
    if (PART_TYPES.has(base) && (verb === "added" || verb === "done")) {
      return this.#partEvent(event, { partType: PART_TYPES.get(base), verb, events });
    }
    const kind = kindOfEvents(base);
    if (kind !== undefined && verb === "delta") this.#delta(event, kind, events);
    else if (kind !== undefined && verb === "done") this.#textDone(event, kind, events);
    else this.#pass(event, { base, verb, events });
  }

  /**
   * Ends what is still open, and makes `output` say what the stream has said.
   *
   * @param output Of the last event's Response object.
   */
  finish(output: unknown, status: ItemStatus, events: AnswerEvent[]): JsonObject[] {
    const given = Array.isArray(output) ? output.filter(isObject) : [];
    const whole = given.filter((item) => this.#hasType(item));
    const ended = new Set<StreamedItem>();
    for (const [position, item] of whole.entries()) {
      const known = this.#streamedAs(item, { position, whole, ended });
      const streamed = this.#end(known, item, { status, events });
      streamed.item = item;
      ended.add(streamed);
    }
    for (const streamed of this.#items) {
      if (!streamed.isDone) this.#end(streamed, { ...streamed.item }, { status, events });
    }
    // Some servers end a stream with a Response object that has no output, or not all of it.
    return this.#items.map(({ item }) => item);
  }

  /** What an item at the end was while it was streamed, if it was: by its name, its place, its type. */
  #streamedAs(
    item: JsonObject,
    { position, whole, ended }: {
      readonly position: number;
      readonly whole: readonly JsonObject[];
      readonly ended: ReadonlySet<StreamedItem>;
    },
  ): StreamedItem | undefined {
    const named = this.#named(item);
    const there = this.#items[position];
    const isThere = there?.type === item.type &&
      (named === undefined || there?.upstreamId === item.id);
    const streamed = isThere ? there : named;
    if (streamed !== undefined) return ended.has(streamed) ? undefined : streamed;
    const names = new Set(whole.map(({ id }) => id));
    return this.#items.find((one) =>
      one.type === item.type && !ended.has(one) && !names.has(one.upstreamId)
    );
  }

  /** Gives an item the type that it lacks; `false` where nothing tells it, as no client could read it. */
  #hasType(item: JsonObject): boolean {
    if (nonEmptyString(item.type) !== undefined) return true;
    item.type = this.#byName.get(item.id)?.type ??
      (item.role === undefined ? undefined : "message");
    return item.type !== undefined;
  }

  #itemAdded(event: JsonObject, item: JsonObject, events: AnswerEvent[]): void {
    // Told twice.
    if (this.#named(item)?.isDone === false) return;
    const { output_index: index, ...extra } = event;
    this.#begin(item, { index, extra, events });
  }

  #itemDone(event: JsonObject, item: JsonObject, events: AnswerEvent[]): void {
    const { output_index: index, ...extra } = event;
    const named = this.#named(item);
    const there = this.#byIndex.get(index);
    const isThere = there !== undefined && !there.isDone && there.type === item.type;
    this.#end(named ?? (isThere ? there : this.#lastOpen(item.type)), item, {
      status: "completed",
      events,
      extra,
    });
  }

  /** Ends an item with what its upstream says of it at last; one that never began does so first. */
  #end(
    known: StreamedItem | undefined,
    item: JsonObject,
    { status, events, extra = {} }: {
      readonly status: ItemStatus;
      readonly events: AnswerEvent[];
      readonly extra?: JsonObject;
    },
  ): StreamedItem {
    if (known !== undefined) repeatBeginning(item, known.item);
    if (item.status === "in_progress") delete item.status;
    repairItem(item, { ids: this.#ids, status });
    const streamed = known ?? this.#begin(item, { index: undefined, events });
    if (streamed.isDone) item.id = streamed.id;
    else streamed.finish(item, events, extra);
    return streamed;
  }

  #begin(
    item: JsonObject,
    { index, events, extra = {} }: {
      readonly index: unknown;
      readonly events: AnswerEvent[];
      readonly extra?: JsonObject;
    },
  ): StreamedItem {
    if (this.#items.length >= MOST_ITEMS) {
      throw new UpstreamError("broken", "The upstream's stream has more items than any answer");
    }
    const { id, call_id: callId } = item;
    // Clients raise at an item whose ids they have seen.
    if (this.#byName.has(id)) delete item.id;
    if (this.#byName.has(callId)) delete item.call_id;
    repairItem(item, { ids: this.#ids, status: "in_progress" });
    const streamed = new StreamedItem(item, { index: this.#items.length, upstreamId: id });
    this.#items.push(streamed);
    for (const name of [id, item.id, ...(isCall(item) ? [callId, item.call_id] : [])]) {
      if (nonEmptyString(name) !== undefined) this.#byName.set(name, streamed);
    }
    if (index !== undefined) this.#byIndex.set(index, streamed);
    streamed.begin(events, extra);
    return streamed;
  }

  /** The brackets of a part; those of other parts than texts pass. */
  #partEvent(
    event: JsonObject,
    { partType, verb, events }: {
      readonly partType: string | undefined;
      readonly verb: "added" | "done";
      readonly events: AnswerEvent[];
    },
  ): void {
    const part: JsonObject = isObject(event.part) ? event.part : {};
    const found = this.#find(event);
    part.type = partType ?? nonEmptyString(part.type) ?? "output_text";
    // vLLM has sent the thoughts of a reasoning item as the text of a message.
    const isThought = found?.type === "reasoning" && part.type === "output_text";
    if (isThought) part.type = "reasoning_text";
    repairPart(part);
    event.part = part;
    const kind = kindOfPart(part);
    if (kind?.part === undefined) {
      if (found?.type !== "message" || found.isDone) return;
      const index = found.otherPart(event.content_index, verb);
      if (index === undefined) return;
      events.push(
        providerEvent(Object.assign(event, found.place(), { content_index: index })),
      );
      return;
    }
    const streamed = this.#itemOf(event, kind, events);
    if (streamed === undefined) return;
    const given = event[kind.part.indexField];
    const text = part[kind.field] as string;
    if (verb === "added") {
      // Told twice.
      if (given !== undefined && streamed.find(kind.holder, given) !== undefined) return;
      const piece = streamed.add(kind, given);
      this.#write(piece, text);
      events.push(providerEvent(Object.assign(event, streamed.place(piece)), text));
      return;
    }
    const piece = streamed.open(kind, given, events);
    if (piece.isClosed) return;
    streamed.tell(piece, text, events);
    if (text === "") part[kind.field] = piece.text;
    piece.isClosed = true;
    events.push(providerEvent(Object.assign(event, streamed.place(piece))));
  }

  #delta(event: JsonObject, kind: PieceKind, events: AnswerEvent[]): void {
    const streamed = this.#itemOf(event, kind, events);
    if (streamed === undefined) return;
    const piece = this.#pieceOf(event, { kind, streamed, events });
    const delta = typeof event.delta === "string" ? event.delta : "";
    this.#write(piece, delta);
    event.delta = delta;
    this.#place(event, streamed, piece);
    events.push(providerEvent(event, delta));
  }

  #textDone(event: JsonObject, kind: PieceKind, events: AnswerEvent[]): void {
    const streamed = this.#itemOf(event, kind, events);
    if (streamed === undefined) return;
    const piece = this.#pieceOf(event, { kind, streamed, events });
    if (piece.isTold) return;
    const whole = nonEmptyString(event[kind.field]);
    if (whole === undefined) event[kind.field] = piece.text;
    else streamed.catchUp(piece, whole, events);
    piece.isTold = true;
    if (kind.itemType === "function_call") event.name ??= streamed.item.name;
    this.#place(event, streamed, piece);
    events.push(providerEvent(event));
  }

  /** Any other event: only its item may need to be put right. What no client knows is left out. */
  #pass(event: JsonObject, { base, verb, events }: {
    readonly base: string;
    readonly verb: string;
    readonly events: AnswerEvent[];
  }): void {
    const known = passingEvent(base, verb);
    if (known === undefined) return;
    const { itemType } = known;
    if (itemType !== undefined) {
      const found = this.#find(event);
      const streamed = found?.type === itemType ? found : this.#lastOpen(itemType);
      if (streamed === undefined || streamed.isDone) return;
      Object.assign(event, streamed.place());
      if ("annotation" in event) {
        const piece = streamed.find("content", event.content_index);
        // The whole item tells of it again.
        if (piece?.kind.base !== "response.output_text" || piece.isClosed) return;
        event.content_index = piece.index;
        event.annotation_index = piece.annotations++;
      }
    }
    const { type, delta } = event;
    // Sounds are not words. Code, commands and arguments of the upstream's own tools are.
    const isText = typeof delta === "string" && type !== "response.audio.delta";
    events.push(providerEvent(event, isText ? delta : ""));
  }

  #place(event: JsonObject, streamed: StreamedItem, piece: Piece): void {
    Object.assign(event, streamed.place(piece));
    if (piece.kind.base === "response.output_text" && !Array.isArray(event.logprobs)) {
      event.logprobs = [];
    }
  }

  #pieceOf(event: JsonObject, { kind, streamed, events }: {
    readonly kind: PieceKind;
    readonly streamed: StreamedItem;
    readonly events: AnswerEvent[];
  }): Piece {
    const field = kind.part?.indexField;
    return streamed.open(kind, field === undefined ? undefined : event[field], events);
  }

  /**
   * The item that a text belongs to, begun now if it has not; `undefined` for a call
   * that has not, because its name is not known: it is sent when its item comes whole.
   */
  #itemOf(
    event: JsonObject,
    { itemType }: PieceKind,
    events: AnswerEvent[],
  ): StreamedItem | undefined {
    const found = this.#find(event);
    if (found?.type === itemType && !found.isDone) return found;
    const open = this.#lastOpen(itemType);
    if (open !== undefined || wholeKindsOf(itemType).length > 0) return open;
    const { item_id: id, output_index: index } = event;
    const item = { type: itemType, ...(!this.#byName.has(id) && { id }) };
    return this.#begin(item, { index, events });
  }

  #find({ item_id: id, output_index: index }: JsonObject): StreamedItem | undefined {
    return this.#byName.get(id) ?? this.#byIndex.get(index);
  }

  /** The item of this type that an upstream means by these ids. */
  #named(item: JsonObject): StreamedItem | undefined {
    const named = this.#byName.get(item.id) ??
      (isCall(item) ? this.#byName.get(item.call_id) : undefined);
    return named?.type === item.type ? named : undefined;
  }

  #lastOpen(type: unknown): StreamedItem | undefined {
    return this.#items.findLast((item) => !item.isDone && item.type === type);
  }

  #write(piece: Piece, text: string): void {
    piece.text += text;
    this.#kept += text.length;
    this.#room?.countAnswer(text.length);
    if (this.#kept > MAX_ANSWER_BYTES) {
      throw new UpstreamError("broken", "The upstream's stream is longer than any answer");
    }
  }
}

/** Clients raise when an item ends under another call's id than it began with. */
function repeatBeginning(item: JsonObject, beginning: JsonObject): void {
  item.type = beginning.type;
  if (!isCall(beginning)) return;
  item.call_id = beginning.call_id;
  item.name ||= beginning.name;
}

function isCall({ type }: JsonObject): boolean {
  return wholeKindsOf(type).length > 0;
}
