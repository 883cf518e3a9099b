/**
 * Signing in by OpenID Connect: to the issuer, and back with a code that tells who it is.
 *
 * @module
 */

import type { Hono } from "@hono/hono";
import { deleteCookie, getCookie, setCookie } from "@hono/hono/cookie";
import { OIDC_CALLBACK } from "../../domain/oidc.ts";
import type { Rights } from "../../domain/roles.ts";
import type { ConsoleContext, ConsoleEnv } from "../frame/console_env.ts";
import type { Attempts } from "./attempts.ts";
import type { BegunSignIns } from "./begun_sign_ins.ts";
import type { IdentityProvider, Person } from "./identity_provider.ts";
import { OidcFault, shortened } from "./oidc_fault.ts";
import { pageAsked } from "./page_asked.ts";
import { roleOfClaims } from "./role_of_claims.ts";

const COOKIE = "tollgate_oidc";
const PATH = "/console/oidc";
const MOST_NAME = 100;

/** What signing in that way works with. */
export interface OidcSignIn {
  readonly provider: IdentityProvider;
  readonly begun: BegunSignIns;
  /** Whether there is a project of this id. */
  readonly hasProject: (id: string) => boolean;
}

/** What it shares with the other ways. */
interface Shared {
  readonly attempts: Attempts;
  readonly baseUrl: () => string;
  readonly isSecure: () => boolean;
  enter(
    context: ConsoleContext,
    by: "oidc",
    who: { readonly rights: Rights; readonly user: string; readonly next: string },
  ): Promise<Response>;
  refuse(context: ConsoleContext, refusal: {
    readonly status: 401 | 403 | 429 | 502 | 503;
    readonly text: string;
    readonly cause: "oidc";
    readonly user?: string | undefined;
  }): Promise<Response>;
}

export function mountOidc(
  app: Hono<ConsoleEnv>,
  { provider, begun, hasProject }: OidcSignIn,
  { attempts, baseUrl, isSecure, enter, refuse }: Shared,
): void {
  const redirectUri = () => baseUrl() + OIDC_CALLBACK;

  async function orRefuse(
    context: ConsoleContext,
    work: () => Promise<Response>,
  ): Promise<Response> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof OidcFault)) throw error;
      const { status, message } = error;
      return await refuse(context, { status, text: `${message}.`, cause: "oidc" });
    }
  }

  app.get("/oidc", (context) =>
    orRefuse(context, async () => {
      const { cookie, until, ...sign } = begun.begin(pageAsked(context.req.query("next")));
      const address = await provider.address(sign, redirectUri());
      // Lax: the issuer's page leads back, and the browser has to send it then.
      setCookie(context, COOKIE, cookie, {
        path: PATH,
        httpOnly: true,
        sameSite: "Lax",
        secure: isSecure(),
        expires: new Date(until),
      });
      return context.redirect(address, 303);
    }));

  app.get("/oidc/callback", (context) =>
    orRefuse(context, async () => {
      const { remoteAddress } = context.env;
      const seconds = attempts.secondsToWait(remoteAddress);
      if (seconds > 0) {
        context.header("retry-after", String(seconds));
        const text = `Too many sign-ins have failed: try again in ${seconds} seconds.`;
        return await refuse(context, { status: 429, text, cause: "oidc" });
      }
      const returned = new URL(context.req.url).searchParams;
      const sign = begun.take(getCookie(context, COOKIE), returned.get("state") ?? undefined);
      deleteCookie(context, COOKIE, { path: PATH });
      if (sign === undefined) {
        const text = "This sign-in was not begun in this browser, is over, or is older than ten " +
          `minutes: begin it anew, at ${baseUrl()}/console.`;
        return await refuse(context, { status: 401, text, cause: "oidc" });
      }
      // Counted until it is known to be one that comes in.
      attempts.noteFailure(remoteAddress);
      const person = await provider.person(returned, sign, redirectUri());
      const rights = roleOfClaims(person.claims, provider.settings.roles);
      const user = nameOf(person);
      if (rights === undefined || rights.role === "member" && !hasProject(rights.project)) {
        const text = rights === undefined
          ? `${provider.host} says that you are ${shownAs(person)}, and that has no role here: ` +
            "ask your administrator for a line in --oidc-roles that fits you, or for a group that has one."
          : `You are a member of the project '${rights.project}', which is not there: ask your ` +
            "administrator to make it, or to change --oidc-roles.";
        return await refuse(context, { status: 403, text, cause: "oidc", user });
      }
      attempts.forgive(remoteAddress);
      return await enter(context, "oidc", { rights, user, next: sign.next });
    }));
}

/** As the audit log names him. */
function nameOf({ subject, email }: Person): string {
  const id = `oidc ${shortened(subject, MOST_NAME)}`;
  return email === undefined ? id : `${id} (${shortened(email, MOST_NAME)})`;
}

function shownAs({ subject, email }: Person): string {
  const id = shortened(subject, MOST_NAME);
  return email === undefined ? id : `${shortened(email, MOST_NAME)} (${id})`;
}
