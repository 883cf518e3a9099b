/**
 * Who may administer what: ranks, each with all that the one before it may, and the members of a
 * project, who have that project alone.
 *
 * @module
 */

/**
 * From the least to the most.
 * - `viewer`: reads money, usage and what is sold; changes nothing.
 * - `operator`: runs the gateway: catalogue, projects, keys, films, batches.
 * - `owner`: everything; alone says who else may come in.
 */
export const RANKS = ["viewer", "operator", "owner"] as const;

/** One of {@linkcode RANKS}. */
export type Rank = typeof RANKS[number];

/** What somebody can be: of a rank, or a project's member. */
export const ROLES = [...RANKS, "member"] as const;

/** One of {@linkcode ROLES}. */
export type Role = typeof ROLES[number];

/** What somebody may do. */
export type Rights =
  | { readonly role: Rank }
  | {
    readonly role: "member";
    /** The one project: to its members there is no other. */
    readonly project: string;
  };

/** Of whoever has the machine, or the admin key. */
export const OWNER: Rights = { role: "owner" };

/** Whether somebody of a rank may do what takes another one. */
export function reaches(held: Rank, needed: Rank): boolean {
  return RANKS.indexOf(held) >= RANKS.indexOf(needed);
}
