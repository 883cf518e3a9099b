/**
 * What the catalogue file may say of an upstream with OpenAI's API alone.
 *
 * @module
 */

import * as z from "zod";
import { CHAT_LIMIT_FIELDS } from "../../domain/capabilities.ts";

/** The two forms of a body that creates a video. */
export const VIDEO_FORMS = ["multipart", "json"] as const;

/** One of {@linkcode VIDEO_FORMS}. */
export type VideoForm = typeof VIDEO_FORMS[number];

/** The form tried first where the operator names none: OpenAI's SDKs send it, and vLLM-Omni takes no other. */
export const DEFAULT_VIDEO_FORM: VideoForm = "multipart";

/** By their keys in the file. */
export const OWN_SETTINGS = {
  video_form: z.enum(VIDEO_FORMS).default(DEFAULT_VIDEO_FORM).describe(
    "How videos are created: multipart (OpenAI, vLLM-Omni) or json (SGLang Diffusion). " +
      "When an upstream refuses the one, the other is tried by itself, once, and remembered.",
  ),
  output_limit_field: z.enum(CHAT_LIMIT_FIELDS).optional().describe(
    "The name under which the upstream knows the output limit of a chat; a caller's limit is sent " +
      "under it, whichever name the caller used. Default: max_completion_tokens at OpenAI's and " +
      "Azure's own hosts, max_tokens elsewhere.",
  ),
};
