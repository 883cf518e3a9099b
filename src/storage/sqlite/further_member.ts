/**
 * Asking for what few calls have, in SQL.
 *
 * @module
 */

/** In SQL, a member of it by a path that is a parameter; NULL of one that a hand has spoilt. */
export const FURTHER_MEMBER = "CASE WHEN json_valid(further) THEN json_extract(further, ?) END";
