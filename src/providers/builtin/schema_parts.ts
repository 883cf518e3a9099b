/**
 * Questions about single schemas: which types they allow, and what two of them
 * demand together.
 *
 * @module
 */

import { isObject, type JsonObject } from "../../domain/json_value.ts";

/** The types a schema allows, the ones that say most first; at least one. */
export function typesOf(schema: JsonObject): readonly string[] {
  const { type } = schema;
  if (typeof type === "string") return schema.nullable === true ? [type, "null"] : [type];
  if (Array.isArray(type)) {
    const types = type.filter((name) => typeof name === "string");
    return [...types.filter((name) => name !== "null"), ...types.filter((name) => name === "null")];
  }
  if (has(schema, "properties", "required", "additionalProperties", "minProperties")) {
    return ["object"];
  }
  if (has(schema, "items", "prefixItems", "minItems", "uniqueItems", "contains")) return ["array"];
  if (has(schema, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")) {
    return ["number"];
  }
  return ["string"];
}

/** One schema that demands what both do; `undefined` when their types or values exclude each other. */
export function mergeSchemas(one: JsonObject, other: JsonObject): JsonObject | undefined {
  const merged: JsonObject = { ...one, ...other };
  for (const bound of ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"]) {
    keepNumber(merged, bound, [one[bound], other[bound]], Math.max);
  }
  for (const bound of ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"]) {
    keepNumber(merged, bound, [one[bound], other[bound]], Math.min);
  }
  if (isObject(one.properties) && isObject(other.properties)) {
    const properties: JsonObject = { ...one.properties };
    for (const name of Object.keys(other.properties)) {
      properties[name] = Object.hasOwn(properties, name)
        ? { allOf: [properties[name], other.properties[name]] }
        : other.properties[name];
    }
    merged.properties = properties;
  }
  if (Array.isArray(one.required) && Array.isArray(other.required)) {
    merged.required = [...new Set([...one.required, ...other.required])];
  }
  if (isObject(one.items) && isObject(other.items)) {
    merged.items = { allOf: [one.items, other.items] };
  }
  if (Array.isArray(one.allOf) && Array.isArray(other.allOf)) {
    merged.allOf = [...one.allOf, ...other.allOf];
  }
  for (const union of ["anyOf", "oneOf"]) {
    if (Array.isArray(one[union]) && Array.isArray(other[union])) {
      merged[union] = one[union];
      merged.allOf = [...(Array.isArray(merged.allOf) ? merged.allOf : []), {
        [union]: other[union],
      }];
    }
  }
  if (Array.isArray(one.enum) && Array.isArray(other.enum)) {
    const known = new Set(one.enum.map((value) => JSON.stringify(value)));
    merged.enum = other.enum.filter((value) => known.has(JSON.stringify(value)));
  }
  if (one.additionalProperties === false) merged.additionalProperties = false;
  if (one.type !== undefined && other.type !== undefined) {
    const types = commonTypes(typesOf(one), typesOf(other));
    if (types.length === 0) return undefined;
    merged.type = types;
  }
  return merged;
}

function commonTypes(some: readonly string[], others: readonly string[]): readonly string[] {
  const common = some.filter((type) => others.includes(type));
  const hasInteger = some.includes("integer") || others.includes("integer");
  const hasNumber = some.includes("number") || others.includes("number");
  return hasInteger && hasNumber && !common.includes("integer") ? [...common, "integer"] : common;
}

function keepNumber(
  merged: JsonObject,
  name: string,
  values: readonly unknown[],
  pick: (...values: number[]) => number,
): void {
  const numbers = values.filter((value) => typeof value === "number");
  if (numbers.length > 0) merged[name] = pick(...numbers);
}

function has(schema: JsonObject, ...names: readonly string[]): boolean {
  return names.some((name) => schema[name] !== undefined);
}
