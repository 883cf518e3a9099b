/**
 * Where the bundler reads packages from, and how they are named without saying where that is.
 *
 * @module
 */

import { relative } from "node:path";
import { ROOT } from "./paths.ts";
import { runCommand } from "./run_command.ts";
import { denoCommand, PINNED_DENO } from "./toolchain.ts";

/** What stands in a bundle instead of the cache's folder: `npm/zod/4.6.7/index.js`. */
export const PACKAGE_ROOT = "npm/";

/**
 * The folders that hold packages by name and version, one for each registry.
 *
 * @throws {Error} when Deno does not say where its cache is.
 */
export async function packageFolders(): Promise<readonly string[]> {
  const info = await runCommand([...denoCommand(PINNED_DENO), "info", "--json"]);
  if (!info.success) throw new Error(`Cannot find Deno's cache: ${info.stderr.trim()}`);
  const { npmCache }: { npmCache: string } = JSON.parse(info.stdout);
  const entries = await Array.fromAsync(Deno.readDir(npmCache)).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  });
  return entries.filter(({ isDirectory }) => isDirectory).map(({ name }) => `${npmCache}/${name}`);
}

/** A bundle's text with the packages' names in place of where this machine keeps them. */
export function withoutFolders(text: string, folders: readonly string[], root = ROOT): string {
  return folders.reduce(
    (left, folder) => left.replaceAll(`${relative(root, folder)}/`, PACKAGE_ROOT),
    text,
  );
}
