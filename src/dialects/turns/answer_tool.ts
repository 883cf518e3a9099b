/**
 * An answer of a JSON schema as the call of a tool, for models that have no field for the schema but can
 * be made to call: what they call it with is the answer.
 *
 * @module
 */

import type { AnswerSink, BlockEnd, FinishReason, OpenBlock } from "./answer_sink.ts";
import type { OwnTool, TurnsRequest } from "./turns_request.ts";

const NAME = "answer_in_json";
const WORDS = "Gives the answer. Call it once, when the answer is known.";

/** A request whose answer is a call. */
export interface WithAnswerTool {
  readonly request: TurnsRequest;
  /** The tool's name, by which {@linkcode AnswerOfCall} knows the call. */
  readonly name: string;
}

/**
 * The request with the tool in place of the schema. `undefined` where that cannot be: the caller itself
 * demands a call, or the schema is of no object, which arguments have to be.
 */
export function asAnswerTool(request: TurnsRequest): WithAnswerTool | undefined {
  const { format, choice, tools: offered, ...rest } = request;
  if (format?.type !== "schema" || !isOfObject(format.schema)) return undefined;
  const mode = choice?.mode ?? "auto";
  if (mode !== "auto" && mode !== "none") return undefined;
  const tools = mode === "none" ? [] : offered;
  const taken = new Set(tools.flatMap((one) => one.kind === "other" ? [] : [one.name]));
  let name = NAME;
  while (taken.has(name)) name += "_";
  const tool: OwnTool = {
    kind: "function",
    name,
    description: format.description === undefined ? WORDS : `${WORDS}\n\n${format.description}`,
    parameters: format.schema,
    at: "response_format",
  };
  const allowed = choice?.mode === "auto" ? choice.allowed : undefined;
  const own = { kind: "function", name } as const;
  return {
    name,
    request: {
      ...rest,
      tools: [...tools, tool],
      choice: tools.length === 0
        ? { mode: "named", tool: own }
        : { mode: "required", ...(allowed !== undefined && { allowed: [...allowed, own] }) },
      // Two answers would be none.
      parallelCalls: false,
    },
  };
}

function isOfObject({ type, properties }: Readonly<Record<string, unknown>>): boolean {
  return type === "object" || (type === undefined && properties !== undefined);
}

/** Tells the call of that tool as the text of the answer. */
export class AnswerOfCall implements AnswerSink {
  readonly #sink: AnswerSink;
  readonly #name: string;
  /** Those that are open, and whether anything of them has come. */
  readonly #answers = new Map<number, boolean>();
  #hasAnswer = false;
  #hasCall = false;
  readonly begin: AnswerSink["begin"];
  readonly usage: AnswerSink["usage"];
  readonly tier: AnswerSink["tier"];
  readonly image?: NonNullable<AnswerSink["image"]>;
  readonly end: AnswerSink["end"];

  constructor(sink: AnswerSink, name: string) {
    this.#sink = sink;
    this.#name = name;
    this.begin = sink.begin.bind(sink);
    this.usage = sink.usage.bind(sink);
    this.tier = sink.tier.bind(sink);
    if (sink.image !== undefined) this.image = sink.image.bind(sink);
    this.end = sink.end.bind(sink);
  }

  open(block: number, content: OpenBlock): void {
    const isAnswer = content.type === "call" && content.name === this.#name;
    if (isAnswer) {
      this.#hasAnswer = true;
      this.#answers.set(block, false);
    } else if (content.type === "call") {
      this.#hasCall = true;
    }
    this.#sink.open(block, isAnswer ? { type: "text" } : content);
  }

  write(block: number, text: string, logprobs?: Parameters<AnswerSink["write"]>[2]): void {
    if (this.#answers.has(block)) this.#answers.set(block, true);
    this.#sink.write(block, text, logprobs);
  }

  close(block: number, end: BlockEnd): void {
    const hasWritten = this.#answers.get(block);
    this.#answers.delete(block);
    // Of a call without arguments nothing comes.
    if (hasWritten === false && !end.isCut) this.#sink.write(block, "{}");
    this.#sink.close(block, end);
  }

  finish(reason: FinishReason): void {
    const isDone = reason === "calls" && this.#hasAnswer && !this.#hasCall;
    this.#sink.finish(isDone ? "done" : reason);
  }
}
