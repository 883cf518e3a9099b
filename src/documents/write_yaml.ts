/**
 * Values as YAML.
 *
 * @module
 */

import { stringify } from "yaml";

/** A document of its own. */
export function writeYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0 });
}

/** A value in one line, as it stands within a document. */
export function writeYamlLine(value: unknown): string {
  return stringify(value, { lineWidth: 0, collectionStyle: "flow" }).trim()
    .replaceAll(/\s*\n\s*/g, " ");
}
