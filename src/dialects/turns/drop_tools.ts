/**
 * A request without tools that only some upstreams can run, where the operator would rather have it
 * served without them than refused.
 *
 * @module
 */

import type { Tool, ToolChoice, TurnsRequest } from "./turns_request.ts";
import type { Block, Turn } from "./blocks.ts";

/** Whether a tool of this type is left out. */
export type IsDropped = (type: string) => boolean;

/** Leaves such tools out, with what earlier turns tell of them and a choice of them. */
export function withoutTools(request: TurnsRequest, isDropped: IsDropped): TurnsRequest {
  const tools = request.tools.filter((tool) => !isOne(tool, isDropped));
  const turns = request.turns.flatMap((turn) => turnWithout(turn, isDropped));
  const { choice: asked, ...rest } = request;
  const choice = choiceWithout(asked, { tools, isDropped });
  return { ...rest, tools, turns, ...(choice !== undefined && { choice }) };
}

function isOne(tool: Tool, isDropped: IsDropped): boolean {
  return tool.kind === "other" && tool.tool !== undefined && isDropped(tool.tool);
}

function turnWithout(turn: Turn, isDropped: IsDropped): readonly Turn[] {
  const isLeftOut = (block: Block) =>
    block.type === "other" && block.tool !== undefined && isDropped(block.tool);
  if (!turn.blocks.some(isLeftOut)) return [turn];
  const blocks = turn.blocks.filter((block) => !isLeftOut(block));
  return blocks.length === 0 ? [] : [{ ...turn, blocks }];
}

function choiceWithout(
  choice: ToolChoice | undefined,
  { tools, isDropped }: { readonly tools: readonly Tool[]; readonly isDropped: IsDropped },
): ToolChoice | undefined {
  if (choice === undefined || choice.mode === "named") return choice;
  if (choice.mode === "other") {
    const { tool } = choice.other;
    return tool !== undefined && isDropped(tool) ? undefined : choice;
  }
  if (tools.length === 0) return undefined;
  // Nothing is left of what was to be chosen from.
  return choice.allowed?.length === 0 ? { mode: "none" } : choice;
}
