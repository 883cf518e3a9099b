/**
 * Settings of a provider that say how its upstream wants what it is sent.
 *
 * @module
 */

import assert from "node:assert/strict";
import { compareCatalogues } from "../../src/catalog/difference.ts";
import { toCatalogue } from "../../src/catalog/to_catalogue.ts";
import { toFile } from "../support/catalogue_file.ts";
import type { Catalogue } from "../../src/domain/catalogue.ts";
import { problemsOf, readGood } from "./example_file.ts";

function fileWith(setting: string, kind = 'openai_compatible, base_url: "http://h"'): string {
  return `currency: USD\nproviders:\n  - { id: p, kind: ${kind}${setting} }\n`;
}

function catalogueOf(text: string): Catalogue {
  return toCatalogue(readGood(text).value, { nowSeconds: 1 }).catalogue;
}

Deno.test("video_form is multipart where the file says nothing, and json where it says so", () => {
  assert.equal(catalogueOf(fileWith("")).providers[0]!.own?.video_form, "multipart");
  assert.equal(catalogueOf(fileWith(", video_form: json")).providers[0]!.own?.video_form, "json");
  const builtin = catalogueOf(fileWith("", "builtin")).providers[0]!;
  assert.equal(builtin.own, undefined);
});

Deno.test("video_form takes two words, and is none of a builtin provider's settings", () => {
  assert.deepEqual(problemsOf(fileWith(", video_form: xml")), [
    "t.yaml:3:73: providers[0].video_form: Expected one of multipart, json",
  ]);
  assert.deepEqual(problemsOf(fileWith(", video_form: json", "builtin")), [
    "t.yaml:3:41: providers[0].video_form: A builtin provider has none: remove it",
  ]);
});

Deno.test("video_form is written back, shown as a change, and equal to its absence by default", () => {
  const json = catalogueOf(fileWith(", video_form: json"));
  const text = JSON.stringify(toFile(json));
  assert.deepEqual(catalogueOf(text), json);
  const multipart = catalogueOf(fileWith(""));
  const [change] = compareCatalogues(multipart, json);
  assert.deepEqual(change!.fields, [
    { path: "video_form", before: "multipart", after: "json" },
  ]);
  const { own: _absent, ...stored } = multipart.providers[0]!;
  assert.deepEqual(compareCatalogues({ ...multipart, providers: [stored] }, multipart), []);
});

Deno.test("output_limit_field is nothing where the file says nothing, and written back", () => {
  const absent = catalogueOf(fileWith(""));
  assert.deepEqual(absent.providers[0]!.own, { video_form: "multipart" });
  const newer = catalogueOf(fileWith(", output_limit_field: max_completion_tokens"));
  assert.equal(newer.providers[0]!.own?.output_limit_field, "max_completion_tokens");
  assert.deepEqual(catalogueOf(JSON.stringify(toFile(newer))), newer);
  const [change] = compareCatalogues(absent, newer);
  assert.deepEqual(change!.fields, [
    { path: "output_limit_field", before: undefined, after: "max_completion_tokens" },
  ]);
  assert.deepEqual(problemsOf(fileWith(", output_limit_field: max_tokens", "builtin")), [
    "t.yaml:3:49: providers[0].output_limit_field: A builtin provider has none: remove it",
  ]);
  assert.deepEqual(problemsOf(fileWith(", output_limit_field: limit")), [
    "t.yaml:3:81: providers[0].output_limit_field: Expected one of max_completion_tokens, max_tokens",
  ]);
});

const AZURE = 'azure, base_url: "https://r.openai.azure.com"';
const ENTRA = ", entra: { tenant: t, client_id: c, client_secret: env:S }";

Deno.test("an azure provider has a key, or an application that is given tokens", () => {
  const keyed = catalogueOf(fileWith(", api_key: env:K", AZURE)).providers[0]!;
  assert.deepEqual(keyed.auth, { kind: "header", name: "api-key" });
  const applied = catalogueOf(fileWith(ENTRA, AZURE));
  assert.deepEqual(applied.providers[0]!.auth, { kind: "none" });
  assert.deepEqual(catalogueOf(JSON.stringify(toFile(applied))), applied);
  assert.match(
    problemsOf(fileWith(`${ENTRA}, api_key: env:K`, AZURE))[0]!,
    /entra: Tokens take the place of keys: remove api_key, or this$/,
  );
  assert.match(
    problemsOf(fileWith(ENTRA.replace("env:S", "s3cret"), AZURE))[0]!,
    /client_secret: Expected a reference, not the secret itself/,
  );
  assert.match(
    problemsOf(fileWith(', query: { api-version: "1" }', AZURE))[0]!,
    /Write it as api_version$/,
  );
});
