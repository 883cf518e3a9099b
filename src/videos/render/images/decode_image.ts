/** x
 * @module */
/** x */
export const decodeImage = {
  facts(_b: Uint8Array): Promise<never> {
    throw new Error("x");
  },
};
