/** Thumbnail.
 * @module
 */
import type { Frame } from "../frame.ts";
/** x */
export async function encodeThumbnail(frame: Frame): Promise<Uint8Array<ArrayBuffer>> {
  return await Promise.resolve(new Uint8Array(frame.width));
}
