/**
 * An archive on a server whose rows are not dropped yet: only whoever has its file drops them.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";
import type { KnownArchive } from "../base/archive_report.ts";

/** What keeps rows in the database that an archive has, and what to do about it. */
export interface Away {
  readonly detail: string;
  readonly remedy: string;
}

/** The file of an archive is not on this node: nothing of it is dropped here. */
export class ArchiveFileAway extends GatewayError {
  /** Of the archive. */
  readonly number: number;

  /** @param cause What is wrong with the file that is there, if one is. */
  constructor(archive: KnownArchive, cause?: unknown) {
    super("conflict", textOf(awayOf(archive)), { cause });
    this.number = archive.number;
  }
}

/** Of an archive whose rows are to be dropped, on a node that does not have its file. */
export function awayOf(archive: KnownArchive): Away {
  const { number, isBegun = false } = archive;
  const giveUp = `tollgate calls archive --give-up ${number}`;
  const otherwise = isBegun
    ? "Some of it is dropped already, and is nowhere but in its file: if that is lost for good, go " +
      `on without, ${giveUp} --accept-loss`
    : `If the file is lost, have what it has archived anew: ${giveUp}`;
  return {
    detail: `What archive ${number} has stays in the database: ${whereabouts(archive)}`,
    remedy: "Start the node that has it, which goes on, or bring the file to the same path here " +
      `and archive again. ${otherwise}`,
  };
}

/** Of an archive whose file this node does not have: whose it was. */
export function whereabouts({ file, node }: KnownArchive): string {
  const whose = node === undefined ? "" : `; ${node.label} had it last`;
  return `its file ${file} is not on this node, or not as it was noted${whose}`;
}

/** Of an archive whose rows are being put back, or were, until that was broken off. */
export function restoringOf({ number }: Pick<KnownArchive, "number">): Away {
  return {
    detail:
      `What archive ${number} has is being put back into the database, or that was broken off`,
    remedy: "Nothing else is archived meanwhile. On a node that has its file, " +
      `tollgate calls archive restore ${number} goes on with it`,
  };
}

/** Why the rows of an archive stay, as far as this node knows; `undefined` where nothing keeps them. */
export function awayTrouble(archive: KnownArchive, isInPlace: boolean): string | undefined {
  const { isDropped = true, isAnothers = false, isRestoring = false } = archive;
  if (isRestoring) return textOf(restoringOf(archive));
  return isDropped || isAnothers || isInPlace ? undefined : textOf(awayOf(archive));
}

function textOf({ detail, remedy }: Away): string {
  return `${detail}. ${remedy}`;
}
