/**
 * What operators have said of a route that they switched off.
 *
 * @module
 */

import type { RouteRow } from "../../admin/catalogue/routes.ts";
import { Moment } from "./table.tsx";

const WORDS = { disabled: "Disabled", maintenance: "In maintenance" } as const;

/** Each switch with since when and why; nothing where nobody has switched it off. */
export function SwitchedOff({ route }: { readonly route: Pick<RouteRow, "switched_off"> }) {
  return (
    <>
      {(route.switched_off ?? []).map(({ switch: which, reason, since }) => (
        <p class="quiet">
          {`${WORDS[which]} since `}
          <Moment at={since} />
          {reason === null ? "" : `: ${reason}`}
        </p>
      ))}
    </>
  );
}
