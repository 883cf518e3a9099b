/**
 * Schemas of answers as Anthropic's models and Bedrock take them: keywords that they refuse are words
 * in the description, as in Anthropic's own clients.
 *
 * @module
 */

import { asArray, isObject, type JsonObject } from "../../domain/json_value.ts";

const FORMATS: ReadonlySet<unknown> = new Set(
  "date-time time date duration email hostname uri ipv4 ipv6 uuid".split(" "),
);
/** Say nothing of what is allowed. */
const SILENT: ReadonlySet<string> = new Set(["$schema", "$id", "$comment"]);
/** Taken as they are, wherever they stand. */
const PLAIN: ReadonlySet<string> = new Set(["type", "title", "enum", "const", "required", "$ref"]);

/** The schema, without what is refused. */
export function outputSchema(schema: Readonly<JsonObject>): JsonObject {
  const taken: JsonObject = {};
  const told: string[] = [];
  for (const [name, value] of Object.entries(schema)) {
    if (SILENT.has(name) || name === "description" || value === undefined) continue;
    if (PLAIN.has(name)) taken[name] = value;
    else if (!take(name, value, taken)) told.push(`${name}: ${JSON.stringify(value)}`);
  }
  if (isOfObjects(schema)) {
    taken.properties ??= {};
    taken.additionalProperties = false;
  }
  const { description } = schema;
  const words = [
    ...(typeof description === "string" ? [description] : []),
    ...(told.length > 0 ? [`{${told.join(", ")}}`] : []),
  ].join("\n\n");
  return words === "" ? taken : { ...taken, description: words };
}

/** Takes a keyword over in the form that is known; `false` where it has none. */
function take(name: string, value: unknown, taken: JsonObject): boolean {
  switch (name) {
    case "properties":
    case "$defs":
    case "definitions":
      if (!isObject(value)) return false;
      taken[name] = Object.fromEntries(
        Object.entries(value).map(([key, one]) => [key, schemaOf(one)]),
      );
      return true;
    case "anyOf":
    case "allOf":
      taken[name] = asArray(value).map(schemaOf);
      return true;
    case "oneOf":
      taken.anyOf = [...asArray(taken.anyOf), ...asArray(value).map(schemaOf)];
      return true;
    case "items":
      if (!isObject(value)) return false;
      taken.items = outputSchema(value);
      return true;
    case "additionalProperties":
      return true;
    case "minItems":
    case "format":
      if (name === "format" ? !FORMATS.has(value) : value !== 0 && value !== 1) return false;
      taken[name] = value;
      return true;
    default:
      return false;
  }
}

function schemaOf(value: unknown): unknown {
  return isObject(value) ? outputSchema(value) : value;
}

function isOfObjects({ type, properties }: Readonly<JsonObject>): boolean {
  return asArray(type).includes("object") || type === "object" ||
    (type === undefined && isObject(properties));
}
