/**
 * A toy: an upstream that talks in lines, to see what a kind takes.
 *
 * @module
 */

import type { ProviderKind } from "../kind.ts";
import { checkAddress, checkAuth, UPSTREAM_SETTINGS } from "../upstream/settings.ts";
import { createToyLines, OWN_SETTINGS } from "./provider.ts";

/** See the module's text. */
export const toyLines: ProviderKind = {
  name: "toy_lines",
  about: "a toy upstream that talks in lines",
  serves: ["chat"],
  settings: { ...UPSTREAM_SETTINGS, ...OWN_SETTINGS },
  keyAuth: { kind: "header", name: "x-toy-key" },
  check(provider, path, report) {
    checkAddress(provider, path, report);
    checkAuth(provider, path, report);
  },
  create: createToyLines,
};
