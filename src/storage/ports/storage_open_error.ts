/**
 * The one error that opening a database ends with.
 *
 * @module
 */

/**
 * A database, or a bucket of films, that cannot be used as it is. The message is one line for the
 * operator: what is wrong with which file, and what to do.
 */
export class StorageOpenError extends Error {
  override readonly name = "StorageOpenError";
}
