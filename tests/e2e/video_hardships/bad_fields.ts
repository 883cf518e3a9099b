/**
 * Requests for films with a field that is wrong, in JSON.
 *
 * @module
 */

import { type BadFilm, filmJson } from "./bad_film.ts";

const notJson = { status: 400, code: "invalid_json" };
const missing = { status: 400, code: "missing_required_parameter" };

/** One case for each value of a field. */
function each(
  param: string,
  values: Readonly<Record<string, unknown>>,
  answer: Partial<BadFilm> = {},
): BadFilm[] {
  return Object.entries(values).map(([name, value]) => ({
    name: `${param}: ${name}`,
    body: filmJson({ [param]: value }),
    param,
    ...answer,
  }));
}

/** Values of the fields that every film has. */
export const BAD_FIELDS: readonly BadFilm[] = [
  { name: "no prompt", body: filmJson({ prompt: undefined }), param: "prompt", ...missing },
  ...each("prompt", {
    "empty": "",
    "blank": " \t\n\u00a0\u3000",
    "32,001 characters": "x".repeat(32_001),
    "32,001 characters of two code units": "🪁".repeat(32_001),
    "a number": 7,
    "null": null,
    "a list": ["a kite"],
    "an object": { text: "a kite" },
    "with U+0000": "a kite\0",
  }),
  ...each("size", {
    "0x0": "0x0",
    "640X360": "640X360",
    "Arabic digits": "٦٤٠x٣٦٠",
    "three sides": "640x360x1",
    "a number": 640,
    "empty": "",
    "spaces": " 64x64",
    "a line end": "64x64\n",
    "a sign": "+64x64",
    "a fraction": "64.0x64",
    "an exponent": "1e2x64",
    "hexadecimal": "0x40x0x40",
    "many digits": `${"9".repeat(400)}x64`,
    "a list": ["64x64"],
  }),
  ...each("size", {
    "1x99999": "1x99999",
    "one that nobody offers": "128x128",
    "odd sides": "65x65",
  }, { hasRoutes: true }),
  ...each("seconds", {
    "0": 0,
    "'0'": "0",
    "-1": -1,
    "'-1'": "-1",
    "'1e3'": "1e3",
    "'4.5'": "4.5",
    "4.5": 4.5,
    "'4 '": "4 ",
    "''": "",
    "'04'": "04",
    "'+4'": "+4",
    "'0x4'": "0x4",
    "99999": 99_999,
    "1e300": 1e300,
    "true": true,
    "a list": [4],
    "Arabic digits": "٤",
    "full-width digits": "４",
  }),
  ...each("seconds", { "13": 13, "3": 3, "'13'": "13" }, { hasRoutes: true }),
  ...each("model", { "empty": "", "a number": 4, "long": "m".repeat(201), "a list": ["film"] }),
  {
    name: "model: one that does not exist",
    body: filmJson({ model: "none" }),
    status: 404,
    code: "model_not_found",
    param: "model",
  },
  {
    name: "model: not a film's",
    body: filmJson({ model: "talk" }),
    param: "model",
  },
  {
    name: "no model, where there are several",
    body: filmJson({ model: undefined }),
    param: "model",
    ...missing,
  },
  ...["quality", "n", "seed", "negative_prompt", "remix_video_id", "Prompt", "__proto", "ключ"]
    .map((param) => ({
      name: `an unknown field: ${param}`,
      body: filmJson({ [param]: 1 }),
      param,
      hasRoutes: true,
    })),
  ...each("routing_preference", { "unknown": "best", "a number": 1 }),
  ...each("provider", { "a list": ["a"], "empty": "" }),
  {
    name: "provider: an unknown wish",
    body: filmJson({ provider: { onyl: ["a"] } }),
    param: "provider.onyl",
  },
  {
    name: "source_policy: an unknown key",
    body: filmJson({ source_policy: { a: 1 } }),
    param: "source_policy.a",
  },
  ...each("callback_url", {
    "ftp": "ftp://hooks.example/x",
    "a file": "file:///etc/passwd",
    "javascript": "javascript:alert(1)",
    "user and password": "https://user:pass@hooks.example/",
    "a user": "https://user@hooks.example/",
    "link-local": "http://169.254.169.254/latest/meta-data/",
    "IPv6 loopback": "http://[::1]:8080/",
    "IPv4 in IPv6": "http://[::ffff:127.0.0.1]/",
    "IPv6 unique local": "http://[fd00::1]/",
    "a decimal address": "http://2130706433/",
    "a hexadecimal address": "http://0x7f000001/",
    "an octal address": "http://0177.0.0.1/",
    "a short address": "http://127.1/",
    "zero": "http://0/",
    "any address": "http://0.0.0.0/",
    "a private address": "https://10.1.2.3/hook",
    "localhost": "http://localhost/",
    "localhost with a dot": "http://localhost./",
    "relative": "/hook",
    "no host": "https://",
    "empty": "",
    "a number": 1,
    "too long": `https://hooks.example/${"a".repeat(2_100)}`,
    "a space": "https://hooks .example/",
  }),
  // There is no secret to sign with.
  ...each("callback_url", { "without a secret": "https://hooks.example/" }),
];

/** Bodies that are no JSON object, or called something else. */
export const BAD_BODIES: readonly BadFilm[] = [
  { name: "not JSON", body: "a kite", ...notJson },
  { name: "half of it", body: filmJson().slice(0, -10), ...notJson },
  { name: "empty", body: "", ...notJson },
  { name: "nothing at all", body: undefined, ...notJson },
  { name: "a list", body: "[]" },
  { name: "null", body: "null" },
  { name: "a text", body: '"a kite"' },
  {
    name: "text/plain",
    type: "text/plain",
    body: filmJson(),
    status: 415,
    code: "unsupported_content_type",
  },
  {
    name: "no content type",
    type: undefined,
    body: filmJson(),
    status: 415,
    code: "unsupported_content_type",
  },
  {
    name: "a video",
    type: "video/mp4",
    body: filmJson(),
    status: 415,
    code: "unsupported_content_type",
  },
  {
    name: "multipart of another kind",
    type: "multipart/mixed; boundary=x",
    body: "--x--\r\n",
    status: 415,
    code: "unsupported_content_type",
  },
  {
    name: "JSON that is called a form",
    type: "multipart/form-data; boundary=x",
    body: filmJson(),
    code: "malformed_request",
  },
  ...["", " ", "a b", "ключ", "k".repeat(256), "tab\tkey"].map((key) => ({
    name: `Idempotency-Key '${key.slice(0, 10)}'`,
    headers: { "idempotency-key": key },
    body: filmJson(),
    param: "Idempotency-Key",
  })),
];
