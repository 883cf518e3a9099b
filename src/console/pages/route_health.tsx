/**
 * How a route does, on its page: its state, its switches, and the last calls that failed on it.
 *
 * @module
 */

import type { Child } from "@hono/hono/jsx";
import { showRoute } from "../../admin/catalogue/routes.ts";
import { listCalls } from "../../admin/list_calls.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { Link } from "../parts/link.tsx";
import { SwitchedOff } from "../parts/switched_off.tsx";
import { Facts, Moment, State, Table } from "../parts/table.tsx";
import { settingsPath } from "./piece_kinds.ts";
import { SwitchForms } from "./route_switches.tsx";

/** Calls that failed on a route, of which the last are shown. */
const LAST_FAILED = 5;

/** @param at Now, milliseconds since the epoch. */
export async function routeHealth(
  context: ConsoleContext,
  { id, at }: { readonly id: string; readonly at: number },
): Promise<Child> {
  const { admin } = context.var;
  const [route, failed] = await Promise.all([
    admin.call(showRoute, { id }),
    admin.call(listCalls, { route: id, status: "failed", limit: LAST_FAILED }),
  ]);
  const { status, cooling_seconds: seconds, success_rate: rate } = route;
  const until = new Date(at + seconds * 1_000).toISOString();
  return (
    <>
      <Facts
        facts={[
          ["State", <State kind={status === "ready" ? "good" : "warn"}>{status}</State>],
          ["Cools down until", seconds > 0 ? <Moment at={until} /> : null],
          ["For", route.cooling_for.join(", ")],
          ["Keys without a value", route.missing_keys.join(", ")],
          ["Success lately", `${(rate * 100).toFixed(2)} %`],
          ["Model", <a href={settingsPath("model", route.model)}>{route.model}</a>],
          [
            "Provider",
            <Link context={context} to={settingsPath("provider", route.provider)}>
              {route.provider}
            </Link>,
          ],
          [
            "Switches",
            <a href={`/console/routes?model=${encodeURIComponent(route.model)}`}>
              {route.enabled ? route.maintenance ? "in maintenance" : "enabled" : "disabled"}
            </a>,
          ],
        ]}
      />
      <SwitchedOff route={route} />
      <SwitchForms context={context} route={route} />
      <Table
        rows={failed.data}
        caption="The last calls that failed on it"
        none="No call that is kept has failed on it."
        columns={[
          { header: "When", value: ({ opened_at: when }) => <Moment at={when} /> },
          {
            header: "Request",
            value: ({ request_id: request }) => (
              <a href={`/console/calls/${encodeURIComponent(request)}`}>{request}</a>
            ),
          },
          { header: "Error", value: ({ error_code: code }) => code ?? "–" },
          {
            header: "It said",
            value: ({ failed_attempts: attempts = [] }) =>
              attempts.filter((one) => one.route === id).at(-1)?.message ?? "–",
            kind: "wide",
          },
        ]}
      />
      <h2>Settings</h2>
    </>
  );
}
