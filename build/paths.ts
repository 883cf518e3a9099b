/**
 * Where the build finds the project and leaves its products.
 *
 * @module
 */

import { fileURLToPath } from "node:url";

/** The project's root folder, without a slash at its end. */
export const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");

/** Everything a build writes inside the project. */
export const DIST = `${ROOT}/dist`;

/** The product. */
export const EXECUTABLE = `${DIST}/tollgate`;

/** What the product was made from and is; lets an unchanged tree skip the build. */
export const BUILD_RECORD = `${DIST}/build_record.json`;

/** The bundles and their source maps. */
export const BUNDLES = `${DIST}/bundle`;

/** What the executable is compiled from, and the configuration that `deno compile` reads. */
export const PROGRAM_FILES = `${DIST}/program`;

/** What the engine has compiled of the scripts that a start needs, by what it was made from. */
export const START_CACHES = `${DIST}/start_caches`;
