/**
 * What callers can ask for, and what they ask it of: the one list of capabilities
 * and of model kinds. Everything that differs between two of them is said here.
 *
 * @module
 */

/** The names of chat's output limit: OpenAI's newer one, and the one that most compatible servers know. */
export const CHAT_LIMIT_FIELDS = ["max_completion_tokens", "max_tokens"] as const;

/** One of {@linkcode CHAT_LIMIT_FIELDS}. */
export type ChatLimitField = typeof CHAT_LIMIT_FIELDS[number];

/** The output limit's name in the Responses API itself. */
export const RESPONSE_LIMIT_FIELD = "max_output_tokens";

/** What a request may need of a route beyond its prompt. */
export type Need = "stream" | "tools" | "vision" | "jsonSchema" | "film";

interface CapabilityRow {
  /** The kind of model that serves it. */
  readonly kind: string;
  /** Where it is called, by POST. */
  readonly path: string;
  /** Whether a model writes tokens; if not, no output is held for, sent as a limit or expected. */
  readonly writesTokens: boolean;
  /** The upstream's fields that bound what it writes. */
  readonly limitFields: readonly string[];
  /** The `supports` key of routes that speak it themselves; others are asked for chat. */
  readonly nativeBy?: "responses";
  /** Whether a request carries several prompts, each of which may fill the context. */
  readonly hasManyPrompts: boolean;
  /** Whether it waits in a queue until its route has room: then that is no reason to refuse it. */
  readonly isQueued: boolean;
  readonly needs: readonly Need[];
  /** The request's fields, for errors that name one. */
  readonly fields: {
    readonly prompt: string;
    readonly image?: string;
    readonly schema?: string;
    readonly limit?: string;
  };
  /** How a request gets cheaper. */
  readonly saving: string;
}

const LESS_OUTPUT = "lower the requested output";
const TEXT_NEEDS = ["stream", "tools", "vision", "jsonSchema"] as const;

/** A row for each capability, by its name. */
export const CAPABILITIES = {
  chat: {
    kind: "chat",
    path: "/v1/chat/completions",
    writesTokens: true,
    limitFields: CHAT_LIMIT_FIELDS,
    hasManyPrompts: false,
    isQueued: false,
    needs: TEXT_NEEDS,
    fields: {
      prompt: "messages",
      image: "messages",
      schema: "response_format",
      limit: "max_tokens",
    },
    saving: LESS_OUTPUT,
  },
  responses: {
    kind: "chat",
    path: "/v1/responses",
    writesTokens: true,
    limitFields: [RESPONSE_LIMIT_FIELD],
    nativeBy: "responses",
    hasManyPrompts: false,
    isQueued: false,
    needs: TEXT_NEEDS,
    fields: { prompt: "input", image: "input", schema: "text", limit: RESPONSE_LIMIT_FIELD },
    saving: LESS_OUTPUT,
  },
  embeddings: {
    kind: "embedding",
    path: "/v1/embeddings",
    writesTokens: false,
    limitFields: [],
    hasManyPrompts: true,
    isQueued: false,
    needs: [],
    fields: { prompt: "input" },
    saving: "send fewer or shorter inputs",
  },
  videos: {
    kind: "video",
    path: "/v1/videos",
    writesTokens: false,
    limitFields: [],
    hasManyPrompts: false,
    isQueued: true,
    needs: ["vision", "film"],
    fields: { prompt: "prompt", image: "input_reference" },
    saving: "choose fewer seconds or a smaller size",
  },
} as const satisfies { readonly [name: string]: CapabilityRow };

/** What a call asked for. */
export type Capability = keyof typeof CAPABILITIES;

/** What a logical model does. */
export type ModelKind = typeof CAPABILITIES[Capability]["kind"];

/** All capabilities, in the table's order. */
export const CAPABILITY_NAMES = Object.keys(CAPABILITIES) as readonly Capability[];

/** The facts of a capability, as one type. */
export function capabilityOf(name: Capability): CapabilityRow & { readonly kind: ModelKind } {
  return CAPABILITIES[name];
}

/** Whether requests of a capability can need something. */
export function mayNeed(name: Capability, need: Need): boolean {
  return capabilityOf(name).needs.includes(need);
}

/** All kinds of model, in the order in which capabilities first name them. */
export const MODEL_KINDS: readonly ModelKind[] = [
  ...new Set(CAPABILITY_NAMES.map((name) => CAPABILITIES[name].kind)),
];

/** What a kind of model serves, the usual capability first. */
export function capabilitiesOf(kind: ModelKind): readonly Capability[] {
  return CAPABILITY_NAMES.filter((name) => CAPABILITIES[name].kind === kind);
}

/** Whether models of a kind make films, so that their routes offer sizes and lengths. */
export function makesFilms(kind: unknown): boolean {
  return CAPABILITY_NAMES.some((name) => CAPABILITIES[name].kind === kind && mayNeed(name, "film"));
}
