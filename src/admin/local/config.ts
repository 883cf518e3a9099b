/**
 * Settings and schemas.
 *
 * @module
 */

import * as z from "zod";
import { defineLocalOperation } from "../base/operation.ts";
import { type SettingView, shownSetting } from "../base/shown_setting.ts";

/** The settings that a server started here would have. */
export interface FoundSettings {
  readonly shown: readonly SettingView[];
}

export const showConfig = defineLocalOperation<FoundSettings>()({
  name: "config.show",
  summary: "Show every setting and where it comes from.",
  input: z.strictObject({}),
  output: z.array(shownSetting),
  errors: [],
  run: ({ shown }) => Promise.resolve(shown),
});

const SCHEMA_FILES = ["catalogue", "settings"] as const;

/** Makes the schema of each file. */
export type FileSchemas = {
  readonly [file in typeof SCHEMA_FILES[number]]: () => { readonly [keyword: string]: unknown };
};

export const showSchema = defineLocalOperation<FileSchemas>()({
  name: "config.schema",
  summary: "Show the JSON Schema of the catalogue file or of the settings file.",
  input: z.strictObject({
    file: z.enum(SCHEMA_FILES).default("catalogue").describe("which one"),
  }),
  output: z.record(z.string(), z.unknown()),
  errors: [],
  run: (schemas, { file }) => Promise.resolve(schemas[file]()),
});
