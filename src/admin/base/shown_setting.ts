/**
 * Settings of the process, as they are shown.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";

/** A setting and where its value comes from; a secret is masked. */
export const shownSetting = z.object({
  name: z.string(),
  value: z.union([z.string(), z.number(), z.boolean()]).nullable(),
  source: z.string().describe("Such as `flag --listen`, `settings.yaml:3:9` or `default`"),
});

export type SettingView = Shown<typeof shownSetting>;
