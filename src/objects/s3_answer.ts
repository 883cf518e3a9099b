/**
 * Reads the answers of S3: flat XML, in which the few elements that are asked for have no attributes.
 *
 * @module
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
 */

import type { ListedObject } from "./object_store.ts";

/** One page of a list. */
export interface ListedPage {
  readonly objects: readonly ListedObject[];
  /** Where the next one begins; `undefined` behind the last one. */
  readonly next: string | undefined;
}

/** The text of the first element of a name; `undefined` where there is none. */
export function textOf(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text === undefined ? undefined : unescaped(text);
}

/** @throws {SyntaxError} For what is no list. */
export function readList(xml: string): ListedPage {
  if (!xml.includes("ListBucketResult")) throw new SyntaxError("the answer is no list of S3's");
  // Cut, and not matched: what is opened and never closed would be read again for each.
  const objects = xml.split("<Contents>").slice(1).map((rest) => {
    const [entry = ""] = rest.split("</Contents>", 1);
    const key = textOf(entry, "Key");
    const size = textOf(entry, "Size") ?? "";
    if (key === undefined || !/^\d{1,15}$/.test(size)) {
      throw new SyntaxError("an object in the list has no key or no size");
    }
    return { key, bytes: Number(size) };
  });
  if (textOf(xml, "IsTruncated") !== "true") return { objects, next: undefined };
  const next = textOf(xml, "NextContinuationToken");
  if (!next) throw new SyntaxError("the list goes on, and does not say where");
  return { objects, next };
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

function unescaped(text: string): string {
  return text.replaceAll(
    /&(?:(\w+)|#(\d{1,6})|#x([\da-f]{1,5}));/gi,
    (whole, name, digits, hex) => {
      if (name !== undefined) return ENTITIES[name] ?? whole;
      const code = digits === undefined ? parseInt(hex, 16) : Number(digits);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
