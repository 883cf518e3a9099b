/**
 * What callers can ask for, and what they ask it of: the one list of capabilities
 * and of model kinds. Everything that differs between two of them is said here.
 *
 * @module
 */

import { type Unit, unitOf } from "./units.ts";

/** What a request may need of a route beyond its prompt. */
export type Need = "stream" | "tools" | "vision" | "jsonSchema" | "film";

interface KindRow {
  /**
   * The units that every route needs a rate for: all of one of these lists, and of no other, as what
   * is bought would be paid for twice. Prices are compared by a list's first unit.
   */
  readonly buys: readonly [readonly Unit[], ...(readonly Unit[])[]];
  /** What to do about a route that lacks one. */
  readonly advice: string;
}

/** A row for each kind of model, by its name. */
export const KINDS = {
  chat: { buys: [["input", "output"]], advice: "add input and output rates" },
  embedding: { buys: [["input"]], advice: "add an input rate" },
  video: { buys: [["second"]], advice: "add a rate per second" },
  moderation: { buys: [["input"]], advice: "add an input rate" },
  image: {
    buys: [["input", "outputImage"], ["imageOut"]],
    advice: "add an image_out rate, or rates for input and output_image tokens",
  },
  speech: {
    buys: [["character"], ["input", "outputAudio"]],
    advice: "add a character rate, or rates for input and output_audio tokens",
  },
  transcription: {
    buys: [["audioSecond"], ["input", "output"]],
    advice: "add an audio_second rate, or rates for input and output tokens",
  },
  rerank: { buys: [["searchUnit"], ["input"]], advice: "add a search_unit or an input rate" },
} as const satisfies { readonly [name: string]: KindRow };

/** What a logical model does. */
export type ModelKind = keyof typeof KINDS;

/** All kinds of model, in the table's order. */
export const MODEL_KINDS = Object.keys(KINDS) as readonly ModelKind[];

/** The facts of a kind, as one type. */
export function kindOf(name: ModelKind): KindRow {
  return KINDS[name];
}

/** Whether a kind of model is called for tokens. */
export function buysTokens(name: ModelKind): boolean {
  return kindOf(name).buys.flat().some((unit) => unitOf(unit).side !== undefined);
}

/** What prices are compared by that have this main unit: so many of it. */
export function pricedPer(main: Unit): string {
  const { per, side, wire } = unitOf(main);
  return per === "one" ? wire : side === undefined ? `million_${wire}s` : "million_tokens";
}

/** The units by which prices of any kind are compared. */
export const MAIN_UNITS: readonly Unit[] = [
  ...new Set(MODEL_KINDS.flatMap((name) => kindOf(name).buys.map(([main]) => main!))),
];

interface CapabilityRow {
  /** The kind of model that serves it. */
  readonly kind: ModelKind;
  /** Whether a model writes tokens; if not, no output is held for, sent as a limit or expected. */
  readonly writesTokens: boolean;
  /** Whether a request carries several prompts, or has one read several times: each may fill the context. */
  readonly hasManyPrompts: boolean;
  /** Whether it waits in a queue until its route has room: then that is no reason to refuse it. */
  readonly isQueued: boolean;
  readonly needs: readonly Need[];
  /** The `supports` key that a route has to say true to; absent: every route of the kind may serve it. */
  readonly needsSupport?: "completions";
  /** The `supports` key by which a route says that it does not serve it: some models of the kind do not. */
  readonly deniedBy?: "imageEdits";
  /** Tokens that are written, per choice, where nobody sets a limit; absent: nobody knows. */
  readonly usualOutput?: number;
  /** Whether a stream is given up with its caller: nothing more is read for its counts. */
  readonly endsWithCaller?: true;
  /** How a request gets cheaper. */
  readonly saving: string;
}

const LESS_OUTPUT = "lower the requested output";
const LESS_IMAGES = "ask for fewer images, a smaller size or a lower quality";

/** A conversation, in whatever dialect. */
const CONVERSATION = {
  kind: "chat",
  writesTokens: true,
  hasManyPrompts: false,
  isQueued: false,
  needs: ["stream", "tools", "vision", "jsonSchema"],
  saving: LESS_OUTPUT,
} as const;

/** Images, from nothing or from others. */
const PICTURES = {
  kind: "image",
  writesTokens: false,
  hasManyPrompts: true,
  isQueued: false,
  needs: ["stream"],
  saving: LESS_IMAGES,
} as const;

/** A row for each capability, by its name. */
export const CAPABILITIES = {
  chat: CONVERSATION,
  responses: CONVERSATION,
  messages: CONVERSATION,
  completions: {
    kind: "chat",
    writesTokens: true,
    hasManyPrompts: true,
    isQueued: false,
    needs: ["stream"],
    needsSupport: "completions",
    // OpenAI's, which other servers have taken over.
    usualOutput: 16,
    // An editor asks anew with nearly every key.
    endsWithCaller: true,
    saving: LESS_OUTPUT,
  },
  embeddings: {
    kind: "embedding",
    writesTokens: false,
    hasManyPrompts: true,
    isQueued: false,
    needs: [],
    saving: "send fewer or shorter inputs",
  },
  images: PICTURES,
  image_edits: { ...PICTURES, deniedBy: "imageEdits" },
  transcriptions: {
    kind: "transcription",
    writesTokens: false,
    hasManyPrompts: false,
    isQueued: false,
    needs: ["stream"],
    saving: "send less sound at a time",
  },
  translations: {
    kind: "transcription",
    writesTokens: false,
    hasManyPrompts: false,
    isQueued: false,
    needs: [],
    saving: "send less sound at a time",
  },
  speech: {
    kind: "speech",
    writesTokens: false,
    hasManyPrompts: false,
    isQueued: false,
    needs: ["stream"],
    saving: "send less text",
  },
  moderations: {
    kind: "moderation",
    writesTokens: false,
    hasManyPrompts: true,
    isQueued: false,
    needs: ["vision"],
    saving: "send fewer or shorter inputs",
  },
  rerank: {
    kind: "rerank",
    writesTokens: false,
    hasManyPrompts: true,
    isQueued: false,
    needs: [],
    saving: "send fewer or shorter documents",
  },
  videos: {
    kind: "video",
    writesTokens: false,
    hasManyPrompts: false,
    isQueued: true,
    needs: ["vision", "film"],
    saving: "choose fewer seconds or a smaller size",
  },
} as const satisfies { readonly [name: string]: CapabilityRow };

/** What a call asked for. */
export type Capability = keyof typeof CAPABILITIES;

/** All capabilities, in the table's order. */
export const CAPABILITY_NAMES = Object.keys(CAPABILITIES) as readonly Capability[];

/** The facts of a capability, as one type. */
export function capabilityOf(name: Capability): CapabilityRow {
  return CAPABILITIES[name];
}

/** Whether requests of a capability can need something. */
export function mayNeed(name: Capability, need: Need): boolean {
  return capabilityOf(name).needs.includes(need);
}

/** What a kind of model serves, the usual capability first. */
export function capabilitiesOf(kind: ModelKind): readonly Capability[] {
  return CAPABILITY_NAMES.filter((name) => CAPABILITIES[name].kind === kind);
}

/** Whether models of a kind make images, whose prices may depend on their size and quality. */
export function makesImages(kind: unknown): boolean {
  return kind === "image";
}

/** Whether models of a kind make films, so that their routes offer sizes and lengths. */
export function makesVideos(kind: unknown): boolean {
  return CAPABILITY_NAMES.some((name) => CAPABILITIES[name].kind === kind && mayNeed(name, "film"));
}
