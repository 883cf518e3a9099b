/**
 * Rules of the catalogue file for routes of the built-in provider: which of its
 * models serves which kind, and which faults that takes.
 *
 * @module
 */

import {
  BUILTIN_CHAT_MODEL,
  BUILTIN_EMBEDDING_MODEL,
  parseChatFaults,
} from "../../domain/chat_faults.ts";
import { BUILTIN_VIDEO_MODEL, parseFilmFaults } from "@tollgate/render/faults";
import type { Report } from "../../documents/problem.ts";
import type { LooseRoute } from "../contract/kind.ts";

/** What serves a kind of model. */
const SERVING: ReadonlyMap<
  unknown,
  { readonly name: string; readonly does: string; readonly parse: (upstream: string) => unknown }
> = new Map([
  ["chat", { name: BUILTIN_CHAT_MODEL, does: "chats", parse: parseChatFaults }],
  ["embedding", { name: BUILTIN_EMBEDDING_MODEL, does: "embeds", parse: parseChatFaults }],
  ["video", { name: BUILTIN_VIDEO_MODEL, does: "makes films", parse: parseFilmFaults }],
]);

/** Checks which model a route of the built-in provider calls, raw as it is in the file. */
export function checkBuiltinModel({ route, path, model }: LooseRoute, report: Report): void {
  const serving = SERVING.get(model.kind);
  const upstream = route.upstream_model ?? model.id;
  if (serving === undefined || typeof upstream !== "string") return;
  const { name, does, parse } = serving;
  const at = "upstream_model" in route ? [...path, "upstream_model"] : path;
  if (upstream.split(":", 1)[0] !== name) {
    report(at, `The built-in provider ${does} with ${name} alone: write upstream_model: ${name}`);
    return;
  }
  try {
    parse(upstream);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    report(at, error.message);
  }
}
