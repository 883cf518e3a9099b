/**
 * Whether the tree of another machine can be written without leaving it.
 *
 * @module
 */

import { join } from "node:path";
import { CommandFailure } from "../base/failure.ts";
import { isThere } from "../base/is_there.ts";
import { foldersAbove } from "./check_open_to_all.ts";
import { COPY_PATH } from "./installed_executable.ts";
import { UNIT_PATH } from "./unit_text.ts";

/**
 * Looks at every folder on the way to what install and uninstall write.
 *
 * @throws {CommandFailure} Where a link leads out of the tree, which may be this machine's own
 * unit, or where root would write what another user can exchange meanwhile.
 */
export function checkTree(root: string, uid = Deno.uid()): void {
  if (root === "" || !isThere(root)) return;
  const real = Deno.realPathSync(root);
  for (const path of [UNIT_PATH, COPY_PATH]) {
    for (const folder of foldersAbove(path)) checkFolder(join(root, folder), { root, real, uid });
  }
}

function checkFolder(
  folder: string,
  { root, real, uid }: {
    readonly root: string;
    readonly real: string;
    readonly uid: number | null;
  },
): void {
  if (!isThere(folder)) return;
  const place = realPath(folder);
  if (place !== real && !place?.startsWith(`${real}/`)) {
    throw new CommandFailure(
      `Cannot use --root ${root}: ${folder} is a link that leads out of it. Install from within, such as with chroot`,
    );
  }
  const owner = Deno.statSync(folder).uid ?? 0;
  if (uid !== 0 || owner === 0) return;
  throw new CommandFailure(
    `Cannot use --root ${root}: ${folder} belongs to the user with id ${owner}, and root would follow that user's links. Run this as that user: sudo -u '#${owner}' tollgate …`,
  );
}

/** `undefined` for a link to nothing, which a write would follow. */
function realPath(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
