/**
 * Tools of every kind as functions, which are all that most upstreams know, and the calls of these as
 * those of the tools that the caller offers.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { isObject } from "../../domain/json_value.ts";
import type { AnswerSink, BlockEnd, OpenBlock } from "./answer_sink.ts";
import type { Block, CallBlock, Turn } from "./blocks.ts";
import { TEXT_PARAMETERS, textArguments, ToolTextReader } from "./tool_text.ts";
import {
  type OwnTool,
  type Tool,
  type ToolChoice,
  toolKey,
  type ToolName,
  type TurnsRequest,
} from "./turns_request.ts";

/** OpenAI's limit; agents make longer names of a server's and a tool's. */
const MOST_CHARACTERS = 64;
const KEPT_CHARACTERS = 55;
const ODD = /[^a-zA-Z0-9_-]/g;

/** The tools that are no plain functions, by the names that a model may call them by. */
export type FunctionNames = ReadonlyMap<string, ToolName>;

const NONE: FunctionNames = new Map();

/** A request whose tools are functions alone. */
export interface WithFunctions {
  readonly request: TurnsRequest;
  /** Empty where all of them were. */
  readonly names: FunctionNames;
}

/**
 * Makes functions of all tools, calls and results: of those in a group by the group's name and their
 * own, of custom ones by a single argument. The same request gives the same names, always.
 */
export function asFunctions(request: TurnsRequest): WithFunctions {
  if (!request.tools.some(isOdd) && !request.turns.some(hasOddBlock)) {
    return { request, names: NONE };
  }
  const names = new NameBook(request);
  const groups = new Set<string>();
  const tools = request.tools.map((tool) =>
    tool.kind === "other" ? tool : functionOf(tool, { name: names.nameOf(tool), groups })
  );
  const turns = request.turns.map((turn) => hasOddBlock(turn) ? turnOf(turn, names) : turn);
  const { choice } = request;
  return {
    request: { ...request, tools, turns, ...(choice && { choice: choiceOf(choice, names) }) },
    names: names.all(),
  };
}

function isOdd(tool: Tool): boolean {
  return tool.kind !== "other" && isOddName(tool);
}

function isOddName({ kind, name, namespace }: ToolName): boolean {
  return kind !== "function" || namespace !== undefined || name.length > MOST_CHARACTERS;
}

function hasOddBlock({ blocks }: Turn): boolean {
  return blocks.some((block) =>
    (block.type === "call" && isOddName(block)) ||
    (block.type === "result" && block.kind !== "function")
  );
}

/** Which function each tool is. Those that are functions already keep their names. */
class NameBook {
  readonly #odd = new Map<string, ToolName>();
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor({ tools, turns }: TurnsRequest) {
    for (const tool of tools) {
      if (tool.kind !== "other" && !isOddName(tool)) this.#taken.add(tool.name);
    }
    for (const { blocks } of turns) {
      for (const block of blocks) {
        if (block.type === "call" && !isOddName(block)) this.#taken.add(block.name);
      }
    }
  }

  nameOf(tool: ToolName): string {
    if (!isOddName(tool)) return tool.name;
    const key = toolKey(tool);
    let name = this.#names.get(key);
    if (name === undefined) {
      const { kind, name: own, namespace } = tool;
      const wanted = namespace === undefined ? own : `${namespace}__${own}`;
      const plain = wanted.replaceAll(ODD, "_");
      const isFree = plain === wanted && plain.length <= MOST_CHARACTERS && !this.#taken.has(plain);
      name = isFree ? plain : `${plain.slice(0, KEPT_CHARACTERS)}_${hashOf(wanted)}`;
      if (this.#taken.has(name)) name = `${plain.slice(0, KEPT_CHARACTERS)}_${hashOf(key)}`;
      this.#taken.add(name);
      this.#names.set(key, name);
      this.#odd.set(name, { kind, name: own, ...(namespace !== undefined && { namespace }) });
    }
    return name;
  }

  /** Models that leave the group out mean the one tool of that name. */
  all(): FunctionNames {
    const all = new Map(this.#odd);
    const count = new Map<string, number>();
    for (const { name } of this.#odd.values()) count.set(name, (count.get(name) ?? 0) + 1);
    for (const tool of this.#odd.values()) {
      if (count.get(tool.name) === 1 && !this.#taken.has(tool.name)) all.set(tool.name, tool);
    }
    return all;
  }
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

/** @param groups Those whose words have been said: each is described with its first tool. */
function functionOf(
  { kind, format, namespace: _, parameters, description, group, ...tool }: OwnTool,
  { name, groups }: { readonly name: string; readonly groups: Set<string> },
): OwnTool {
  const words = [description ?? ""];
  if (group !== undefined && !groups.has(group)) {
    groups.add(group);
    words.unshift(group);
  }
  if (kind === "custom") words.push(...formatWords(format));
  const said = words.filter((word) => word !== "").join("\n\n");
  const taken = kind === "custom" ? TEXT_PARAMETERS : parameters;
  return {
    ...tool,
    kind: "function",
    name,
    ...(said !== "" && { description: said }),
    ...(taken !== undefined && { parameters: taken }),
  };
}

/** Nobody sees to it that a model keeps to a grammar: it is told. */
function formatWords(format: unknown): readonly string[] {
  if (!isObject(format) || format.type !== "grammar") return [];
  const { syntax, definition } = format;
  return [`The input has to match this grammar (${String(syntax)}):\n${String(definition)}`];
}

function turnOf(turn: Turn, names: NameBook): Turn {
  return { ...turn, blocks: turn.blocks.map((block) => blockOf(block, names)) };
}

function blockOf(block: Block, names: NameBook): Block {
  if (block.type === "result") return { ...block, kind: "function" };
  return block.type === "call" ? callOf(block, names) : block;
}

function callOf({ namespace, ...block }: CallBlock, names: NameBook): CallBlock {
  const { kind, input } = block;
  const name = names.nameOf({ ...block, ...(namespace !== undefined && { namespace }) });
  return {
    ...block,
    kind: "function",
    name,
    input: kind === "custom" ? textArguments(input) : input,
  };
}

function choiceOf(choice: ToolChoice, names: NameBook): ToolChoice {
  const named = (tool: ToolName): ToolName => ({ kind: "function", name: names.nameOf(tool) });
  if (choice.mode === "other") return choice;
  if (choice.mode === "named") return { ...choice, tool: named(choice.tool) };
  const { allowed } = choice;
  return allowed === undefined ? choice : { ...choice, allowed: allowed.map(named) };
}

/** Tells calls of functions as those of the caller's tools. */
export class CallersTools implements AnswerSink {
  readonly #sink: AnswerSink;
  readonly #names: FunctionNames;
  /** Of calls whose input is a text. */
  readonly #texts = new Map<number, ToolTextReader>();
  readonly begin: AnswerSink["begin"];
  readonly finish: AnswerSink["finish"];
  readonly usage: AnswerSink["usage"];
  readonly tier: AnswerSink["tier"];
  readonly image?: NonNullable<AnswerSink["image"]>;
  readonly end: AnswerSink["end"];

  constructor(sink: AnswerSink, names: FunctionNames) {
    this.#sink = sink;
    this.#names = names;
    this.begin = sink.begin.bind(sink);
    this.finish = sink.finish.bind(sink);
    this.usage = sink.usage.bind(sink);
    this.tier = sink.tier.bind(sink);
    if (sink.image !== undefined) this.image = sink.image.bind(sink);
    this.end = sink.end.bind(sink);
  }

  open(block: number, content: OpenBlock): void {
    const tool = content.type === "call" ? this.#names.get(content.name) : undefined;
    if (tool?.kind === "custom") this.#texts.set(block, new ToolTextReader());
    this.#sink.open(block, tool === undefined ? content : { ...content, ...tool });
  }

  write(block: number, text: string, logprobs?: Parameters<AnswerSink["write"]>[2]): void {
    const reader = this.#texts.get(block);
    if (reader === undefined) return this.#sink.write(block, text, logprobs);
    const written = reader.add(text);
    if (written !== "") this.#sink.write(block, written);
  }

  close(block: number, end: BlockEnd): void {
    const rest = this.#texts.get(block)?.end() ?? "";
    this.#texts.delete(block);
    if (rest !== "") this.#sink.write(block, rest);
    this.#sink.close(block, end);
  }
}
