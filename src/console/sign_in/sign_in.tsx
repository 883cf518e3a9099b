/**
 * Signing in and out: by a link that is used once, or by the admin key.
 *
 * @module
 */

import { createHash, timingSafeEqual } from "node:crypto";
import type { Hono, MiddlewareHandler } from "@hono/hono";
import { deleteCookie, getCookie, setCookie } from "@hono/hono/cookie";
import type { ConsoleLinks } from "../../admin/base/console_links.ts";
import type { Clock } from "../../domain/clock.ts";
import { GatewayError } from "../../errors.ts";
import type { ConsoleContext, ConsoleEnv } from "../frame/console_env.ts";
import { readForm } from "../frame/read_form.ts";
import { Attempts } from "./attempts.ts";
import type { Session, Sessions } from "../frame/sessions.ts";
import { EnterPage, SignInPage } from "./sign_in_pages.tsx";

const COOKIE = "tollgate_console";

/** What signing in works with. */
export interface SignInDeps {
  readonly sessions: Sessions;
  readonly links: ConsoleLinks;
  readonly clock: Clock;
  /** `undefined` where none is set: then links alone sign in. */
  readonly adminKey: string | undefined;
  /** Where callers reach the gateway. */
  readonly baseUrl: () => string;
}

/** Adds the pages of who is not signed in. */
export function mountSignIn(app: Hono<ConsoleEnv>, deps: SignInDeps): void {
  const { links, adminKey, clock } = deps;
  const attempts = new Attempts(clock);
  const hasKey = adminKey !== undefined;
  const requireOwnPage = ownPagesAlone(deps);

  function refuse(context: ConsoleContext, status: 401 | 429, text: string) {
    const notice = { kind: "bad", text } as const;
    return context.html(<SignInPage notice={notice} hasKey={hasKey} />, status);
  }

  function enter(context: ConsoleContext, by: Session["by"]): Response {
    const { cookie, session } = deps.sessions.begin(by);
    setCookie(context, COOKIE, cookie, {
      path: "/console",
      httpOnly: true,
      sameSite: "Lax",
      secure: isSecure(deps),
      expires: new Date(session.until),
    });
    return context.redirect("/console", 303);
  }

  app.get("/sign-in", (context) => context.html(<SignInPage hasKey={hasKey} />));

  app.post("/sign-in", requireOwnPage, async (context) => {
    const address = context.env.remoteAddress;
    // Read first: between looking at the failures and counting another, nobody else may come.
    const { admin_key: given = "" } = await readForm(context);
    const seconds = attempts.secondsToWait(address);
    if (seconds > 0) {
      context.header("retry-after", String(seconds));
      return refuse(context, 429, `Too many wrong keys: try again in ${seconds} seconds.`);
    }
    if (adminKey !== undefined && isSameKey(given, adminKey)) return enter(context, "admin_key");
    attempts.noteFailure(address);
    return refuse(context, 401, "This is not the gateway's admin key.");
  });

  app.get("/enter", (context) => {
    const code = context.req.query("code") ?? "";
    return context.html(<EnterPage code={code.slice(0, 100)} />);
  });

  // No guessing finds a code: whoever has one is not kept waiting by those who try keys.
  app.post("/enter", requireOwnPage, async (context) => {
    const { code = "" } = await readForm(context);
    if (links.use(code)) return enter(context, "link");
    return refuse(context, 401, "This link was used, or is older than ten minutes: make another.");
  });
}

/** Lets those through who are signed in, and takes from them what their own pages send alone. */
export function requireSession(deps: SignInDeps): MiddlewareHandler<ConsoleEnv> {
  const { sessions } = deps;
  return async function requireSession(context, next) {
    const session = sessions.read(getCookie(context, COOKIE));
    if (session === undefined) return context.redirect("/console/sign-in", 303);
    if (context.req.method === "POST") {
      requireSameOrigin(context, deps);
      // A script's request is no form: its body is for whoever serves it.
      const isScript = isJson(context);
      const form = isScript ? {} : await readForm(context);
      context.set("form", form);
      const token = isScript ? context.req.header("x-form-token") : form.form_token;
      if (!sessions.isOwnForm(session, token)) {
        throw new GatewayError(
          "invalid_value",
          "This form is of another session: go back, reload the page and send it again",
        );
      }
    }
    context.set("session", session);
    context.set("formToken", sessions.formToken(session));
    return await next();
  };
}

function isJson({ req }: ConsoleContext): boolean {
  return /^application\/json\b/i.test(req.header("content-type") ?? "");
}

/** Ends the session of a request that has passed {@linkcode requireSession}. */
export function signOut(context: ConsoleContext, { sessions }: SignInDeps): Response {
  sessions.end(context.var.session);
  deleteCookie(context, COOKIE, { path: "/console" });
  return context.redirect("/console/sign-in", 303);
}

function ownPagesAlone(deps: SignInDeps): MiddlewareHandler<ConsoleEnv> {
  return async function requireOwnPage(context, next) {
    requireSameOrigin(context, deps);
    await next();
  };
}

/**
 * Browsers say which page sends a form: by `Sec-Fetch-Site` where they reach the gateway by TLS or on
 * their own machine, elsewhere by `Origin`. A proxy may have put another `Host` in.
 */
function requireSameOrigin({ req }: ConsoleContext, { baseUrl }: SignInDeps): void {
  const site = req.header("sec-fetch-site");
  if (site === "same-origin" || site === "none") return;
  const origin = req.header("origin");
  if (site === undefined) {
    const host = origin && hostOf(origin);
    if (origin === undefined || host === req.header("host") || host === hostOf(baseUrl())) return;
  }
  throw new GatewayError(
    "invalid_value",
    `The console takes forms of its own pages alone, and this one is of ${
      origin?.slice(0, 200) ?? "another site"
    }: if that is how you reach the console, start the gateway with it as --base-url`,
  );
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/** Where browsers reach the gateway by TLS, their cookie goes nowhere else. */
function isSecure({ baseUrl }: SignInDeps): boolean {
  return baseUrl().startsWith("https:");
}

function isSameKey(one: string, other: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}
