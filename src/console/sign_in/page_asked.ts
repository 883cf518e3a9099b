/**
 * The page that somebody asked for before he was signed in, and lands on then: of the console alone.
 *
 * @module
 */

import type { ConsoleContext } from "../frame/console_env.ts";

const HOME = "/console";
const MOST_CHARACTERS = 500;
const HERE = "http://console.invalid";
const NO_PAGES = /^\/console\/(?:sign-in|enter|oidc|leave|assets)(?:\/|$)/;

/** It as an address of the console; the first page where it is none. */
export function pageAsked(given: string | undefined): string {
  if (given === undefined || given.length > MOST_CHARACTERS) return HOME;
  if (!/^\/console(?:[/?]|$)/.test(given) || /[\\\p{Cc}]/u.test(given)) return HOME;
  const { origin, pathname, search } = new URL(given, HERE);
  const isPage = origin === HERE && /^\/console(?:\/|$)/.test(pathname) && !NO_PAGES.test(pathname);
  return isPage ? pathname + search : HOME;
}

/** Where to sign in, for whoever is not: it remembers the page. */
export function signInFor({ req }: ConsoleContext): string {
  const { pathname, search } = new URL(req.url);
  const next = req.method === "GET" ? pageAsked(pathname + search) : HOME;
  return next === HOME ? "/console/sign-in" : `/console/sign-in?next=${encodeURIComponent(next)}`;
}
