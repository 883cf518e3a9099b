/**
 * Tools and the choice among them.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import { NotCarried } from "../turns/refusals.ts";
import type { Tool, Toolbox } from "../turns/turns_request.ts";

/**
 * `tools` and `toolConfig`; empty where no tool is offered. There is no word for one call at a time.
 *
 * @throws {NotCarried} For tools that a server would run, and for custom ones, by name.
 */
export function writeTools({ tools, choice }: Toolbox): JsonObject {
  if (choice?.mode === "other") throw new NotCarried(`${choice.other.at}.type`, choice.other.what);
  const allowed = choice === undefined || choice.mode === "named"
    ? undefined
    : choice.allowed?.map(({ name }) => name);
  const declarations = tools.map(declarationOf).filter(({ name }) =>
    allowed === undefined || allowed.includes(String(name))
  );
  if (declarations.length === 0) return {};
  const written = { tools: [{ functionDeclarations: declarations }] };
  switch (choice?.mode) {
    case "named":
      return { ...written, ...configOf("ANY", [choice.tool.name]) };
    case "required":
      return { ...written, ...configOf("ANY", allowed) };
    case "none":
      return { ...written, ...configOf("NONE") };
    case "auto":
      return { ...written, ...configOf("AUTO") };
    default:
      return written;
  }
}

function configOf(mode: string, allowedFunctionNames?: readonly string[]): JsonObject {
  return {
    toolConfig: {
      functionCallingConfig: { mode, ...(allowedFunctionNames && { allowedFunctionNames }) },
    },
  };
}

/** `parameters` knows a part of JSON Schema, and refuses the whole request for any other word of it. */
function declarationOf(tool: Tool): JsonObject {
  if (tool.kind === "other") throw new NotCarried(`${tool.at}.type`, tool.what);
  const { kind, name, description, parameters, at } = tool;
  if (kind === "custom") throw new NotCarried(`${at}.type`, `the custom tool '${name}'`);
  return {
    name,
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parametersJsonSchema: parameters }),
  };
}
