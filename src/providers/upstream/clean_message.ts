/**
 * Makes an upstream's message fit for a caller's eyes: no secrets, no addresses
 * of the upstream, no stack traces, bounded.
 *
 * @module
 */

/** What must not be seen. */
export interface Concealed {
  /** Values of the upstream's keys. */
  readonly secrets: readonly string[];
  /** The upstream's host, with or without port. */
  readonly host: string;
}

/** The longest message that is passed on, in characters. */
export const MAX_MESSAGE_CHARACTERS = 500;

/** Looked at no further: bounds the work on a hostile message. */
const MAX_LOOKED_AT = 4_000;

/** Shorter values would redact ordinary words; no vendor's key is this short. */
const MIN_SECRET_CHARACTERS = 6;

const STACK_TRACE =
  /\n\s+at .+:\d+|^\s*(?:Traceback \(most recent call last\)|File ".+", line \d+)/m;
const KEY_LIKE = /\b(?:(?:sk|pk|rk|gsk|xai|key)[-_]|Bearer )[A-Za-z0-9_\-*.]{8,}/g;
const URL_LIKE = /\b(?:https?|wss?|tcp|grpc|redis|postgres(?:ql)?):\/\/[^\s"'<>)\]}]+/gi;
const IPV4 = /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g;
const IPV6 =
  /\[[0-9a-f:.]{2,45}\](?::\d{1,5})?|(?<![\w:])(?:[0-9a-f:]{0,40}::[0-9a-f:]{0,40}|(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{1,4})(?![\w:])/gi;
const SOURCE_FILE =
  /(?:[A-Za-z]:)?(?:[/\\][\w.@+-]+)+\.(?:py|js|mjs|ts|go|rs|java|rb|php|cc|cpp|so|cs)\b(?::\d+)*/g;
// deno-lint-ignore no-control-regex -- control characters are what it is to find
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/** Cleans a message; `undefined` when nothing is left of it. */
export function cleanMessage(message: string, concealed: Concealed): string | undefined {
  let text = message.slice(0, MAX_LOOKED_AT);
  const trace = text.search(STACK_TRACE);
  if (trace >= 0) text = text.slice(0, trace);
  // Links first: a secret inside one goes with it.
  text = text.replace(URL_LIKE, (url) => isPublicUrl(url, concealed.host) ? url : "[url]");
  text = redactSecrets(text, concealed.secrets).replace(KEY_LIKE, "[redacted]");
  text = replaceHost(text, concealed.host)
    .replace(IPV4, "[address]")
    .replace(IPV6, "[address]")
    .replace(SOURCE_FILE, "[file]")
    .replace(CONTROL, " ")
    .trim();
  if (text === "") return undefined;
  if (text.length <= MAX_MESSAGE_CHARACTERS) return text;
  return `${text.slice(0, MAX_MESSAGE_CHARACTERS - 1).toWellFormed().replace(/\ufffd$/, "")}…`;
}

/** Replaces every known secret, also where it was percent-encoded. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  let result = text;
  for (const secret of secrets) {
    if (secret.length < MIN_SECRET_CHARACTERS) continue;
    result = result.replaceAll(secret, "[redacted]")
      .replaceAll(encodeURIComponent(secret), "[redacted]");
  }
  return result;
}

/** A link to public documents helps; one with a query, with credentials or to a machine does not. */
function isPublicUrl(text: string, host: string): boolean {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return false;
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") return false;
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.port !== "") {
    return false;
  }
  const name = url.hostname;
  const isMachine = /^[\d.]+$/.test(name) || name.startsWith("[") || !name.includes(".") ||
    /\.(?:local|internal|lan|cluster|svc)$/.test(name);
  return !isMachine && name !== hostName(host);
}

function replaceHost(text: string, host: string): string {
  const name = hostName(host);
  let result = text;
  for (const known of new Set([host, name])) {
    if (known !== "") result = result.replaceAll(known, "[upstream]");
  }
  return result;
}

function hostName(host: string): string {
  return host.replace(/:\d+$/, "");
}
