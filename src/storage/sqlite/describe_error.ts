/**
 * Errors as they travel between threads.
 *
 * @module
 */

/** An error as it travels. */
export interface TravellingError {
  readonly name: string;
  readonly message: string;
}

/** An error's name and message. */
export function describeError(error: unknown): TravellingError {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: "Error", message: String(error) };
}
