/**
 * What a film costs that its owner deletes while it is made.
 *
 * @module
 */

/**
 * - `free`: nothing; what an upstream has begun is the operator's loss.
 * - `progress`: as many percent of its price as it says that are done.
 * - `full`: its price.
 */
export const DELETED_FILM_CHARGES = ["free", "progress", "full"] as const;

/** See {@linkcode DELETED_FILM_CHARGES}. */
export type DeletedFilmCharge = typeof DELETED_FILM_CHARGES[number];
