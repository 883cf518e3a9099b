/**
 * The kinds of pieces that the catalogue is made of, and where each has its page.
 *
 * @module
 */

import { deleteModel, setModel, showModel } from "../../admin/catalogue/models.ts";
import { deleteProvider, setProvider, showProvider } from "../../admin/catalogue/providers.ts";
import { deleteRoute, setRoute, showRoute } from "../../admin/catalogue/routes.ts";

/** The operations of each kind. */
export const PIECES = {
  provider: { show: showProvider, set: setProvider, remove: deleteProvider },
  model: { show: showModel, set: setModel, remove: deleteModel },
  route: { show: showRoute, set: setRoute, remove: deleteRoute },
} as const;

/** What a piece is. */
export type PieceKind = keyof typeof PIECES;

/** The page of a piece. */
export function settingsPath(kind: PieceKind, id: string): string {
  return `/console/settings/${kind}/${encodeURIComponent(id)}`;
}
