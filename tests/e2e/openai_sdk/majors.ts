/**
 * The official clients under test.
 *
 * @module
 */

import * as six from "openai6";
import * as seven from "openai7";
import type { Sdk } from "./scene.ts";

/** Every scenario runs with both. */
export const MAJORS: readonly { readonly name: string; readonly sdk: Sdk }[] = [
  { name: "openai 6", sdk: six as unknown as Sdk },
  { name: "openai 7", sdk: seven },
];
