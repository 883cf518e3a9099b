/**
 * What the executable is made of, as CycloneDX tells it.
 *
 * @module
 * @see https://cyclonedx.org/docs/1.6/json/
 */

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Component } from "./components.ts";

/** The thing that a bill of materials is for. */
export interface SbomSubject {
  readonly version: string;
  readonly target: string;
  readonly sha256: string;
  /** Seconds since 1970: when the sources were committed. */
  readonly epoch: number;
}

/** The document. Its serial number is made from the executable, so it is the same every time. */
export function sbom(subject: SbomSubject, components: readonly Component[]): string {
  const { version, target, sha256, epoch } = subject;
  const reference = `tollgate@${version}`;
  const references = components.map(referenceOf);
  const document = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(`${target} ${sha256}`)}`,
    version: 1,
    metadata: {
      timestamp: new Date(epoch * 1000).toISOString(),
      component: {
        type: "application",
        "bom-ref": reference,
        name: "tollgate",
        version,
        licenses: [{ license: { id: "MIT" } }],
        hashes: [{ alg: "SHA-256", content: sha256 }],
        properties: [{ name: "tollgate:target", value: target }],
      },
    },
    components: components.map((one, index) => ({
      type: one.kind,
      "bom-ref": references[index],
      name: one.name,
      ...(one.version !== undefined && { version: one.version }),
      licenses: [{ license: { id: one.licence } }],
      ...(one.integrity !== undefined && {
        hashes: [{ alg: "SHA-512", content: hexOf(one.integrity) }],
        purl: purlOf(one),
      }),
    })),
    dependencies: [
      { ref: reference, dependsOn: references },
      ...references.map((ref) => ({ ref })),
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function referenceOf({ name, version }: Component): string {
  return version === undefined ? name : `${name}@${version}`;
}

function purlOf({ name, version }: Component): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

function hexOf(integrity: string): string {
  return Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex");
}

/** A UUID of version 8 made from a text. */
function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${
    hex.slice(20, 32)
  }`;
}
