/**
 * Makes a value that is valid against a JSON schema: arguments for a tool, or
 * an answer in `response_format`. Deterministic, and bounded however large or
 * recursive the schema is.
 *
 * @module
 */

import { isObject, type JsonObject } from "../../domain/json_value.ts";
import { sampleNumber, sampleString } from "./sample_scalar.ts";
import { mergeSchemas, typesOf } from "./schema_parts.ts";

/** Thrown when a schema has no value, or none of a reasonable size. */
export class UnsatisfiableSchema extends Error {
  override readonly name = "UnsatisfiableSchema";
}

/** Optional parts are made down to this depth; below it only what is required. */
const FULL_DEPTH = 5;
const MAX_DEPTH = 60;
/** A value costs 1, a key or a member of a list that is looked at {@linkcode GLANCE}. */
const MAX_WORK = 20_000;
const GLANCE = 0.02;
/** More than OpenAI takes. What is copied and compared on the way is never larger. */
const MAX_SCHEMA_CHARACTERS = 200_000;
/** Characters of text that is made or compared, for 1. */
const CHARACTERS_PER_WORK = 1_000;

/** What is done between two steps. */
const WORK_PER_STEP = 50;

/** The making of a value, in steps between which others may have their turn. */
export type Sampling<Value> = Generator<void, Value>;

/** What the samples of one call may cost together. */
export class SampleBudget {
  #work = MAX_WORK;
  #stepEndsAt = MAX_WORK - WORK_PER_STEP;

  get isSpent(): boolean {
    return this.#work < 0;
  }

  /** @throws {UnsatisfiableSchema} When there is nothing left. */
  spend(work: number): void {
    this.#work -= work;
    if (this.isSpent) throw new UnsatisfiableSchema(TOO_LARGE);
  }

  /** Whether a step's work has been done since this was true the last time. */
  endsStep(): boolean {
    if (this.#work > this.#stepEndsAt) return false;
    this.#stepEndsAt = this.#work - WORK_PER_STEP;
    return true;
  }
}

const TOO_LARGE = "The schema's smallest value is too large";

/**
 * Makes a value valid against `schema` (JSON Schema 2020-12 or draft 7): types,
 * `enum`, `const`, `properties`, `required`, arrays with their bounds, numbers
 * with theirs, strings with lengths and formats, `anyOf`, `oneOf`, `allOf`,
 * local `$ref`. `not`, `if`, `pattern` and `dependentRequired` are not looked at.
 *
 * @throws {UnsatisfiableSchema}
 */
export function* sampleSteps(schema: unknown, budget = new SampleBudget()): Sampling<unknown> {
  if (JSON.stringify(schema).length > MAX_SCHEMA_CHARACTERS) {
    throw new UnsatisfiableSchema(`The schema has more than ${MAX_SCHEMA_CHARACTERS} characters`);
  }
  return yield* new Sampler(schema, budget).sample(schema, { depth: 0, variant: 0 });
}

interface Place {
  readonly depth: number;
  /** Differs between the items of an array that must be unique. */
  readonly variant: number;
}

class Sampler {
  readonly #root: unknown;
  readonly #budget: SampleBudget;

  constructor(root: unknown, budget: SampleBudget) {
    this.#root = root;
    this.#budget = budget;
  }

  *sample(schema: unknown, place: Place): Sampling<unknown> {
    if (schema === false) throw new UnsatisfiableSchema("The schema allows no value");
    this.#spend(1, place.depth);
    if (this.#budget.endsStep()) yield;
    if (!isObject(schema)) return "example";
    return yield* this.#sampleResolved(yield* this.#resolve(schema, place.depth), place);
  }

  *#sampleResolved(schema: JsonObject, place: Place): Sampling<unknown> {
    this.#spend(glances(schema), place.depth);
    if ("const" in schema) return this.#repeat(schema.const);
    if (Array.isArray(schema.enum)) return this.#sampleEnum(schema, schema.enum, place);
    for (const union of ["anyOf", "oneOf"] as const) {
      const branches = schema[union];
      if (!Array.isArray(branches)) continue;
      const { [union]: _, ...rest } = schema;
      return yield* this.#firstOf(
        this.#inOrder(branches, place),
        (branch) => this.#sampleBranch(branch, rest, place),
      );
    }
    return yield* this.#firstOf(typesOf(schema), (type) => this.#sampleType(type, schema, place));
  }

  *#sampleBranch(branch: unknown, rest: JsonObject, place: Place): Sampling<unknown> {
    if (typeof branch === "boolean") return yield* this.sample(branch && rest, deeper(place));
    const resolved = yield* this.#resolve(isObject(branch) ? branch : {}, place.depth);
    const merged = this.#merge(rest, resolved, "No branch of a union fits");
    return yield* this.#sampleResolved(merged, deeper(place));
  }

  *#sampleType(type: string, schema: JsonObject, place: Place): Sampling<unknown> {
    switch (type) {
      case "object":
        return yield* this.#sampleObject(schema, place);
      case "array":
        return yield* this.#sampleArray(schema, place);
      case "number":
      case "integer":
        return orUnsatisfiable(sampleNumber(schema, { type, variant: place.variant }));
      case "boolean":
        return place.variant % 2 === 0;
      case "null":
        return null;
      default:
        return this.#repeat(orUnsatisfiable(sampleString(schema, place.variant)));
    }
  }

  #sampleEnum(schema: JsonObject, values: readonly unknown[], place: Place): unknown {
    const types = schema.type === undefined ? undefined : typesOf(schema);
    const fitting = types === undefined
      ? values
      : values.filter((value) => types.some((type) => isOfType(value, type)));
    if (fitting.length === 0) throw new UnsatisfiableSchema("No value of an enum fits its type");
    return this.#repeat(fitting[place.variant % fitting.length]);
  }

  /** A value that the answer has once more. */
  #repeat<Value>(value: Value): Value {
    this.#spendText(JSON.stringify(value));
    return value;
  }

  *#sampleObject(schema: JsonObject, place: Place): Sampling<JsonObject> {
    const properties = isObject(schema.properties) ? schema.properties : {};
    const required = new Set(
      Array.isArray(schema.required)
        ? schema.required.filter((name) => typeof name === "string")
        : [],
    );
    const entries = new Map<string, unknown>();
    for (const name of required) {
      const property = Object.hasOwn(properties, name)
        ? properties[name]
        : this.#additional(schema) ?? true;
      this.#spendText(name);
      entries.set(name, yield* this.sample(property, deeper(place)));
    }
    const most = typeof schema.maxProperties === "number" ? schema.maxProperties : Infinity;
    const least = typeof schema.minProperties === "number" ? schema.minProperties : 0;
    for (const name of Object.keys(properties)) {
      const isWanted = place.depth < FULL_DEPTH || entries.size < least;
      if (entries.has(name) || !isWanted || entries.size >= most) continue;
      this.#spendText(name);
      try {
        entries.set(name, yield* this.sample(properties[name], deeper(place)));
      } catch (error) {
        // An optional property without a value is left out; a schema too large stays one.
        if (!(error instanceof UnsatisfiableSchema) || this.#budget.isSpent) throw error;
      }
    }
    for (let extra = 1; entries.size < least; extra++) {
      const additional = this.#additional(schema);
      if (additional === undefined) throw new UnsatisfiableSchema("An object lacks properties");
      entries.set(`extra_${extra}`, yield* this.sample(additional, deeper(place)));
    }
    // In the schema's own order, which readers and models expect.
    const order = [...Object.keys(properties), ...entries.keys()];
    return Object.fromEntries(
      [...new Set(order)].filter((name) => entries.has(name)).map((name) => [
        name,
        entries.get(name),
      ]),
    );
  }

  /** The schema of properties that are not listed; `undefined` when there may be none. */
  #additional(schema: JsonObject): unknown {
    return schema.additionalProperties === false ? undefined : schema.additionalProperties ?? true;
  }

  *#sampleArray(schema: JsonObject, place: Place): Sampling<unknown[]> {
    const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
    const items = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
    const firsts = Array.isArray(schema.items) ? schema.items : prefix;
    const least = typeof schema.minItems === "number" ? schema.minItems : 0;
    const most = typeof schema.maxItems === "number" ? schema.maxItems : Infinity;
    const wished = place.depth < FULL_DEPTH ? Math.max(1, firsts.length) : 0;
    const length = Math.max(least, Math.min(wished, most));
    const seen = new Set<string>();
    const values: unknown[] = [];
    for (let at = 0; at < length; at++) {
      let item = at < firsts.length ? firsts[at] : items;
      if (at === firsts.length && schema.contains !== undefined) {
        item = { allOf: [item ?? true, schema.contains] };
      }
      try {
        values.push(
          schema.uniqueItems === true
            ? yield* this.#sampleUnseen(item, place, seen)
            : yield* this.sample(item ?? true, deeper(place)),
        );
      } catch (error) {
        if (!(error instanceof UnsatisfiableSchema) || at < least) throw error;
        break;
      }
    }
    return values;
  }

  *#sampleUnseen(schema: unknown, place: Place, seen: Set<string>): Sampling<unknown> {
    for (let variant = seen.size; variant < seen.size + 100; variant++) {
      const value = yield* this.sample(schema ?? true, { depth: place.depth + 1, variant });
      const text = JSON.stringify(value);
      this.#spendText(text);
      if (seen.has(text)) continue;
      seen.add(text);
      return value;
    }
    throw new UnsatisfiableSchema("An array cannot have enough different items");
  }

  /** Deep down the branches that end soonest come first, so that recursion ends. */
  #inOrder(branches: readonly unknown[], place: Place): readonly unknown[] {
    if (place.depth < FULL_DEPTH) return branches;
    const weight = (branch: unknown) => {
      if (!isObject(branch)) return 0;
      if (branch.$ref !== undefined) return 3;
      return typesOf(branch).some((type) => type === "object" || type === "array") ? 2 : 1;
    };
    return branches.toSorted((one, other) => weight(one) - weight(other));
  }

  *#firstOf<T>(
    candidates: readonly T[],
    make: (candidate: T) => Sampling<unknown>,
  ): Sampling<unknown> {
    let failure: unknown = new UnsatisfiableSchema("No branch of a union fits");
    for (const candidate of candidates) {
      try {
        return yield* make(candidate);
      } catch (error) {
        if (!(error instanceof UnsatisfiableSchema) || this.#budget.isSpent) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  /** Follows `$ref` and merges `allOf`. */
  *#resolve(schema: JsonObject, depth: number): Sampling<JsonObject> {
    let current = schema;
    for (let hops = 0; current.$ref !== undefined; hops++) {
      if (hops > MAX_DEPTH) throw new UnsatisfiableSchema("A $ref refers to itself");
      const { $ref, ...rest } = current;
      current = this.#merge(rest, this.#target($ref), "A $ref does not fit beside its own keys");
    }
    if (!Array.isArray(current.allOf)) return current;
    const { allOf, ...rest } = current;
    let whole: JsonObject = rest;
    for (const part of allOf) {
      if (part === false) throw new UnsatisfiableSchema("The schema allows no value");
      this.#spend(1, depth);
      if (this.#budget.endsStep()) yield;
      if (!isObject(part)) continue;
      const resolved = yield* this.#resolve(part, depth + 1);
      whole = this.#merge(whole, resolved, "Parts of an allOf exclude each other");
    }
    return whole;
  }

  #merge(one: JsonObject, other: JsonObject, failure: string): JsonObject {
    this.#budget.spend(glances(one) + glances(other));
    if (Array.isArray(one.enum) && Array.isArray(other.enum)) {
      this.#spendText(JSON.stringify([one.enum, other.enum]));
    }
    const merged = mergeSchemas(one, other);
    if (merged === undefined) throw new UnsatisfiableSchema(failure);
    return merged;
  }

  #spendText(text: string): void {
    this.#budget.spend(text.length / CHARACTERS_PER_WORK);
  }

  #spend(work: number, depth: number): void {
    this.#budget.spend(work);
    if (depth > MAX_DEPTH) throw new UnsatisfiableSchema(TOO_LARGE);
  }

  #target(reference: unknown): JsonObject {
    if (typeof reference !== "string" || !reference.startsWith("#")) {
      throw new UnsatisfiableSchema("Only $ref within the schema can be followed");
    }
    let target: unknown = this.#root;
    for (const part of reference.slice(1).split("/").slice(1)) {
      const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
      target = isObject(target) && Object.hasOwn(target, name)
        ? target[name]
        : Array.isArray(target)
        ? target[Number(name)]
        : undefined;
    }
    if (target === true) return {};
    if (!isObject(target)) throw new UnsatisfiableSchema(`'${reference}' refers to nothing`);
    return target;
  }
}

/** The work of going over a schema: its keys, its properties and its lists. */
function glances(schema: JsonObject): number {
  let count = 0;
  for (const key in schema) {
    const value = schema[key];
    count += Array.isArray(value) ? 1 + value.length : 1;
  }
  if (isObject(schema.properties)) count += Object.keys(schema.properties).length;
  return count * GLANCE;
}

function deeper(place: Place): Place {
  return { depth: place.depth + 1, variant: place.variant };
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    case "boolean":
      return typeof value === "boolean";
    case "number":
      return typeof value === "number";
    default:
      return typeof value === "string";
  }
}

function orUnsatisfiable<T>(value: T | undefined): T {
  if (value === undefined) throw new UnsatisfiableSchema("A value's bounds exclude each other");
  return value;
}
