/**
 * Pieces of the catalogue as YAML: a provider, a model with its routes, a route. A change is shown as
 * what differs before it is made, and is made of the version that it was compared with alone.
 *
 * @module
 */

import type { showModel } from "../../admin/catalogue/models.ts";
import { writeYaml } from "../../documents/write_yaml.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { noticeIn, saying } from "../frame/notice.ts";
import type { SealedTexts } from "../frame/sealed_text.ts";
import { ActionButton } from "../parts/form.tsx";
import type { ConsoleApp } from "./page_routes.ts";
import { showConflict, showDifference, showRemoval } from "./piece_difference.tsx";
import { showEditor } from "./piece_editor.tsx";
import { type PieceKind, PIECES, settingsPath } from "./piece_kinds.ts";
import { routeHealth } from "./route_health.tsx";
import { change, kindIn, NO_VERSION, remove, unlessOutdated, writtenIn } from "./written_piece.ts";

const EXAMPLES: Readonly<Record<PieceKind, string>> = {
  provider:
    "kind: openai_compatible\nbase_url: https://api.example.com/v1\napi_key: env:EXAMPLE_API_KEY\n",
  model:
    'kind: chat\nroutes:\n  - id: example/small\n    provider: example\n    upstream_model: small\n    cost: { input: "0.25", output: "2.00" }\n    sale: { markup: "1.10" }\n',
  route: "",
};

/** What the pages of pieces need. */
export interface SettingsDeps {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The file that owns the catalogue; `undefined` where none does. */
  readonly owner: string | undefined;
  /** Seals what a page carries to its next form. */
  readonly texts: SealedTexts;
}

export function mountSettings(app: ConsoleApp, { now, owner, texts }: SettingsDeps): void {
  app.get("/settings/:kind", (context) => {
    const kind = kindIn(context as ConsoleContext);
    return showEditor(context as ConsoleContext, {
      written: { kind, id: "", yaml: EXAMPLES[kind], version: NO_VERSION },
      ownedBy: owner ?? null,
      texts,
    });
  });

  app.get("/settings/:kind/:id", async (context) => {
    const kind = kindIn(context as ConsoleContext);
    const id = context.req.param("id");
    const piece = await context.var.admin.call(PIECES[kind].show as typeof showModel, { id });
    return showEditor(context as ConsoleContext, {
      written: {
        kind,
        id: piece.id,
        yaml: writeYaml(withoutId(piece.settings)),
        version: piece.version,
      },
      ownedBy: piece.owned_by ?? null,
      texts,
      notice: noticeIn(context.req.query("done")),
      health: kind === "route"
        ? await routeHealth(context as ConsoleContext, { id: piece.id, at: now() })
        : kind === "provider"
        ? <ProviderTest context={context as ConsoleContext} id={piece.id} />
        : undefined,
    });
  });

  app.post("/settings/:kind/difference", async (plain) => {
    const context = plain as ConsoleContext;
    const written = writtenIn(context, texts);
    const answer = await unlessOutdated(change(context, written, true));
    return answer === undefined
      ? await showConflict(context, written, texts)
      : showDifference(context, { written, answer, texts });
  });

  app.post("/settings/:kind/apply", async (plain) => {
    const context = plain as ConsoleContext;
    const written = writtenIn(context, texts);
    const answer = await unlessOutdated(change(context, written, false));
    return answer === undefined
      ? await showConflict(context, written, texts)
      : context.redirect(saying(settingsPath(written.kind, written.id), "changed"), 303);
  });

  app.post("/settings/:kind/removal", async (plain) => {
    const context = plain as ConsoleContext;
    const written = writtenIn(context, texts);
    return showRemoval(context, written, await remove(context, written, true));
  });

  app.post("/settings/:kind/delete", async (plain) => {
    const context = plain as ConsoleContext;
    const written = writtenIn(context, texts);
    await remove(context, written, false);
    return context.redirect(saying(`/console/${written.kind}s`, "deleted"), 303);
  });
}

function ProviderTest(
  { context, id }: { readonly context: ConsoleContext; readonly id: string },
) {
  return (
    <p>
      <ActionButton context={context} action="/console/providers/tests/run" name="Test it">
        <input type="hidden" name="provider" value={id} />
      </ActionButton>
    </p>
  );
}

function withoutId(settings: Record<string, unknown>): object {
  const { id: _id, ...rest } = settings;
  return rest;
}
