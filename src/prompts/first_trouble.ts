/**
 * Work on many things that goes on with the others where one fails.
 *
 * @module
 */

/** What failed first of several works. */
export class FirstTrouble {
  /** Absent as long as nothing has failed. */
  met: { readonly error: unknown } | undefined;

  /** What comes of a work; `undefined` where it fails. */
  async of<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await work();
    } catch (error) {
      this.met ??= { error };
      return undefined;
    }
  }

  /** @throws What has failed, if anything has. */
  throwMet(): void {
    if (this.met !== undefined) throw this.met.error;
  }
}
