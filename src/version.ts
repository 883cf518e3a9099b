/**
 * The version number, read from deno.json, its one owner; the bundle embeds it.
 *
 * @module
 */

import config from "../deno.json" with { type: "json" };

/** Version of Tollgate, for example `"0.1.0"`. */
export const VERSION: string = config.version;
