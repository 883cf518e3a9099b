/**
 * The playground: calls of every kind, made as a key of a project, with their route and price. The key
 * itself goes to no browser: a page names it by its id, and the gateway serves the page's request as
 * that key's, with its limits, budgets and models. Each call is tagged with who made it.
 *
 * @module
 */

import type { Child } from "@hono/hono/jsx";
import { type KeyRow, listKeys, showKey } from "../../admin/accounts/keys.ts";
import { listModels, type ModelRow } from "../../admin/catalogue/models.ts";
import { mayRun } from "../../admin/base/run_operation.ts";
import { GatewayError } from "../../errors.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { showPage } from "../frame/page.tsx";
import { SECURITY_HEADERS } from "../frame/security_headers.ts";
import { Field } from "../parts/form.tsx";
import { type ConsoleApp, given } from "./page_routes.ts";

/** What can be tried: the address of its page, its path in the API, and which models do it. */
const KINDS = [
  { name: "chat", label: "Chat", path: "chat/completions", kind: "chat" },
  { name: "embeddings", label: "Embeddings", path: "embeddings", kind: "embedding" },
  { name: "images", label: "Images", path: "images/generations", kind: "image" },
  { name: "videos", label: "Videos", path: "videos", kind: "video" },
] as const;

type Kind = typeof KINDS[number];

/** The page that tries a model; `undefined` where there is none for its kind. */
export function playPath(kind: string, model: string): string | undefined {
  const found = KINDS.find((one) => one.kind === kind);
  return found && `/console/playground?${new URLSearchParams({ do: found.name, model })}`;
}

/** Keys that the page offers; of more, a project is named first. */
const MOST_KEYS = 200;
const MOST_MODELS = 1_000;

export function mountPlayground(app: ConsoleApp): void {
  app.get("/playground", async (context) => {
    const { do: asked = "chat", project, model } = context.req.query();
    const kind = KINDS.find(({ name }) => name === asked) ?? KINDS[0];
    const { admin } = context.var;
    const [keys, models] = await Promise.all([
      admin.call(listKeys, { ...given("project", project), limit: MOST_KEYS }),
      modelsOf(context as ConsoleContext, kind),
    ]);
    const usable = keys.data.filter(({ disabled, expired }) => !disabled && !expired);
    return showPage(
      context as ConsoleContext,
      { title: "Playground", scripts: ["playground.js"] },
      <>
        <nav class="tabs" aria-label="What to try">
          {KINDS.map(({ name, label }) => (
            <a
              class="button"
              href={`/console/playground?${new URLSearchParams({
                do: name,
                ...given("project", project),
              })}`}
              aria-current={name === kind.name ? "page" : undefined}
            >
              {label}
            </a>
          ))}
        </nav>
        <p class="quiet">
          A call is one of the key's own: its limits and budgets hold, its project pays, and its
          tags say who made it here. The key itself stays in the gateway.
        </p>
        <noscript>
          <p class="notice warn">Calls are made by a script of this page, which is switched off.</p>
        </noscript>
        {keys.has_more && <ProjectForm kind={kind} project={project} />}
        {usable.length === 0
          ? (
            <p class="sheet">
              No key that may be used{project && ` of project ${project}`}:{" "}
              <a href="/console/keys">make one</a>.
            </p>
          )
          : (
            <PlayForm
              context={context as ConsoleContext}
              kind={kind}
              keys={usable}
              models={models}
              model={model}
            />
          )}
        <p id="play-status" role="status" />
        <div id="answers" class="answers" />
        <section id="snippets" hidden>
          <h2>The same elsewhere</h2>
          <p class="quiet">The key is read from the environment, as TOLLGATE_API_KEY.</p>
          <pre id="snippet" tabindex={0} />
          <button type="button" data-copy="snippet">Copy</button>
        </section>
      </>,
    );
  });

  app.post("/play/v1/:path{.+}", (context) => play(context as ConsoleContext));
}

/**
 * Serves the page's request as a call of the key that it names.
 *
 * @throws {GatewayError} Where whoever is signed in may not spend that project's money.
 */
async function play(context: ConsoleContext): Promise<Response> {
  const { req, env: { api }, var: { admin, origin } } = context;
  if (origin.rights.role === "viewer") {
    throw new GatewayError(
      "role_not_allowed",
      "A viewer spends no project's money: ask an owner for another role",
    );
  }
  const { id } = await admin.call(showKey, { key_id: req.header("x-play-key") || "none" });
  return await api.call({
    keyId: id,
    path: `/v1/${req.param("path")}`,
    tags: { source: "console", operator: origin.actor.user?.slice(0, 128) ?? "console" },
    headers: SECURITY_HEADERS,
  });
}

/** Names to choose from; whoever may not list them writes one. */
async function modelsOf(
  { var: { admin, origin } }: ConsoleContext,
  { kind }: Kind,
): Promise<readonly ModelRow[]> {
  if (!mayRun(listModels, origin.rights)) return [];
  const { data } = await admin.call(listModels, { limit: MOST_MODELS });
  return data.filter((model) => model.kind === kind);
}

function ProjectForm(
  { kind, project }: { readonly kind: Kind; readonly project?: string | undefined },
) {
  return (
    <form method="get" action="/console/playground" class="fields sheet">
      <input type="hidden" name="do" value={kind.name} />
      <Field name="project" label="Project, of which the keys are shown" value={project ?? ""} />
      <button type="submit">Show its keys</button>
    </form>
  );
}

function PlayForm({ context, kind, keys, models, model }: {
  readonly context: ConsoleContext;
  readonly kind: Kind;
  readonly keys: readonly KeyRow[];
  readonly models: readonly ModelRow[];
  readonly model: string | undefined;
}) {
  return (
    <form class="sheet play" data-play={kind.path}>
      <input type="hidden" name="form_token" value={context.var.formToken} />
      <div class="grid">
        <label>
          As a call of
          <select name="key">
            {keys.map(({ id, project, name, prefix }) => (
              <option value={id}>{`${project}: ${name || `${prefix}…`}`}</option>
            ))}
          </select>
        </label>
        <Field
          name="model"
          label="Model"
          required={kind.name !== "videos"}
          value={model ?? models[0]?.id ?? ""}
          list="models"
        />
        <datalist id="models">{models.map(({ id }) => <option value={id} />)}</datalist>
      </div>
      <Asked kind={kind} />
      <details>
        <summary>Routing, and a second route to compare with</summary>
        <div class="grid">
          <Field name="provider" label="Only this provider" />
          <Field name="route" label="Exactly this route" />
          {kind.name !== "videos" && (
            <>
              <Field name="models" label="Models to fall back on, in their order" />
              <Field name="other_route" label="Compare with route" />
            </>
          )}
        </div>
      </details>
      <p class="actions">
        <button type="submit" class="main">Run</button>{" "}
        <button type="button" data-stop disabled>Stop</button>{" "}
        <button type="button" data-snippet="curl">As curl</button>{" "}
        <button type="button" data-snippet="python">As Python</button>{" "}
        <button type="button" data-snippet="typescript">As TypeScript</button>
      </p>
    </form>
  );
}

function Asked({ kind }: { readonly kind: Kind }) {
  switch (kind.name) {
    case "chat":
      return (
        <>
          <Text name="system" label="System" rows={2} />
          <section id="turns" class="turns" hidden>
            <h2>So far</h2>
            <ol />
            <div data-results />
            <p class="actions">
              <button type="button" data-anew>Begin anew</button> <span class="quiet" data-sum />
            </p>
          </section>
          <Text name="prompt" label="Prompt" rows={5} required />
          <div class="grid">
            <Field name="temperature" label="Temperature" placeholder="the model's own" />
            <Field name="max_tokens" label="Most tokens" placeholder="the model's own" />
            <label>
              Images
              <input
                type="file"
                name="images"
                accept="image/png,image/jpeg,image/webp,image/gif"
                multiple
              />
            </label>
            <label class="check">
              <input type="checkbox" name="stream" checked />
              Streamed
            </label>
          </div>
          <p class="wrong" role="alert" data-pictures-wrong hidden />
          <ul class="pictures" aria-label="Images that go along" data-pictures hidden />
          <details>
            <summary>Tools</summary>
            <Text name="tools" label="A list of tools, as JSON" rows={6} isCode />
          </details>
        </>
      );
    case "embeddings":
      return <Text name="input" label="Texts, one in each line" rows={5} required />;
    case "images":
      return (
        <>
          <Text name="prompt" label="Prompt" rows={3} required />
          <div class="grid">
            <Field name="size" label="Size" placeholder="1024x1024" />
            <Field name="n" label="Images" placeholder="1" />
          </div>
        </>
      );
    case "videos":
      return (
        <>
          <Text name="prompt" label="Prompt" rows={3} required />
          <div class="grid">
            <Field name="size" label="Size" placeholder="the route's first" />
            <Field name="seconds" label="Seconds" placeholder="the route's first" />
          </div>
        </>
      );
  }
}

function Text({ name, label, rows, required = false, isCode = false }: {
  readonly name: string;
  readonly label: Child;
  readonly rows: number;
  readonly required?: boolean;
  readonly isCode?: boolean;
}) {
  return (
    <label>
      {label}
      <textarea name={name} rows={rows} required={required} class={isCode ? "code" : undefined} />
    </label>
  );
}
