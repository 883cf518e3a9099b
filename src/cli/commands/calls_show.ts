/**
 * `tollgate calls show REQUEST_ID`
 *
 * @module
 */

import { type Command, Option } from "commander";
import { type CallContent, showContent } from "../../admin/call_content.ts";
import { showCall, type WholeCall } from "../../admin/calls.ts";
import type { ShownLine } from "../../admin/shown_price.ts";
import type { Cli } from "../base/cli.ts";
import { wireName } from "../../domain/units.ts";
import { operationCommand } from "../operations/operation_command.ts";
import type { Facts } from "../base/table.ts";

export function callsShow(cli: Cli): Command {
  return operationCommand(cli, {
    operation: showCall,
    example: "calls show req_f3k2…",
    extra: [
      new Option(
        "--prompts",
        "what it said, where its project has that kept; the audit log notes it",
      ),
    ],
    async run({ admin, operation, input, options: { json, prompts } }) {
      if (prompts === true) {
        const content = await admin.call(showContent, input);
        cli.printFacts(content, { json, facts: factsOfContent(content) });
        return;
      }
      const call = await admin.call(operation, input);
      cli.printFacts(call, { json, facts: factsOf(call) });
    },
  });
}

/** What it said, turn by turn. */
function factsOfContent(content: CallContent): Facts {
  const redacted = Object.entries(content.redacted).map(([name, count]) => `${count} ${name}`);
  return [
    ["request id", content.request_id],
    ["project", content.project],
    ["path", content.path],
    ["state", `${content.state}, status ${content.status}`],
    ["kept until", content.expires_at],
    ["redacted", redacted.length === 0 ? null : redacted.join(", ")],
    ["cut", content.cut ? "something was too long to keep" : null],
    ...content.conversation.flatMap(({ role, blocks }) =>
      blocks.map(({ kind, text, name }): Facts[number] => [
        kind === "text" ? role : `${role}, ${kind.replaceAll("_", " ")}`,
        name === undefined ? text : `${name} ${text}`,
      ])
    ),
  ];
}

function stickyInWords(
  { route, seal }: NonNullable<WholeCall["sticky"]>,
  served: string | null,
): string {
  const why = `its thoughts are sealed by ${route} (…${seal})`;
  return route === served ? `stayed: ${why}` : `could not stay: ${why}`;
}

/** Of a request that was refused before it became a call there is no more. */
function factsOfRefused(
  call: WholeCall,
  { why, status, param, message }: NonNullable<WholeCall["refusal"]>,
): Facts {
  return [
    ["request id", call.request_id],
    ["project", call.project === null ? null : `${call.project} (${call.key})`],
    ["endpoint", call.capability],
    ["model", call.model],
    ["state", `refused with ${status} ${call.error_code}`],
    ["why", why],
    ["field", param],
    ["told", message],
    ...decisionFacts(call.decision),
    ["at", call.opened_at],
  ];
}

function factsOf(call: WholeCall): Facts {
  if (call.refusal !== undefined) return factsOfRefused(call, call.refusal);
  const { usage, video } = call;
  return [
    ["request id", call.request_id],
    ["project", `${call.project} (${call.key})`],
    ["model", `${call.model}${call.stream ? ", streamed" : ""}`],
    ["route", `${call.route} (${call.provider})`],
    [
      "state",
      [call.state, call.result, call.error_code].filter((word) => word !== null).join(", "),
    ],
    ["tags", call.tags === undefined ? null : tagsInWords(call.tags)],
    ["batch", call.batch ?? null],
    ["sticky", call.sticky === undefined ? null : stickyInWords(call.sticky, call.route)],
    ...decisionFacts(call.decision),
    ["opened", call.opened_at],
    ["closed", call.closed_at],
    ["first byte", call.first_byte_ms === null ? null : `${call.first_byte_ms} ms`],
    ["attempts", call.attempts === null ? null : String(call.attempts)],
    ...(call.failed_attempts ?? []).map((
      attempt,
    ): Facts[number] => ["failed", failureInWords(attempt)]),
    ["film", video === null ? null : videoInWords(video)],
    [
      "usage",
      usage === null || video !== null
        ? null
        : `${usage.prompt_tokens} prompt (${usage.cached_tokens} cached), ` +
          `${usage.completion_tokens} completion${thoughtsOf(usage)}, ${usage.source}`,
    ],
    ["units", usage === null ? null : unitsInWords(usage.work)],
    ["held", `${call.held} ${call.currency}`],
    ...(call.price?.charge ?? []).map((line): Facts[number] => ["price", lineInWords(line)]),
    ["cost", call.cost],
    ["sale", call.sale],
    ["charged", call.charged],
    ["loss", call.loss],
    ["price version", String(call.price_version)],
    ["archive", call.archive],
  ];
}

/** In what order its routes were to be tried, and which were left out. */
function decisionFacts(decision: WholeCall["decision"]): Facts {
  if (decision === undefined) return [];
  const { preference, ranked, left_out: out } = decision;
  return [
    ["preference", preference],
    ...ranked.map(({ route, place }): Facts[number] => ["ranked", `${route}: ${place}`]),
    ...out.map(({ route, reason, detail }): Facts[number] => [
      "left out",
      `${route}: ${reason}${detail === undefined ? "" : ` ${detail}`}`,
    ]),
  ];
}

/** As an invoice has it. */
function lineInWords({ unit, adjustment, quantity, rate, per, amount }: ShownLine): string {
  if (unit === null) return `${(adjustment ?? "").replaceAll("_", " ")} = ${amount}`;
  return `${quantity} ${unit} at ${rate}${per === 1 ? "" : " per million"} = ${amount}`;
}

function failureInWords(
  { route, failure, status, milliseconds, message }: NonNullable<
    WholeCall["failed_attempts"]
  >[number],
): string {
  const answer = status === null ? failure : `${failure}, status ${status}`;
  return `${route} after ${milliseconds} ms (${answer}): ${message}`;
}

function tagsInWords(tags: NonNullable<WholeCall["tags"]>): string {
  return Object.entries(tags).map(([name, value]) => `${name}=${value}`).join(", ");
}

/** What the line above does not tell of: most calls buy none of it. */
function unitsInWords(work: NonNullable<WholeCall["usage"]>["work"]): string | null {
  const further = Object.entries(work ?? {}).filter(([unit]) => !TOLD.has(unit));
  return further.length === 0
    ? null
    : further.map(([unit, count]) => `${count} ${unit}`).join(", ");
}

const TOLD: ReadonlySet<string> = new Set(
  (["input", "cachedInput", "output", "reasoning"] as const).map(wireName),
);

/** What of the output nobody may have been shown. */
function thoughtsOf({ reasoning_tokens: tokens }: NonNullable<WholeCall["usage"]>): string {
  return tokens === 0 ? "" : ` (${tokens} reasoning)`;
}

/** What it was priced by, which an unlimited project is not charged. */
function videoInWords(
  { size, seconds, percent, deleted }: NonNullable<WholeCall["video"]>,
): string {
  const film = `${size}, ${seconds} s`;
  switch (deleted) {
    case "progress":
      return `${film}, deleted when ${percent} % were made, and priced as much (progress)`;
    case "full":
      return `${film}, deleted while it was made, and priced in full (full)`;
    case "free":
      return `${film}, deleted before it was there, and not charged (free)`;
    case undefined:
      return film;
  }
}
