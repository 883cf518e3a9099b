/**
 * Reads the answers of S3: flat XML, in which the few elements that are asked for have no attributes.
 *
 * @module
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
 */

import type { ListedObject, OpenUpload } from "./object_store.ts";

/** One page of a list. */
export interface ListedPage<Thing> {
  readonly listed: readonly Thing[];
  /** Parameters of the request for the next one; `undefined` behind the last one. */
  readonly next: Readonly<Record<string, string>> | undefined;
}

/** The text of the first element of a name; `undefined` where there is none. */
export function textOf(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text === undefined ? undefined : unescaped(text);
}

/** @throws {SyntaxError} For what is no list. */
export function readList(xml: string): ListedPage<ListedObject> {
  return pageOf(xml, "Contents", (entry) => {
    const key = textOf(entry, "Key");
    const size = textOf(entry, "Size") ?? "";
    if (key === undefined || !/^\d{1,15}$/.test(size)) {
      throw new SyntaxError("an object in the list has no key or no size");
    }
    return { key, bytes: Number(size), putAt: Date.parse(textOf(entry, "LastModified") ?? "") };
  });
}

/** What keys have in common up to the delimiter that was asked for. @throws {SyntaxError} For what is no list. */
export function readFolders(xml: string): ListedPage<string> {
  return pageOf(xml, "CommonPrefixes", (entry) => {
    const prefix = textOf(entry, "Prefix");
    if (!prefix) throw new SyntaxError("a folder in the list has no name");
    return prefix;
  });
}

/** A page of a list of objects, or of what it has in their place. */
function pageOf<Thing>(
  xml: string,
  name: string,
  read: (entry: string) => Thing,
): ListedPage<Thing> {
  if (!xml.includes("ListBucketResult")) throw new SyntaxError("the answer is no list of S3's");
  const listed = entriesOf(xml, name).map(read);
  if (textOf(xml, "IsTruncated") !== "true") return { listed, next: undefined };
  const next = textOf(xml, "NextContinuationToken");
  if (!next) throw new SyntaxError("the list goes on, and does not say where");
  return { listed, next: { "continuation-token": next } };
}

/** @throws {SyntaxError} For what is no list of uploads. */
export function readUploads(xml: string): ListedPage<OpenUpload> {
  if (!xml.includes("ListMultipartUploadsResult")) {
    throw new SyntaxError("the answer is no list of S3's uploads");
  }
  const listed = entriesOf(xml, "Upload").map((entry) => {
    const key = textOf(entry, "Key");
    const uploadId = textOf(entry, "UploadId");
    if (key === undefined || !uploadId) {
      throw new SyntaxError("an upload in the list has no key or no name");
    }
    return { key, uploadId, begunAt: Date.parse(textOf(entry, "Initiated") ?? "") };
  });
  if (textOf(xml, "IsTruncated") !== "true") return { listed, next: undefined };
  const key = textOf(xml, "NextKeyMarker");
  if (!key) throw new SyntaxError("the list goes on, and does not say where");
  return {
    listed,
    next: { "key-marker": key, "upload-id-marker": textOf(xml, "NextUploadIdMarker") ?? "" },
  };
}

/** Cut, and not matched: what is opened and never closed would be read again for each. */
function entriesOf(xml: string, name: string): readonly string[] {
  return xml.split(`<${name}>`).slice(1).map((rest) => rest.split(`</${name}>`, 1)[0] ?? "");
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
