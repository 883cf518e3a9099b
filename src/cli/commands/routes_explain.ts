/**
 * `tollgate routes explain MODEL`
 *
 * @module
 */

import { type Command, InvalidArgumentError, Option } from "commander";
import { type AdminCandidate, type ExplainAnswer, explainRoutes } from "../../admin/explain.ts";
import { RISK_LEVELS } from "../../domain/catalogue.ts";
import { ROUTING_PREFERENCES } from "../../domain/source_wishes.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import { nameKeyToRead } from "../name_key.ts";
import { type Column, formatTable } from "../table.ts";
import { parseCount } from "./limit_options.ts";

interface ExplainOptions extends CommonOptions {
  readonly provider?: string;
  readonly route?: string;
  readonly routingPreference?: string;
  readonly excludeRiskLevel?: readonly string[];
  readonly stream?: true;
  readonly tools?: true;
  readonly vision?: true;
  readonly jsonSchema?: true;
  readonly promptTokens?: number;
  readonly maxTokens?: number;
  readonly size?: string;
  readonly seconds?: number;
  readonly project?: string;
  readonly key?: string | undefined;
}

/** Makes the command. */
export function routesExplain(cli: Cli): Command {
  return cli.adminCommand("explain", {
    summary: "Show which routes a request would try, and why not the others",
    description: "Show which routes a request would try, in order, with the figures that decide, " +
      "and why each other route is out. PRICE is what the request would cost, FIRST how often the " +
      "route is tried first. Calls nobody.",
    example: "routes explain gpt-5-mini --routing-preference lowest_price --stream\n" +
      "  tollgate routes explain video-2 --size 1280x720 --seconds 8",
  })
    .argument("<model>", "logical model or alias")
    .option("--provider <id>", "as the request's provider")
    .option("--route <id>", "as the request's route")
    .addOption(
      new Option("--routing-preference <name>", "as the request's routing_preference")
        .choices(ROUTING_PREFERENCES),
    )
    .option("--exclude-risk-level <level>", "low, medium or high; may be repeated", collectRisk)
    .option("--stream", "the request streams")
    .option("--tools", "the request offers tools")
    .option("--vision", "the request has an image, for a film: begins with one")
    .option("--json-schema", "the request asks for a JSON Schema")
    .option("--prompt-tokens <n>", "length of the prompt (default: 1000)", parseCount)
    .option("--max-tokens <n>", "output limit of the request (default for PRICE: 512)", parseCount)
    .option("--size <size>", "size of the film, such as 1280x720 (default: the route's first)")
    .option("--seconds <n>", "length of the film (default: the route's first)", parseCount)
    .option("--project <id>", "whether this project may use it and can pay")
    .option("--key <key-id>", "the same for one key")
    .action((model: string, options: ExplainOptions) =>
      cli.administer(options, async (admin) => {
        const key = options.key === undefined ? undefined : await nameKeyToRead(admin, options.key);
        const answer = await admin.call(explainRoutes, toInput(model, { ...options, key }));
        if (options.json === true) cli.printJson(answer);
        else print(cli, answer);
      })
    );
}

function collectRisk(level: string, previous: readonly string[] = []): readonly string[] {
  if (!RISK_LEVELS.some((one) => one === level)) {
    throw new InvalidArgumentError(`Allowed choices are ${RISK_LEVELS.join(", ")}.`);
  }
  return [...previous, level];
}

function toInput(model: string, options: ExplainOptions): object {
  const input = {
    model,
    provider: options.provider,
    route: options.route,
    routing_preference: options.routingPreference,
    exclude_risk_levels: options.excludeRiskLevel,
    stream: options.stream,
    tools: options.tools,
    vision: options.vision,
    json_schema: options.jsonSchema,
    prompt_tokens: options.promptTokens,
    max_tokens: options.maxTokens,
    size: options.size,
    seconds: options.seconds,
    project: options.project,
    key: options.key,
  };
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

interface Ranked extends AdminCandidate {
  readonly rank: number;
}

const COLUMNS: readonly Column<Ranked>[] = [
  { header: "#", value: ({ rank }) => rank, align: "right" },
  { header: "ROUTE", value: ({ route }) => route },
  { header: "PROVIDER", value: ({ provider }) => provider },
  { header: "PRICE", value: ({ price }) => price.quote ?? "-", align: "right" },
  { header: "SUCCESS", value: (row) => `${(row.success_rate * 100).toFixed(1)}%`, align: "right" },
  { header: "MS", value: ({ latency_ms }) => latency_ms ?? "-", align: "right" },
  {
    header: "FIRST",
    value: ({ first_chance }) =>
      first_chance === null ? "-" : `${(first_chance * 100).toFixed(1)}%`,
    align: "right",
  },
  { header: "RISK", value: ({ risk_level }) => risk_level },
];

const HOLD: Column<Ranked> = { header: "HOLD", value: ({ hold }) => hold ?? "-", align: "right" };

function print(cli: Cli, answer: ExplainAnswer): void {
  const { terminal } = cli;
  const style = { colors: terminal.outColors };
  const ranked = answer.candidates.map((candidate, index) => ({ ...candidate, rank: index + 1 }));
  const { caller, video } = answer;
  if (video !== undefined) terminal.out(`A film of ${video.size}, ${video.seconds} s\n\n`);
  if (caller !== undefined) {
    const money = caller.unlimited ? "unlimited" : `balance ${caller.balance}`;
    const verdict = caller.may_use ? "may use it" : `refused: ${caller.refusals.join(", ")}`;
    terminal.out(`Project ${caller.project}: ${verdict}, ${money}\n\n`);
  }
  if (ranked.length === 0) terminal.out(`No route serves this request for ${answer.model}\n`);
  else {
    terminal.out(
      formatTable(ranked, caller === undefined ? COLUMNS : [...COLUMNS, HOLD], style),
    );
  }
  if (answer.rejected.length > 0) {
    terminal.out(`\n${
      formatTable(answer.rejected, [
        { header: "REJECTED", value: ({ route }) => route },
        { header: "PROVIDER", value: ({ provider }) => provider },
        { header: "REASON", value: ({ reason }) => reason },
        { header: "DETAIL", value: ({ detail }) => detail ?? "" },
      ], style)
    }`);
  }
  for (const note of answer.notes) cli.say(`Note: ${note}`);
}
