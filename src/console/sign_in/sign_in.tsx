/**
 * Signing in and out: by a link that is used once, by the admin key, by a token of administration, or
 * by OpenID Connect.
 *
 * @module
 */

import type { Hono, MiddlewareHandler } from "@hono/hono";
import { deleteCookie, getCookie, setCookie } from "@hono/hono/cookie";
import { type AdminAccess, type Admitted, userOf } from "../../admin/base/access.ts";
import type { ConsoleLinks } from "../../admin/base/console_links.ts";
import type { SignInLog } from "../../admin/sign_ins.ts";
import type { Clock } from "../../domain/clock.ts";
import { GatewayError } from "../../errors.ts";
import type { ConsoleContext, ConsoleEnv } from "../frame/console_env.ts";
import { readForm } from "../frame/read_form.ts";
import { sendsJson } from "../frame/script_request.ts";
import { Attempts } from "./attempts.ts";
import { mountOidc, type OidcSignIn } from "./oidc_sign_in.tsx";
import { pageAsked, signInFor } from "./page_asked.ts";
import { rightsOf, type Session, type Sessions } from "../frame/sessions.ts";
import { EnterPage, SignInPage } from "./sign_in_pages.tsx";

const COOKIE = "tollgate_console";

/** What signing in works with. */
export interface SignInDeps {
  readonly sessions: Sessions;
  readonly links: ConsoleLinks;
  readonly clock: Clock;
  /** The admin key and tokens of administration: where there is neither, links alone sign in. */
  readonly access: AdminAccess;
  readonly log: SignInLog;
  /** Absent where nobody signs in that way. */
  readonly oidc?: OidcSignIn | undefined;
  /** Where callers reach the gateway. */
  readonly baseUrl: () => string;
}

/** Adds the pages of who is not signed in. */
export function mountSignIn(app: Hono<ConsoleEnv>, deps: SignInDeps): void {
  const { links, access, clock, log, oidc } = deps;
  const issuer = oidc?.provider.host;
  const attempts = new Attempts(clock);
  const requireOwnPage = ownPagesAlone(deps);

  function about({ env }: ConsoleContext, user: string | undefined) {
    const { identity: { requestId }, remoteAddress: address } = env;
    return { actor: { channel: "console", user, address }, requestId } as const;
  }

  async function refuse(
    context: ConsoleContext,
    { status, text, cause, user }: {
      readonly status: 401 | 403 | 429 | 502 | 503;
      readonly text: string;
      readonly cause: "key" | "token" | "link" | "oidc" | "too_many";
      readonly user?: string | undefined;
    },
  ) {
    await log.refused({ ...about(context, user), id: cause, after: { refused: text } });
    const notice = { kind: "bad", text } as const;
    return context.html(
      <SignInPage notice={notice} hasKey={access.isOpen} issuer={issuer} />,
      status,
    );
  }

  async function enter(
    context: ConsoleContext,
    by: Session["by"],
    { rights, token, user, next }: Pick<Admitted, "rights" | "token" | "user"> & {
      readonly next?: string;
    },
  ): Promise<Response> {
    const person = by === "oidc" ? user : undefined;
    const { cookie, session } = deps.sessions.begin(by, { rights, token, person });
    const { id, until } = session;
    await log.signedIn({
      ...about(context, user),
      id,
      after: { by, ...rights, until: new Date(until).toISOString() },
    });
    setCookie(context, COOKIE, cookie, {
      path: "/console",
      httpOnly: true,
      sameSite: "Lax",
      secure: isSecure(deps),
      expires: new Date(until),
    });
    return context.redirect(pageAsked(next), 303);
  }

  if (oidc !== undefined) {
    const { baseUrl } = deps;
    mountOidc(app, oidc, { attempts, baseUrl, isSecure: () => isSecure(deps), enter, refuse });
  }

  app.get("/sign-in", (context) => {
    const next = pageAsked(context.req.query("next"));
    return context.html(<SignInPage hasKey={access.isOpen} issuer={issuer} next={next} />);
  });

  app.post("/sign-in", requireOwnPage, async (context) => {
    const address = context.env.remoteAddress;
    // Read first: between looking at the failures and counting another, nobody else may come.
    const { admin_key: given = "", next = "" } = await readForm(context);
    const seconds = attempts.secondsToWait(address);
    if (seconds > 0) {
      context.header("retry-after", String(seconds));
      const text = `Too many wrong keys: try again in ${seconds} seconds.`;
      return refuse(context, { status: 429, text, cause: "too_many" });
    }
    const admission = access.admit(given);
    if (admission.kind === "admitted") {
      const by = admission.token === undefined ? "admin_key" : "token";
      return enter(context, by, { ...admission, next });
    }
    attempts.noteFailure(address);
    const { because, token } = admission;
    return refuse(context, {
      status: 401,
      text: `${because}.`,
      cause: token === undefined ? "key" : "token",
      user: token && userOf(token),
    });
  });

  app.get("/enter", (context) => {
    const code = context.req.query("code") ?? "";
    return context.html(<EnterPage code={code.slice(0, 100)} />);
  });

  // No guessing finds a code: whoever has one is not kept waiting by those who try keys.
  app.post("/enter", requireOwnPage, async (context) => {
    const { code = "" } = await readForm(context);
    const rights = await links.use(code);
    if (rights === "busy") {
      context.header("retry-after", "1");
      const text = "Too many links are used at this moment: go back, and try again in a second.";
      return refuse(context, { status: 429, text, cause: "too_many" });
    }
    if (rights !== undefined) {
      return enter(context, "link", { rights, user: `${rights.role} by link` });
    }
    const text = "This link was used, or is older than ten minutes: make another.";
    return refuse(context, { status: 401, text, cause: "link" });
  });

  app.post("/leave", requireOwnPage, (context) => signOut(context, deps));
}

/** Who is behind a session now; `undefined` where its token has ended. */
function whoIs(
  session: Session,
  { access }: SignInDeps,
): Pick<Admitted, "rights" | "user"> | undefined {
  if (session.by === "token") {
    const admission = access.admitTokenById(session.token ?? "");
    return admission.kind === "admitted" ? admission : undefined;
  }
  const rights = rightsOf(session);
  if (session.by === "oidc") return { rights, user: session.person ?? "oidc" };
  const way = session.by === "link" ? "link" : "admin key";
  return { rights, user: `${rights.role} by ${way}` };
}

/** Lets those through who are signed in, and takes from them what their own pages send alone. */
export function requireSession(deps: SignInDeps): MiddlewareHandler<ConsoleEnv> {
  const { sessions } = deps;
  return async function requireSession(context, next) {
    const session = await sessions.read(getCookie(context, COOKIE));
    const who = session && whoIs(session, deps);
    if (session === undefined || who === undefined) {
      return context.redirect(signInFor(context), 303);
    }
    if (context.req.method === "POST") {
      requireSameOrigin(context, deps);
      // A script's request is no form: its body is for whoever serves it.
      const isScript = sendsJson(context);
      const form = isScript ? {} : await readForm(context);
      context.set("form", form);
      const token = isScript ? context.req.header("x-form-token") : form.form_token;
      requireOwnForm(session, token, deps);
    }
    context.set("session", session);
    context.set("rights", who.rights);
    context.set("user", who.user);
    context.set("formToken", sessions.formToken(session));
    return await next();
  };
}

/**
 * Ends the session of a form's cookie. Nobody is asked whether it has ended already: a browser is signed
 * out also where nobody can tell, or keep it.
 */
async function signOut(context: ConsoleContext, deps: SignInDeps): Promise<Response> {
  const { sessions } = deps;
  const session = sessions.readBegun(getCookie(context, COOKIE));
  if (session !== undefined) {
    requireOwnForm(session, (await readForm(context)).form_token, deps);
    // First: whatever is answered then has it.
    deleteCookie(context, COOKIE, { path: "/console" });
    try {
      await sessions.end(session);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      const until = new Date(session.until).toISOString();
      const message =
        `${error.message}. You are signed out in this browser, but the session itself may ` +
        `go on: whoever has a copy of its cookie is signed in until ${until}`;
      throw new GatewayError(error.error, message, { cause: error });
    }
  }
  return context.redirect("/console/sign-in", 303);
}

/** @throws {GatewayError} `invalid_value` where a form is not the session's own. */
function requireOwnForm(session: Session, token: unknown, { sessions }: SignInDeps): void {
  if (sessions.isOwnForm(session, token)) return;
  throw new GatewayError(
    "invalid_value",
    "This form is of another session: go back, reload the page and send it again",
  );
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
