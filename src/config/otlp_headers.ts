/**
 * Headers for a collector, as OpenTelemetry writes them in `OTEL_EXPORTER_OTLP_HEADERS`: pairs as in
 * W3C Baggage, `NAME=VALUE` separated by commas, values with percent signs.
 *
 * @module
 */

import { percentDecoded } from "../domain/percent_decoded.ts";

/** What to write instead. */
export const OTLP_HEADERS_HINT =
  "Expected NAME=VALUE, separated by commas, such as authorization=Bearer%20abc,x-scope=team";

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\x20-\x7e]*$/;

/** By lower-case name; `undefined` where the text is wrong. */
export function parseOtlpHeaders(text = ""): Readonly<Record<string, string>> | undefined {
  const headers: Record<string, string> = {};
  for (const pair of text.split(",").filter((part) => part.trim() !== "")) {
    const at = pair.indexOf("=");
    const name = pair.slice(0, Math.max(0, at)).trim();
    const value = percentDecoded(pair.slice(at + 1).trim());
    if (!NAME.test(name) || value === undefined || !VALUE.test(value)) return undefined;
    headers[name.toLowerCase()] = value;
  }
  return headers;
}
