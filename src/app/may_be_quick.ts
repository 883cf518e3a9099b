/**
 * Whether calls may take the quick way.
 *
 * @module
 */

import type { GatewayOptions } from "./running_gateway.ts";

/** What browsers are told beside an answer is the general way's. */
export function mayBeQuick(
  { quickCalls, corsOrigins }: Pick<GatewayOptions, "quickCalls" | "corsOrigins">,
): boolean {
  return quickCalls !== "off" && corsOrigins === undefined;
}
