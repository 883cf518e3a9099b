/**
 * Settings that every remote kind has in the catalogue file: where its upstream is, and how a request to it
 * is authorised.
 *
 * @module
 */

import * as z from "zod";
import { boundedList, boundedRecord, FAULTS_TOLD } from "../../documents/bounded.ts";
import {
  type DocumentPath,
  type Loose,
  mappingFrom,
  type Report,
} from "../../documents/problem.ts";
import type { Provider as ProviderSettings } from "../../domain/catalogue.ts";

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/;

/** Headers that the transport owns, or that would smuggle a second request or a secret. */
const OWNED_HEADERS: ReadonlySet<string> = new Set([
  "accept-encoding",
  "authorization",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "cookie",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const REFERENCE =
  // deno-lint-ignore no-control-regex -- no path of a person's holds one
  /^(env:[A-Za-z_][A-Za-z0-9_]*|file:(\/|[A-Za-z]:[\\/])[^\0-\x1f]*|credential:[A-Za-z0-9_][A-Za-z0-9_.-]*)$/;

/** A reference to a secret, as the file has it. */
export const secretReference = z.string().regex(
  REFERENCE,
  "Expected a reference, not the secret itself: write env:NAME for an environment variable, " +
    "file:/absolute/path for a file that holds it, or credential:NAME for what systemd hands over",
);

const headerName = z.string().regex(TOKEN, "Expected a header name").refine(
  (name) => !OWNED_HEADERS.has(name.toLowerCase()),
  "This header is set by the gateway itself; a key belongs in api_key and auth",
);

const lineText = z.string().max(4096).refine(
  // deno-lint-ignore no-control-regex -- a control character would end the header line
  (text) => !/[\0-\x1f\x7f]/.test(text),
  "Expected text without control characters",
);

const headerValue = lineText.refine(
  (text) => !/[^\0-\xff]/.test(text),
  "Expected Latin-1 text, as HTTP headers carry no more",
);

const baseUrl = z.string().transform((text, context) => {
  const fault = faultOfBaseUrl(text);
  if (fault !== undefined) {
    context.addIssue({ code: "custom", message: fault });
    return z.NEVER;
  }
  return new URL(text).href.replace(/\/+$/, "");
});

function faultOfBaseUrl(text: string): string | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return "Expected a URL such as https://api.example.com/v1";
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return "Expected a URL that starts with https:// or http://";
  }
  if (url.username !== "" || url.password !== "") {
    return "Expected a URL without user name and password: put the key in api_key";
  }
  if (text.includes("#")) return "Expected a URL without '#'";
  if (text.includes("?")) return "Expected a URL without '?': put parameters in query";
  return undefined;
}

const AUTH_HEADER = /^header:\s*(\S+)$/;

const auth = z.union([
  z.string().transform((text, context) => {
    if (text === "bearer" || text === "none") return { kind: text } as const;
    const name = AUTH_HEADER.exec(text)?.[1];
    if (name !== undefined && isAuthHeader(name)) return { kind: "header", name } as const;
    context.addIssue({
      code: "custom",
      message: 'Expected bearer, none, "header: NAME" or { header: NAME }',
    });
    return z.NEVER;
  }),
  z.strictObject({
    header: z.string().refine(isAuthHeader, "Expected the name of a header that may carry a key"),
  }).transform(({ header }) => ({ kind: "header", name: header }) as const),
]);

function isAuthHeader(name: string): boolean {
  const lower = name.toLowerCase();
  // A bare key in Authorization is what a few vendors want.
  return TOKEN.test(name) && (lower === "authorization" || !OWNED_HEADERS.has(lower));
}

/** By their keys in the file. */
export const UPSTREAM_SETTINGS = {
  base_url: baseUrl.optional().describe(
    "Where the API starts, such as https://api.example.com/v1; required for kinds without an address of their own.",
  ),
  api_key: z.union([
    secretReference,
    boundedList(secretReference, { least: 1, most: 100, faults: FAULTS_TOLD }),
  ])
    .transform((keys) => typeof keys === "string" ? [keys] : keys)
    .optional()
    .describe(
      "env:NAME, file:/path or credential:NAME, or a list of them, used in turn; never " +
        "the secret itself. Default: no key is sent.",
    ),
  auth: auth.optional().describe(
    'How the key is sent: bearer, none, "header: NAME" or { header: NAME }. ' +
      "Default: bearer where there is an api_key, none where there is not.",
  ),
  headers: boundedRecord(headerName, headerValue, { most: 1_000, faults: FAULTS_TOLD }).default({})
    .describe(
      "Headers added to every upstream request; not for secrets.",
    ),
  query: boundedRecord(z.string().min(1).max(128), lineText, {
    most: 1_000,
    faults: FAULTS_TOLD,
  }).default({}).describe(
    "Query parameters added to every upstream request, such as api-version; not for secrets.",
  ),
};

/** Those that take any text, so perhaps a secret. */
export const HIDDEN_SETTINGS: readonly string[] = ["headers", "query"];

/** Says that an upstream has no address, where its kind has none to give it. */
export function checkAddress(provider: Loose, path: DocumentPath, report: Report): void {
  if (provider.base_url === undefined) {
    report(path, "Missing: base_url, such as https://api.example.com/v1");
  }
}

/** Checks what is said of keys together, raw as it is in the file. */
export function checkAuth(provider: Loose, path: DocumentPath, report: Report): void {
  const hasKey = provider.api_key !== undefined;
  if (provider.auth === "none" && hasKey) {
    report([...path, "auth"], "none sends no key, but api_key is given: remove one of them");
  }
  if (provider.auth !== undefined && provider.auth !== "none" && !hasKey) {
    report([...path, "auth"], "Needs api_key: add it, or write auth: none");
  }
  const header = authHeaderOf(provider.auth)?.toLowerCase();
  for (const name of Object.keys(mappingFrom(provider.headers))) {
    if (name.toLowerCase() === header) {
      report([...path, "headers", name], "Carries the key already, by auth: remove it here");
    }
  }
}

function authHeaderOf(auth: unknown): string | undefined {
  const name = typeof auth === "string"
    ? /^header:\s*(\S+)$/.exec(auth)?.[1]
    : mappingFrom(auth).header;
  return typeof name === "string" ? name : undefined;
}

/**
 * Reads the settings that one kind alone has, as they are stored, by its schemas; what is absent has
 * its default.
 *
 * @throws {TypeError} When another version has stored what this one does not take.
 */
export function readOwnSettings<Shape extends z.ZodRawShape>(
  shape: Shape,
  { id, own = {} }: Pick<ProviderSettings, "id" | "own">,
): z.output<z.ZodObject<Shape>> {
  const read = z.object(shape).safeParse(own);
  if (read.success) return read.data;
  const keys = new Set(read.error.issues.map(({ path }) => String(path[0])));
  throw new TypeError(
    `Cannot create provider '${id}': this version does not take its ${[...keys].join(", ")} ` +
      "as it is stored; apply the catalogue again",
  );
}
