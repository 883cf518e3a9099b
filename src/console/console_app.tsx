/**
 * The console at `/console`: pages for operators, made of the same operations as the commands. Who may
 * come in is decided here; what a page does, its operations check.
 *
 * @module
 */

import { Hono } from "@hono/hono";
import { createLocalClient } from "../admin/base/client.ts";
import type { AdminDeps } from "../admin/base/deps.ts";
import type { ConsoleLinks } from "../admin/base/console_links.ts";
import { startJob } from "../admin/jobs/start_job.ts";
import { SignInLog } from "../admin/sign_ins.ts";
import type { OidcSettings } from "../domain/oidc.ts";
import { GatewayError } from "../errors.ts";
import { requireDoor } from "./frame/doors.ts";
import { mountAssets } from "./frame/console_assets.ts";
import type { ConsoleBindings, ConsoleContext, ConsoleEnv } from "./frame/console_env.ts";
import { Document, NoticeBox, showPage } from "./frame/page.tsx";
import { showRefusal } from "./frame/refusal_page.tsx";
import { showAgain } from "./frame/show_again.ts";
import { SealedTexts } from "./frame/sealed_text.ts";
import { jsonRefusal, wantsJson } from "./frame/script_request.ts";
import { securityHeaders } from "./frame/security_headers.ts";
import { mountAudit } from "./pages/books.tsx";
import { mountLedger } from "./pages/ledger.tsx";
import { mountBackups } from "./pages/backups.tsx";
import { mountCalls } from "./pages/calls.tsx";
import { mountModels, mountProviders, mountRoutes } from "./pages/catalogue.tsx";
import { mountKey } from "./pages/key.tsx";
import { mountKeys } from "./pages/keys.tsx";
import { mountListExports } from "./pages/list_export.ts";
import { mountReportExports } from "./pages/report_exports.ts";
import { mountOverview } from "./pages/overview.tsx";
import { mountPlayground } from "./pages/playground.tsx";
import { mountProviderTests } from "./pages/provider_tests.tsx";
import { mountDoctor, mountSystem } from "./pages/process.tsx";
import { mountProjects } from "./pages/projects.tsx";
import { mountReference } from "./pages/reference.ts";
import { mountBatch } from "./pages/batch.tsx";
import { mountSettings } from "./pages/settings.tsx";
import { mountVideo } from "./pages/video.tsx";
import { mountBatches, mountVideos } from "./pages/work.tsx";
import { type EndedSessions, Sessions } from "./frame/sessions.ts";
import { BegunSignIns } from "./sign_in/begun_sign_ins.ts";
import { IdentityProvider, type IdentityProviderDeps } from "./sign_in/identity_provider.ts";
import { mountSignIn, requireSession, type SignInDeps } from "./sign_in/sign_in.tsx";

/** What the console works with. */
export interface ConsoleDeps
  extends Omit<SignInDeps, "sessions" | "clock" | "links" | "log" | "oidc"> {
  readonly admin: AdminDeps;
  readonly links: ConsoleLinks;
  /** Of the data dir: what sessions are signed by is made of it. */
  readonly secret: Uint8Array;
  readonly ended: EndedSessions;
  /** With another one, sessions that began by it end; `undefined` where none is set. */
  readonly adminKey: string | undefined;
  /** Whose people may sign in besides; absent for nobody. */
  readonly oidc?: Omit<IdentityProviderDeps, "clock"> & { readonly settings: OidcSettings };
}

/** Answers requests at `/console`. */
export function createConsole(
  { admin, secret, ended, adminKey, oidc, ...rest }: ConsoleDeps,
): (request: Request, env: ConsoleBindings) => Response | Promise<Response> {
  const { clock } = admin;
  const believed = oidc && JSON.stringify(oidc.settings);
  const sessions = new Sessions({ secret, clock, adminKey, oidc: believed, ended });
  const signIn: SignInDeps = {
    ...rest,
    sessions,
    clock,
    log: new SignInLog(admin),
    oidc: oidc && {
      provider: new IdentityProvider(oidc.settings, { ...oidc, clock }),
      begun: new BegunSignIns(secret, clock),
      hasProject: (id) => admin.directory.project(id) !== undefined,
    },
  };
  const app: Hono<ConsoleEnv> = new Hono<ConsoleEnv>().basePath("/console");
  app.use(securityHeaders());
  mountAssets(app);
  mountSignIn(app, signIn);
  app.use(requireSession(signIn));
  app.use(async function actAsSession(context, next) {
    const { rights, user } = context.var;
    const { identity: { requestId }, remoteAddress } = context.env;
    const actor = { channel: "console", user, address: remoteAddress } as const;
    const origin = { actor, rights, requestId };
    context.set("origin", origin);
    context.set("admin", createLocalClient(admin, origin));
    context.set("begin", (operation, input) => startJob(operation, { deps: admin, input, origin }));
    await next();
  });
  app.use(requireDoor(admin));
  mountOverview(app, () => clock.now());
  mountCalls(app);
  mountProjects(app);
  mountKeys(app);
  mountKey(app);
  mountModels(app);
  mountRoutes(app);
  mountProviders(app);
  mountProviderTests(app);
  mountVideos(app);
  mountVideo(app);
  mountBatches(app);
  mountBatch(app);
  const texts = new SealedTexts(secret);
  mountSettings(app, { now: () => clock.now(), owner: admin.catalogueOwner, texts });
  mountPlayground(app);
  mountLedger(app);
  mountBackups(app);
  mountAudit(app);
  mountListExports(app);
  mountReportExports(app);
  mountDoctor(app);
  mountSystem(app);
  mountReference(app);
  app.get("*", async (context, next) => {
    const { pathname, search } = new URL(context.req.url);
    if (!pathname.endsWith("/")) return await next();
    return context.redirect(pathname.replace(/\/+$/, "") + search, 303);
  });
  app.all("*", (context) =>
    showPage(
      context,
      { title: "Nothing here", status: 404 },
      <p>There is no such page: the menu has all of them.</p>,
    ));
  app.onError(async (error, context) => {
    if (!(error instanceof GatewayError)) throw error;
    if (wantsJson(context as ConsoleContext)) return jsonRefusal(context as ConsoleContext, error);
    const notice = { kind: "bad", text: error.message } as const;
    const { status } = error.row;
    if (context.var.session === undefined) {
      return context.html(
        <Document title="Refused">
          <main class="entry">
            <h1>Refused</h1>
            <NoticeBox {...notice} />
          </main>
        </Document>,
        status as 400,
      );
    }
    return await showAgain(app, context, error) ?? showRefusal(context, error);
  });
  return (request, env) => app.fetch(request, env);
}
