/**
 * A checksum over the columns of a row, so that a column altered behind the
 * writer's back is noticed. It is a guard against accidents and casual editing,
 * not a signature.
 *
 * @module
 */

/** A column as it is bound to a statement or read back. */
export type ColumnValue = string | number | bigint | null;

const TAG_NULL = 0x4e;
const TAG_INTEGER = 0x49;
const TAG_TEXT = 0x54;
const TWO_32 = 4_294_967_296;

/** What a text has instead of half of a surrogate pair once it was stored as UTF-8, which has none. */
const REPLACEMENT = "\ufffd";
const FIRST_HALF = 0xd800;
const LAST_HALF = 0xdfff;
/** Of a row, where a half is looked for. */
const MOST_PLACES = 8;

/**
 * 53-bit hash of the values in column order (two 32-bit lanes with the mixing
 * of cyrb53). Equal integers hash alike whether they come as number or bigint;
 * every value is tagged and text carries its length, so that no shift of a
 * character from one column to the next goes unseen.
 *
 * @param count Of the first so many values. Default: of all.
 */
export function rowChecksum(values: readonly ColumnValue[], count = values.length): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < count; index++) {
    const value = values[index]!;
    if (value === null) {
      high = Math.imul(high ^ TAG_NULL, 2654435761);
      low = Math.imul(low ^ TAG_NULL, 1597334677);
      continue;
    }
    const integer = typeof value === "string" ? NaN : Number(value);
    if (Number.isSafeInteger(integer)) {
      const tag = integer < 0 ? ~TAG_INTEGER : TAG_INTEGER;
      const size = Math.abs(integer);
      const upper = (size / TWO_32) | 0;
      const lower = size | 0;
      high = Math.imul(high ^ tag, 2654435761);
      low = Math.imul(low ^ tag, 1597334677);
      high = Math.imul(high ^ lower, 2654435761);
      low = Math.imul(low ^ lower, 1597334677);
      high = Math.imul(high ^ (high >>> 15) ^ upper, 2246822519);
      low = Math.imul(low ^ (low >>> 13) ^ upper, 3266489909);
      continue;
    }
    const text = String(value);
    const head = TAG_TEXT + (text.length << 8);
    high = Math.imul(high ^ head, 2654435761);
    low = Math.imul(low ^ head, 1597334677);
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      high = Math.imul(high ^ unit, 2654435761);
      low = Math.imul(low ^ unit, 1597334677);
    }
    high ^= high >>> 15;
    low ^= low >>> 13;
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return TWO_32 * (2097151 & low) + (high >>> 0);
}

/**
 * Whether a row as it was read back is the one that the checksum was taken of.
 *
 * Earlier versions took it of texts as they were given, and one may have had half of a surrogate
 * pair in it (an emoji that was cut off, in a credit's reference). Of such a row the half that was
 * there is looked for. An altered row is found all the same: at most 16,384 tries against 53 bits.
 *
 * @param checksumOf Of the table's rows.
 */
export function fitsChecksum(
  values: readonly ColumnValue[],
  checksum: number,
  checksumOf: (values: readonly ColumnValue[]) => number = rowChecksum,
): boolean {
  if (checksumOf(values) === checksum) return true;
  let places = 0;
  for (const [column, text] of values.entries()) {
    if (typeof text !== "string") continue;
    const given = [...values];
    for (
      let at = text.indexOf(REPLACEMENT);
      at >= 0 && places < MOST_PLACES;
      at = text.indexOf(REPLACEMENT, at + 1)
    ) {
      places++;
      for (let half = FIRST_HALF; half <= LAST_HALF; half++) {
        given[column] = text.slice(0, at) + String.fromCharCode(half) + text.slice(at + 1);
        if (checksumOf(given) === checksum) return true;
      }
    }
  }
  return false;
}
