/**
 * What operators have said of routes that they switched off, for whoever runs the gateway and never for
 * callers.
 *
 * @module
 */

import type { Route, SwitchesOff } from "./catalogue.ts";

/** A switch, by the reason that a route is refused with while it is off. */
type Switch = keyof SwitchesOff;

const NAMES: Readonly<Record<Switch, string>> = {
  disabled: "disabled",
  maintenance: "in maintenance",
};

/** One switch with what was said of it: `since 2026-01-01T00:00:00.000Z: the words`. */
export function switchWords(
  { switchedOff }: Pick<Route, "switchedOff">,
  which: string,
): string | undefined {
  const said = isSwitch(which) ? switchedOff?.[which] : undefined;
  if (said === undefined) return undefined;
  const since = `since ${new Date(said.since).toISOString()}`;
  return said.reason === null ? since : `${since}: ${said.reason}`;
}

/** All that operators have switched off of a route: `in maintenance since …: the words`. */
export function switchedOffWords(route: Pick<Route, "switchedOff">): readonly string[] {
  return (Object.keys(NAMES) as Switch[]).flatMap((which) => {
    const words = switchWords(route, which);
    return words === undefined ? [] : [`${NAMES[which]} ${words}`];
  });
}

function isSwitch(reason: string): reason is Switch {
  return Object.hasOwn(NAMES, reason);
}
