/**
 * Values from a JSON Schema: those that fit, those that break one constraint, and any other.
 *
 * @module
 */

import type { SeededRandom } from "../../support/seeded_random.ts";
import type { Schema } from "../api_operation.ts";
import { noise, oddNumber, oddText, oddValue } from "./odd_values.ts";

/** Values that mean something where a field has that name; `undefined` where none do. */
export type Hints = (field: string, random: SeededRandom) => unknown;

const LARGEST = 200;
const WORDS = ["Hello there", "red fox", "Say it again", "日本語のテキスト", "naïve café", "x"];
/** One of these fits every pattern of the document. */
const PATTERNED = ["64x64", "1280x720", "1", "4", "20", "100", "0", "0.00000000", "some-key"];

/** Makes values. */
export class SchemaValues {
  readonly #random: SeededRandom;
  readonly #hints: Hints;

  constructor(random: SeededRandom, hints: Hints) {
    this.#random = random;
    this.#hints = hints;
  }

  /** A value that fits the schema. */
  fitting(schema: Schema, field = ""): unknown {
    const random = this.#random;
    const hint = random.chance(0.9) ? this.#hints(field, random) : undefined;
    if (hint !== undefined) return hint;
    const branches = (schema.anyOf ?? schema.oneOf) as readonly Schema[] | undefined;
    if (branches !== undefined) return this.fitting(random.pick(branches), field);
    if ("const" in schema) return schema.const;
    if (schema.enum !== undefined) return random.pick(schema.enum as unknown[]);
    switch (Array.isArray(schema.type) ? random.pick(schema.type) : schema.type) {
      case "null":
        return null;
      case "boolean":
        return random.chance(0.5);
      case "integer":
      case "number":
        return this.#number(schema);
      case "string":
        return this.#text(schema);
      case "array":
        return this.#array(schema);
      case "object":
        return this.#object(schema);
      default:
        return oddValue(random, 2);
    }
  }

  /** A value that fits but for one thing, somewhere in it. */
  broken(schema: Schema, field = ""): unknown {
    const random = this.#random;
    const branches = (schema.anyOf ?? schema.oneOf) as readonly Schema[] | undefined;
    if (branches !== undefined) return this.broken(random.pick(branches), field);
    if (random.chance(0.2)) return this.#ofOtherType(schema);
    switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
      case "integer":
      case "number":
        return random.pick([
          Number(schema.minimum ?? 0) - 1,
          Number(schema.maximum ?? 2 ** 53) + 1,
          1.5,
          oddNumber(random),
        ]);
      case "string":
        return this.#brokenText(schema);
      case "array":
        return this.#brokenArray(schema);
      case "object":
        return this.#brokenObject(schema);
      default:
        return oddValue(random, 2);
    }
  }

  #number({ minimum = -10, maximum = 1_000 }: Schema): number {
    const [least, most] = [Number(minimum), Number(maximum)];
    const random = this.#random;
    if (random.chance(0.05)) return random.pick([least, most]);
    return random.integer(least, Math.min(most, least + 60));
  }

  #text({ minLength = 0, maxLength = LARGEST, pattern }: Schema): string {
    const random = this.#random;
    if (pattern !== undefined) {
      const regex = new RegExp(String(pattern));
      return random.pick(PATTERNED.filter((one) => regex.test(one)));
    }
    const odd = random.chance(0.3) ? oddText(random) : random.pick(WORDS);
    if (random.chance(0.05)) return "y".repeat(Math.min(Number(maxLength), 40_000));
    return odd.slice(0, Number(maxLength)).padEnd(Number(minLength), "z");
  }

  #array({ minItems = 0, maxItems = 5, items = {} }: Schema): unknown[] {
    const least = Number(minItems);
    const length = this.#random.integer(least, Math.min(Number(maxItems), least + 3));
    return Array.from({ length }, () => this.fitting(items as Schema));
  }

  #object(schema: Schema): Record<string, unknown> {
    const random = this.#random;
    const properties = (schema.properties ?? {}) as Record<string, Schema>;
    const required = (schema.required ?? []) as readonly string[];
    const made: Record<string, unknown> = {};
    for (const [name, one] of Object.entries(properties)) {
      if (required.includes(name) || random.chance(0.25)) made[name] = this.fitting(one, name);
    }
    const others = schema.additionalProperties;
    if (others !== undefined && others !== false && random.chance(0.3)) {
      const name = random.chance(0.7) ? `field_${random.integer(0, 9)}` : noise(random, 8);
      made[name] = this.fitting(others as Schema, name);
    }
    return made;
  }

  #ofOtherType({ type }: Schema): unknown {
    const others = [null, true, 7, "text", [], {}, [[]], { type: "text" }];
    const kindOf = (value: unknown) =>
      value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
    return this.#random.pick(others.filter((one) => kindOf(one) !== type));
  }

  #brokenText({ minLength = 0, maxLength, pattern }: Schema): unknown {
    const random = this.#random;
    if (pattern !== undefined) return oddText(random);
    if (maxLength !== undefined && random.chance(0.5)) return "w".repeat(Number(maxLength) + 1);
    if (Number(minLength) > 0 && random.chance(0.5)) return "";
    return oddText(random);
  }

  #brokenArray(schema: Schema): unknown {
    const random = this.#random;
    const items = (schema.items ?? {}) as Schema;
    const made = this.#array(schema);
    if (Number(schema.minItems ?? 0) > 0 && random.chance(0.2)) return [];
    if (Number(schema.maxItems ?? Infinity) <= 3_000 && random.chance(0.1)) {
      return Array.from({ length: Number(schema.maxItems) + 1 }, () => made[0] ?? "a");
    }
    made.splice(random.integer(0, made.length), 0, this.broken(items));
    return made;
  }

  #brokenObject(schema: Schema): unknown {
    const random = this.#random;
    const made = this.#object(schema);
    const required = (schema.required ?? []) as readonly string[];
    if (required.length > 0 && random.chance(0.25)) {
      delete made[random.pick(required)];
      return made;
    }
    if (schema.additionalProperties === false && random.chance(0.3)) {
      return { ...made, [noise(random, 5)]: 1 };
    }
    const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
    if (properties.length === 0) return this.#ofOtherType(schema);
    const [name, one] = random.pick(properties);
    made[name] = this.broken(one, name);
    return made;
  }
}
