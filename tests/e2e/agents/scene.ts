/**
 * What agents are tried with: catalogues for an upstream of each dialect, and the same small task in
 * the ways in which models go about it.
 *
 * @module
 */

import type { Play } from "./scripted_model.ts";

/** What upstreams speak. */
export const DIALECTS = ["responses", "chat", "messages"] as const;

export type UpstreamDialect = typeof DIALECTS[number];

/** A catalogue with one model over an upstream that leaves out the tools that it cannot run. */
export function agentCatalogue(
  { dialect, model, url }: {
    readonly dialect: UpstreamDialect;
    readonly model: string;
    readonly url: string;
  },
): string {
  const [kind, base, supports] = dialect === "messages"
    ? ["anthropic", url.replace(/\/v1$/, ""), "{}"]
    : ["openai_compatible", url, `{ responses: ${dialect === "responses"} }`];
  return `
currency: USD
providers:
  - { id: up, kind: ${kind}, base_url: "${base}" }
models:
  - id: ${model}
    kind: chat
    routes:
      - id: up/${model}
        provider: up
        supports: ${supports}
        drop_tools: [web_search*]
        cost: { input: "1", output: "2" }
        sale: { markup: "1" }
projects:
  - { id: default, unlimited: true, models: ["*"] }
`;
}

/** A way to do the task. */
export interface Edit {
  readonly name: string;
  /** By its name Codex knows which tools to offer. */
  readonly model: string;
  readonly play: Play;
  /** The group that its tool is in. */
  readonly group?: string;
}

const PATCH = `*** Begin Patch
*** Update File: note.txt
@@
 One
-two
+three
*** End Patch
`;
const WORD = "It says three now.";

/** The line \`two\` of note.txt becomes \`three\`. */
export const EDITS: readonly Edit[] = [
  {
    name: "a patch by a custom tool",
    model: "gpt-5.5",
    play: { acts: [{ tool: "apply_patch", input: PATCH }], word: WORD },
  },
  {
    name: "a shell by a function",
    model: "a-model-of-ours",
    play: {
      acts: [
        { tool: "exec_command", input: { cmd: "cat note.txt" } },
        { tool: "exec_command", input: { cmd: "sed -i s/two/three/ note.txt" } },
      ],
      word: WORD,
    },
  },
  {
    name: "a program by a custom tool in a group",
    model: "gpt-6.1-sol",
    group: "functions",
    play: {
      acts: [{
        tool: "exec",
        input: 'text(await tools.exec_command({ cmd: "sed -i s/two/three/ note.txt" }));\n',
      }],
      word: WORD,
    },
  },
];
