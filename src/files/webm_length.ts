/**
 * How long a WebM or Matroska file plays, where it says so: what was recorded by a browser seldom does.
 *
 * @module
 */

/** RFC 8794 and RFC 9559: elements by their ids, marker included. */
const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const INFO = 0x1549a966;
const TIMESTAMP_SCALE = 0x2ad7b1;
const DURATION = 0x4489;
const USUAL_SCALE = 1_000_000;

/** Seconds, by the first bytes of a file; `undefined` where they say nothing of it. */
export function webmSeconds(head: DataView): number | undefined {
  if (head.byteLength < 8 || head.getUint32(0) !== EBML) return undefined;
  let scale = USUAL_SCALE;
  let duration: number | undefined;
  for (const { id, start, size } of elementsOf(head)) {
    if (start + size > head.byteLength) continue;
    if (id === TIMESTAMP_SCALE) scale = unsignedAt(head, start, size);
    if (id === DURATION && size === 4) duration = head.getFloat32(start);
    if (id === DURATION && size === 8) duration = head.getFloat64(start);
  }
  return duration === undefined ? undefined : duration * scale / 1e9;
}

/** Those of the file, of its segment and of what that tells of itself, in their order. */
function* elementsOf(head: DataView) {
  for (let at = 0; at < head.byteLength;) {
    const id = numberAt(head, at, { isId: true });
    const size = id && numberAt(head, id.end, { isId: false });
    if (size === undefined) return;
    yield { id: id!.value, start: size.end, size: size.value };
    const isOpened = id!.value === SEGMENT || id!.value === INFO;
    at = isOpened ? size.end : size.end + size.value;
  }
}

/** A number of one to eight bytes, as many as it has zeros in front. */
function numberAt(
  view: DataView,
  at: number,
  { isId }: { readonly isId: boolean },
): { readonly value: number; readonly end: number } | undefined {
  if (at >= view.byteLength) return undefined;
  const first = view.getUint8(at);
  const length = Math.clz32(first) - 23;
  if (length > 8 || at + length > view.byteLength) return undefined;
  const own = isId ? first : first & (0xff >> length);
  return {
    value: own * 256 ** (length - 1) + unsignedAt(view, at + 1, length - 1),
    end: at + length,
  };
}

function unsignedAt(view: DataView, at: number, length: number): number {
  let value = 0;
  for (let index = 0; index < length; index++) value = value * 256 + view.getUint8(at + index);
  return value;
}
