/**
 * Links that sign somebody in at the console, once: whoever may open the control socket gets them.
 *
 * @module
 */

import * as z from "zod";
import { GatewayError } from "../errors.ts";
import { readRights, rightsFields } from "./accounts/tokens.ts";
import { LINK_MS } from "./base/console_links.ts";
import { shownTime, timeToJson } from "./base/fields.ts";
import { defineOperation } from "./base/operation.ts";

/** Where a link of a code leads, below the gateway's address. */
export function linkPath(code: string): string {
  return `/console/enter?code=${code}`;
}

export const linkConsole = defineOperation({
  name: "console.link",
  method: "POST",
  path: "/console/links",
  role: "owner",
  isLocal: true,
  summary: "Make a link that signs its first user in at the console, with a role.",
  input: z.strictObject({
    ...rightsFields,
    role: rightsFields.role.default("owner").describe("whose session it begins (default: owner)"),
  }),
  output: z.object({
    url: z.string().describe("For one sign-in"),
    expires_at: shownTime,
  }),
  errors: ["not_found"],
  async run(deps, asked) {
    const { console, clock } = deps;
    if (console === undefined) {
      throw new GatewayError(
        "not_found",
        "There is no console to sign in at: start the gateway (tollgate serve), with the console on",
      );
    }
    return {
      url: console.baseUrl() + linkPath(await console.links.make(readRights(deps, asked))),
      expires_at: timeToJson(clock.now() + LINK_MS),
    };
  },
});
