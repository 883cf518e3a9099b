/**
 * Prometheus' own tools, for what the gateway tells it: `promtool`, which `TOLLGATE_TEST_PROMTOOL` may
 * name, and the parser of OpenMetrics of its Python client, whose folder
 * `TOLLGATE_TEST_PROMETHEUS_PYTHONPATH` may name.
 *
 * @module
 */

import assert from "node:assert/strict";
import { foldersOf, python } from "./python_client.ts";

const PROMTOOL = Deno.env.get("TOLLGATE_TEST_PROMTOOL") ?? "promtool";
const [FOLDER] = foldersOf("TOLLGATE_TEST_PROMETHEUS_PYTHONPATH");

/** Whether both are here; with `CI=true` they have to be. */
export const hasPrometheusTools = Deno.env.get("CI") === "true" ||
  (await answers(() => promtool(["--version"])) &&
    await answers(async () => (await python(["-c", "import prometheus_client"], FOLDER)).success));

/** Fails unless promtool finds nothing wrong. */
export async function checkByPromtool(args: readonly string[], input = ""): Promise<void> {
  const { success, output } = await promtool(args, input);
  assert.ok(success, `promtool ${args.join(" ")}: ${output}`);
}

/** One sample, as the Python client's strict parser of OpenMetrics reads it. */
export interface ParsedSample {
  readonly name: string;
  readonly type: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const PROGRAM = `
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
text = open(sys.argv[1], encoding="utf-8").read()
print(json.dumps([
  dict(name=s.name, type=f.type, labels=s.labels, value=s.value)
  for f in text_string_to_metric_families(text) for s in f.samples
]))
`;

/** Reads OpenMetrics; fails where it is none. */
export async function parseOpenMetrics(text: string): Promise<readonly ParsedSample[]> {
  const file = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(file, text);
    const { success, stdout, stderr } = await python(["-c", PROGRAM, file], FOLDER);
    assert.ok(success, stderr);
    return JSON.parse(stdout);
  } finally {
    await Deno.remove(file);
  }
}

async function promtool(args: readonly string[], input = "") {
  const child = new Deno.Command(PROMTOOL, {
    args: [...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { success, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { success, output: decoder.decode(stdout) + decoder.decode(stderr) };
}

async function answers(run: () => Promise<unknown>): Promise<boolean> {
  try {
    return await run() !== false;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
