/**
 * Checks values against JSON Schemas, as far as published API documents need it.
 * A keyword that is not known here throws, so that nothing goes unchecked.
 *
 * @module
 */

import assert from "node:assert/strict";

type Schema = { readonly [keyword: string]: unknown };

/** Asserts that a value satisfies `$defs[name]`; the message lists every fault with its path. */
export function assertSatisfies(document: object, name: string, value: unknown): void {
  const faults = faultsOf(document, `#/$defs/${name}`, value);
  assert.deepEqual(faults, [], `not a ${name}: ${JSON.stringify(value)}`);
}

/** Every fault of a value under the schema at a JSON pointer, as `path: what is wrong`. */
export function faultsOf(document: object, pointer: string, value: unknown): string[] {
  return new Checker(document).check({ $ref: pointer }, value, "$");
}

/** What is at a pointer such as `#/$defs/Name`; fails where there is nothing. */
export function resolvePointer(document: object, pointer: string): unknown {
  assert.match(pointer, /^#\//);
  let found: unknown = document;
  for (const part of pointer.slice(2).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    found = (found as Record<string, unknown> | undefined)?.[key];
  }
  assert.ok(found !== undefined, `There is nothing at ${pointer}`);
  return found;
}

class Checker {
  readonly #document: object;

  constructor(document: object) {
    this.#document = document;
  }

  check(schema: Schema, value: unknown, path: string): string[] {
    return Object.entries(schema).flatMap(([keyword, operand]) =>
      this.#keyword(keyword, { operand, schema, value, path })
    );
  }

  #keyword(
    keyword: string,
    { operand, schema, value, path }: {
      operand: unknown;
      schema: Schema;
      value: unknown;
      path: string;
    },
  ): string[] {
    switch (keyword) {
      case "$schema":
      case "description":
        return [];
      case "$ref":
        return this.check(resolvePointer(this.#document, String(operand)) as Schema, value, path);
      case "const":
        return value === operand ? [] : [`${path}: not ${operand}`];
      case "pattern":
        return typeof value !== "string" || new RegExp(String(operand), "u").test(value)
          ? []
          : [`${path}: not like ${operand}`];
      case "format":
        return typeof value !== "string" || isOfFormat(value, String(operand))
          ? []
          : [`${path}: no ${operand}`];
      case "minimum":
        return typeof value !== "number" || value >= Number(operand) ? [] : [`${path}: too small`];
      case "maximum":
        return typeof value !== "number" || value <= Number(operand) ? [] : [`${path}: too large`];
      case "minLength":
        return typeof value !== "string" || value.length >= Number(operand)
          ? []
          : [`${path}: too short`];
      case "maxLength":
        return typeof value !== "string" || value.length <= Number(operand)
          ? []
          : [`${path}: too long`];
      case "minItems":
        return !Array.isArray(value) || value.length >= Number(operand) ? [] : [`${path}: too few`];
      case "maxItems":
        return !Array.isArray(value) || value.length <= Number(operand)
          ? []
          : [`${path}: too many`];
      case "maxProperties":
        return !isObject(value) || Object.keys(value).length <= Number(operand)
          ? []
          : [`${path}: too many keys`];
      case "propertyNames":
        return isObject(value)
          ? Object.keys(value).flatMap((key) =>
            this.check(operand as Schema, key, `${path} (${key})`)
          )
          : [];
      case "type": {
        const types = Array.isArray(operand) ? operand : [operand];
        return types.some((type) => isOfType(value, type)) ? [] : [`${path}: not ${types}`];
      }
      case "enum":
        return (operand as unknown[]).includes(value) ? [] : [`${path}: not one of ${operand}`];
      case "required":
        return isObject(value)
          ? (operand as string[]).filter((key) => !(key in value)).map((key) =>
            `${path}.${key}: missing`
          )
          : [];
      case "properties":
        if (!isObject(value)) return [];
        return Object.entries(operand as Record<string, Schema>).flatMap(([key, one]) =>
          key in value ? this.check(one, value[key], `${path}.${key}`) : []
        );
      case "additionalProperties": {
        if (!isObject(value) || operand === true) return [];
        const known = Object.keys((schema.properties ?? {}) as object);
        const others = Object.entries(value).filter(([key]) => !known.includes(key));
        return operand === false
          ? others.map(([key]) => `${path}.${key}: not allowed`)
          : others.flatMap(([key, one]) => this.check(operand as Schema, one, `${path}.${key}`));
      }
      case "items":
        if (!Array.isArray(value)) return [];
        return value.flatMap((one, index) =>
          this.check(operand as Schema, one, `${path}[${index}]`)
        );
      case "allOf":
        return (operand as Schema[]).flatMap((one) => this.check(one, value, path));
      case "anyOf":
      case "oneOf": {
        const branches = (operand as Schema[]).map((one) => this.check(one, value, path));
        const fitting = branches.filter((faults) => faults.length === 0).length;
        const isRight = keyword === "anyOf" ? fitting > 0 : fitting === 1;
        return isRight ? [] : [`${path}: ${fitting} of ${keyword} fit`, ...branches.flat()];
      }
      default:
        throw new Error(`Cannot check the keyword '${keyword}' at ${path}: it is not known here`);
    }
  }
}

/** @throws {Error} For a format that is not known here. */
function isOfFormat(text: string, format: string): boolean {
  switch (format) {
    case "date":
      return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
    case "date-time":
      return /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(text) &&
        !Number.isNaN(Date.parse(text));
    default:
      throw new Error(`Cannot check the format '${format}': it is not known here`);
  }
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    default: {
      const kind: string = typeof value;
      return kind === type;
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
