/**
 * The rules over file names and texts: size, names, and what only one place may touch.
 *
 * @module
 */

import { moduleOf } from "./layout.ts";
import { isProgram, type ModuleGraph, type SourceFile } from "./module_graph.ts";

const MAX_LINES = 400;
const BANNED_NAME = /(^|[/_])(utils?|helpers?|commons?|managers?|index)(?=[/_.])/;
const FILE_NAME = /^[a-z0-9]+(_[a-z0-9]+)*(\.d)?\.tsx?$/;

/** What the text of the program may contain only in the places named. */
const RESERVED: readonly { code: RegExp; allowed: RegExp; where: string }[] = [
  { code: /\bDeno\.env\b|\bprocess\.env\b/, allowed: /^src\/config\//, where: "config/" },
  { code: /\bDeno\.(args|exit|exitCode)\b/, allowed: /^main\.ts$/, where: "main.ts" },
  {
    code: /(?<![\w.#$])(?:globalThis\.)?fetch\(|\bDeno\.(connect|connectTls|createHttpClient)\b/,
    allowed:
      /^src\/(providers\/transport(\.ts|\/)|objects\/s3_client\.ts$|http\/listener\/passage\.ts$|cli\/(base\/control_client|update\/release_source)\.ts$)/,
    where:
      "providers/transport, objects/s3_client.ts, http/listener/passage.ts, cli/base/control_client.ts and cli/update/release_source.ts",
  },
  {
    code: /\bnew (WebSocket|EventSource|WebSocketStream)\(/,
    allowed: /^(?!)/,
    where: "no place: upstream calls go through providers/transport",
  },
  {
    code: /^import (type )?\{ z \}/,
    allowed: /^(?!)/,
    where: "no place: import * as z, which leaves what is unused out of the executable",
  },
  {
    code: /\bJSON\.parse\(/,
    allowed: /^(?!src\/providers\/)|^src\/providers\/upstream\/upstream_json\.ts$/,
    where: "providers/upstream/upstream_json.ts, which measures what an upstream sends",
  },
];

/** Every file that breaks a rule, as `path: why` or `path:line: why`. */
export function checkSources({ files }: ModuleGraph): string[] {
  return files.flatMap((file) => [...checkShape(file), ...checkReserved(file)]);
}

function checkShape({ path, text }: SourceFile): string[] {
  const lines = text.replace(/\n$/, "").split("\n").length;
  const isProduct = isProgram(path);
  const problems = [
    lines > MAX_LINES && `has ${lines} lines, more than ${MAX_LINES}`,
    BANNED_NAME.test(path) && "its name says nothing about what it is for",
    !FILE_NAME.test(path.slice(path.lastIndexOf("/") + 1)) && "its name is not snake_case",
    isProduct && moduleOf(path) === undefined && "has no place in the layout",
    isProduct && !/^\s*\/\*\*(?:(?!\*\/)[^])*@module/.test(text) && "does not open with @module",
  ];
  return problems.filter((problem) => problem !== false).map((problem) => `${path}: ${problem}`);
}

function checkReserved({ path, text }: SourceFile): string[] {
  if (!isProgram(path)) return [];
  const lines = withoutComments(text).split("\n");
  return RESERVED.filter(({ allowed }) => !allowed.test(path)).flatMap(({ code, where }) =>
    lines.flatMap((line, index) => {
      const found = code.exec(line)?.[0];
      return found === undefined ? [] : [`${path}:${index + 1}: ${found} belongs to ${where}`];
    })
  );
}

/**
 * Blanks comments and quoted strings, keeping lines; template literals stay, for the code in them.
 * Not a full parser: a quote inside a regular expression can hide the rest of its line.
 */
export function withoutComments(text: string): string {
  const token =
    /\/\*[^]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[^])*`/g;
  return text.replace(token, (match) => match[0] === "`" ? match : match.replace(/[^\n]/g, " "));
}
