/**
 * What is called: models, routes with their switches, and providers.
 *
 * @module
 */

import { listModels } from "../../admin/catalogue/models.ts";
import { listProviders, type ProviderRow } from "../../admin/catalogue/providers.ts";
import { disableRoute, enableRoute, maintainRoute } from "../../admin/catalogue/route_switches.ts";
import { listRoutes, type RouteRow } from "../../admin/catalogue/routes.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { noticeIn } from "../frame/notice.ts";
import { showPage } from "../frame/page.tsx";
import { ActionButton } from "../parts/form.tsx";
import { LinkButton } from "../parts/link.tsx";
import { SwitchedOff } from "../parts/switched_off.tsx";
import { type Column, Pager, State, Table } from "../parts/table.tsx";
import { addAction, type ConsoleApp, given } from "./page_routes.ts";
import { playPath } from "./playground.tsx";
import { settingsPath } from "./piece_kinds.ts";
import { SwitchForms } from "./route_switches.tsx";

export function mountModels(app: ConsoleApp): void {
  app.get("/models", async (context) => {
    const { after } = context.req.query();
    const page = await context.var.admin.call(listModels, given("after", after));
    return showPage(
      context as ConsoleContext,
      { title: "Models", notice: noticeIn(context.req.query("done")) },
      <>
        <Table
          rows={page.data}
          caption="What callers may name"
          none="No models yet: tollgate providers add openai"
          columns={[
            {
              header: "Model",
              value: ({ id }) => (
                <a href={`/console/routes?model=${encodeURIComponent(id)}`}>{id}</a>
              ),
            },
            { header: "Kind", value: ({ kind }) => kind },
            {
              header: "Routes that may serve",
              value: ({ usable_routes: usable, routes }) => (
                <State kind={usable > 0 ? "good" : "bad"}>{`${usable} of ${routes}`}</State>
              ),
            },
            {
              header: "From",
              value: ({ from_price: price, from_price_per: per, currency }) =>
                price === null ? "–" : `${price} ${currency} per ${per?.replaceAll("_", " ")}`,
              kind: "right",
            },
            { header: "Also called", value: ({ aliases }) => aliases.join(", "), kind: "wide" },
            {
              header: "",
              value: ({ id, kind }) => (
                <>
                  <LinkButton context={context} to={settingsPath("model", id)}>
                    Settings
                  </LinkButton>{" "}
                  <Try context={context} kind={kind} id={id} />
                </>
              ),
            },
          ]}
        />
        <Pager path="/console/models" page={page} query={{ after }} />
        <p>
          <LinkButton context={context} to="/console/settings/model">New model</LinkButton>
        </p>
      </>,
    );
  });
}

/** The way to the playground, where it has models of the kind. */
function Try(
  { context, kind, id }: {
    readonly context: ConsoleContext;
    readonly kind: string;
    readonly id: string;
  },
) {
  const path = playPath(kind, id);
  return path === undefined ? null : <LinkButton context={context} to={path}>Try</LinkButton>;
}

export function mountRoutes(app: ConsoleApp): void {
  app.get("/routes", async (context) => {
    const { after, model } = context.req.query();
    const query = { ...given("after", after), ...given("model", model) };
    const page = await context.var.admin.call(listRoutes, query);
    const columns: readonly Column<RouteRow>[] = [
      { header: "Route", value: ({ id }) => <a id={id} href={settingsPath("route", id)}>{id}</a> },
      { header: "Model", value: (route) => route.model },
      { header: "Provider", value: ({ provider }) => provider },
      { header: "State", value: stateOf },
      { header: "Switched off", value: (route) => <SwitchedOff route={route} />, kind: "wide" },
      { header: "", value: (route) => <Switches context={context} route={route} /> },
      { header: "Priority", value: ({ priority }) => priority, kind: "right" },
      { header: "Weight", value: ({ weight }) => weight, kind: "right" },
      {
        header: "Success",
        value: ({ success_rate: rate }) => `${(rate * 100).toFixed(2)} %`,
        kind: "right",
      },
      { header: "At the upstream", value: (route) => route.upstream_model, kind: "wide" },
    ];
    return showPage(
      context as ConsoleContext,
      { title: "Routes", notice: noticeIn(context.req.query("done")) },
      <>
        <Table
          rows={page.data}
          columns={columns}
          caption={model ? `Routes of ${model}` : "Ways to serve each model"}
          none="No routes."
        />
        <Pager path="/console/routes" page={page} query={{ after, model }} />
        <p>
          <LinkButton context={context} to="/console/settings/route">New route</LinkButton>
        </p>
      </>,
    );
  });
  for (
    const [verb, operation, done, more] of [
      ["enable", enableRoute, "enabled", {}],
      ["disable", disableRoute, "disabled", {}],
      ["maintenance", maintainRoute, "changed", { maintenance: true }],
      ["back", maintainRoute, "changed", { maintenance: false }],
    ] as const
  ) {
    addAction(app, {
      path: `/routes/${verb}`,
      operation,
      input: ({ route, reason }) => ({ route, ...more, ...given("reason", reason) }),
      next: ({ model = "" }) => `/routes?model=${encodeURIComponent(model)}`,
      done,
    });
  }
}

function stateOf({ status, cooling_seconds: seconds, missing_keys: missing }: RouteRow) {
  const detail = seconds > 0 ? ` (${seconds} s)` : missing.length > 0 ? ` ${missing}` : "";
  return <State kind={status === "ready" ? "good" : "warn"}>{status + detail}</State>;
}

function Switches(
  { context, route }: { readonly context: ConsoleContext; readonly route: RouteRow },
) {
  const { id, model, enabled, maintenance } = route;
  const button = (verb: string, name: string) => (
    <ActionButton context={context} action={`/console/routes/${verb}`} name={name}>
      <input type="hidden" name="route" value={id} />
      <input type="hidden" name="model" value={model} />
    </ActionButton>
  );
  return (
    <>
      {!enabled && button("enable", "Enable")} {maintenance && button("back", "Back in service")}
      <SwitchForms context={context} route={route} />
    </>
  );
}

export function mountProviders(app: ConsoleApp): void {
  app.get("/providers", async (context) => {
    const page = await context.var.admin.call(listProviders, { limit: 1_000 });
    return showPage(
      context as ConsoleContext,
      { title: "Providers", notice: noticeIn(context.req.query("done")) },
      <>
        <Table
          rows={page.data}
          columns={PROVIDER_COLUMNS}
          caption="Upstream accounts"
          none="No providers yet: tollgate providers add openai"
        />
        <Pager path="/console/providers" page={page} />
        <p>
          <ActionButton context={context} action="/console/providers/tests/run" name="Test all" />
          {" "}
          <LinkButton context={context} to="/console/providers/tests">The last test</LinkButton>
        </p>
        <p>
          <a class="button" href="/console/settings/provider">New provider</a>
        </p>
        <p class="quiet">A test asks each for its list of models, which costs nothing.</p>
      </>,
    );
  });
}

const PROVIDER_COLUMNS: readonly Column<ProviderRow>[] = [
  {
    header: "Provider",
    value: ({ id }) => <a href={settingsPath("provider", id)}>{id}</a>,
  },
  { header: "Kind", value: ({ kind }) => kind },
  { header: "Address", value: ({ base_url: url }) => url ?? "–", kind: "wide" },
  {
    header: "Keys",
    value: ({ key_states: states }) =>
      states.length === 0 ? "–" : states.map(({ key, state, why }) => (
        <div>
          <code>{key}</code>{" "}
          <State kind={state === "ready" ? "good" : "warn"}>{state.replace("_", " ")}</State>
          {why !== null && <div class="quiet">{why}</div>}
        </div>
      )),
    kind: "wide",
  },
  { header: "Routes", value: ({ routes }) => routes, kind: "right" },
];
