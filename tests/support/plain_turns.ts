/**
 * Requests in the neutral form as they may be compared: what one says, without where the caller
 * had it, what only one dialect has a word for, and how it is divided into messages.
 *
 * @module
 */

import type { Block, Turn } from "../../src/dialects/turns/blocks.ts";
import type { TurnsRequest } from "../../src/dialects/turns/turns_request.ts";

/** What a request asks for. */
export function plainRequest(request: TurnsRequest): unknown {
  const { instructions, turns, extra: _own, shared, tools, choice, ...others } = request;
  const allowed = choice !== undefined && "allowed" in choice ? choice.allowed : undefined;
  // A dialect without a choice among some has a shorter list of tools.
  const offered = allowed === undefined
    ? tools
    : tools.filter((tool) =>
      allowed.some(({ kind, name }) => "name" in tool && tool.kind === kind && tool.name === name)
    );
  const told: Turn[] = instructions.length === 0
    ? []
    : [{ role: "system", blocks: instructions, at: "" }];
  return withoutKeys({
    ...others,
    shared: shared.fields,
    tools: offered,
    choice: offered.length === 0 || choice === undefined
      ? undefined
      : { ...choice, allowed: undefined },
    turns: plainTurns([...told, ...turns]),
  }, ["at", "extra"]);
}

/** One side after the other; of a side's texts all in one. */
function plainTurns(turns: readonly Turn[]): unknown {
  const sides: { role: string; blocks: Block[] }[] = [];
  for (const { role, blocks } of turns) {
    const last = sides.at(-1);
    if (last?.role === role && role === "assistant") last.blocks.push(...blocks);
    else sides.push({ role, blocks: [...blocks] });
  }
  return sides.map(({ role, blocks }) => ({
    role,
    text: role === "user" ? undefined : textOf(blocks),
    blocks: blocks.filter((block) => isCompared(block, role, blocks)).map(plainBlock),
  })).filter(({ text, blocks }) => text !== "" || blocks.length > 0);
}

function isCompared({ type }: Block, role: string, all: readonly Block[]): boolean {
  // Chat gives thoughts back with the calls that they led to, and not with an answer.
  if (type === "reasoning") return all.some((block) => block.type === "call");
  return role === "user" || type !== "text";
}

function plainBlock(block: Block): unknown {
  if (block.type !== "result") return block;
  return { ...block, kind: undefined, content: textOf(block.content) };
}

function textOf(blocks: readonly Block[]): string {
  return blocks.map((block) => block.type === "text" ? block.text : "").join("").replaceAll(
    "\n",
    "",
  );
}

/** Without where the caller has each part. */
export function withoutPlaces(value: unknown): unknown {
  return withoutKeys(value, ["at"]);
}

function withoutKeys(value: unknown, keys: readonly string[]): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, one: unknown) => keys.includes(key) ? undefined : one),
  );
}
