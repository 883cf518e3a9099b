/**
 * Entries about tokens of administration, and about who signed in.
 *
 * @module
 */

import type { Appliers } from "./applier.ts";
import { DONE, missing } from "../entries/entry_results.ts";

export const TOKEN_APPLIERS: Appliers<
  "create_token" | "revoke_token" | "note_token_use" | "note_sign_in" | "note_reading"
> = {
  // A second one of the same id or hash ends as a constraint's error.
  create_token(_batch, { token }, { tokens }) {
    tokens.insert(token);
    return DONE;
  },
  revoke_token: (_batch, { tokenId, at }, { tokens }) =>
    tokens.revoke(tokenId, at) ? DONE : missing("active token", tokenId),
  note_token_use: (_batch, { tokenId, at }, { tokens }) =>
    tokens.noteUse(tokenId, at) ? DONE : missing("token", tokenId),
  note_sign_in: () => DONE,
  note_reading: () => DONE,
};
