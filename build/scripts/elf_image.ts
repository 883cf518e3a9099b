/**
 * How long the image of a program for Linux is: what lies behind it in its file, the system does not
 * load.
 *
 * @module
 */

/** As many bytes of the file's beginning are enough. */
export const ELF_HEADER_BYTES = 64;

/**
 * Length of a 64-bit little-endian ELF image: its section header table is the last thing in it.
 *
 * @throws {TypeError} if `bytes` do not begin such an image.
 */
export function elfImageLength(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isElf64 = bytes.length >= ELF_HEADER_BYTES && view.getUint32(0) === 0x7f454c46 &&
    bytes[4] === 2;
  if (!isElf64) throw new TypeError("Cannot measure the image: it is not a 64-bit ELF file");
  const sectionTableOffset = Number(view.getBigUint64(0x28, true));
  const sectionEntryLength = view.getUint16(0x3a, true);
  const sectionCount = view.getUint16(0x3c, true);
  return sectionTableOffset + sectionEntryLength * sectionCount;
}
