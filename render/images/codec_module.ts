/**
 * Starts a codec that was compiled to WebAssembly by Emscripten.
 *
 * @module
 */

/** What its loader takes and gives: the packages' own types name a global that they do not ship. */
export type CodecFactory<Codec> = (options: {
  readonly wasmBinary: Uint8Array;
  readonly noInitialRun: true;
  readonly print: (line: string) => void;
  readonly printErr: (line: string) => void;
}) => Promise<Codec>;

/** A codec and the lines of warning it has written so far. */
export interface CodecModule<Codec> {
  readonly codec: Codec;
  readonly warnings: readonly string[];
}

/**
 * A codec of its own for one image: its memory, which never shrinks, goes with it, and so does
 * whatever a damaged image left behind.
 */
export async function startCodec<Codec>(
  factory: unknown,
  wasmBinary: Uint8Array,
): Promise<CodecModule<Codec>> {
  const warnings: string[] = [];
  const warn = (line: string) => void warnings.push(line);
  const codec = await (factory as CodecFactory<Codec>)({
    wasmBinary,
    noInitialRun: true,
    print: warn,
    printErr: warn,
  });
  return { codec, warnings };
}
