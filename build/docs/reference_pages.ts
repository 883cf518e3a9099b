/**
 * The reference, made from what the program declares: settings, commands, the catalogue file, both
 * APIs, errors and metrics.
 *
 * @module
 */

import { catalogueJsonSchema } from "../../src/catalog/file_schema.ts";
import { settingsJsonSchema } from "../../src/config/settings.ts";
import { ERROR_TABLE, type ErrorName } from "../../src/errors.ts";
import { OPERATIONS } from "../../src/admin/operations.ts";
import { allCommands, type ShownCommand } from "../../src/cli/completion/command_tree.ts";
import { adminDocument } from "../../src/http/endpoints/admin/admin_document.ts";
import { apiDocument } from "../../src/http/endpoints/openapi/document.ts";
import { ERROR_ADVICE } from "../../src/http/docs/error_advice.ts";
import { type JsonSchema, schemaRows, sentences, typeOf } from "../../src/http/docs/schema_rows.ts";
import { ENDPOINTS } from "../../src/http/server.ts";
import { programTree } from "../release/man_page.ts";
import { apiPage } from "./api_page.ts";
import { code, page, prose, table } from "./markdown.ts";
import { metricsPage } from "./metrics_page.ts";

/** Where they are, from the project's root. */
export const REFERENCE_FOLDER = "docs/reference";

/** Each page's text by its name. */
export async function referencePages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ["README.md", contents()],
    ["settings.md", settingsPage()],
    ["commands.md", commandsPage(await programTree())],
    ["catalogue.md", cataloguePage()],
    [
      "api.md",
      apiPage("The API", {
        about:
          "What `GET /openapi.json` says, for reading. Every path below `/v1` is there below " +
          "`/api/gateway/v1` too.",
        document: apiDocument(ENDPOINTS),
      }),
    ],
    [
      "admin-api.md",
      apiPage("The admin API", {
        about:
          "What `GET /admin/v1/openapi.json` says, for reading. It is on the control socket, and on " +
          "TCP for an admin key or a token: [administration](../administration.md).",
        document: adminDocument(OPERATIONS.filter(({ isLocal }) => isLocal !== true)),
      }),
    ],
    ["errors.md", errorsPage()],
    ["metrics.md", await metricsPage()],
  ]);
}

function contents(): string {
  return page("Reference", [
    "Made from the program itself, so that it is complete and true of this version.",
    [
      "- [Settings](settings.md) of the server: options, variables and the settings file",
      "- [Commands](commands.md) with their options",
      "- [The catalogue file](catalogue.md), field by field",
      "- [The API](api.md) and [the admin API](admin-api.md)",
      "- [Errors](errors.md), and what to do about each",
      "- [Metrics](metrics.md)",
    ].join("\n"),
  ]);
}

function settingsPage(): string {
  const schema = settingsJsonSchema() as JsonSchema;
  const rows = Object.entries(schema.properties ?? {}).map(([name, setting]) => [
    code(name),
    setting.secret === true ? "" : code(`--${name.replaceAll("_", "-")}`),
    code(`TOLLGATE_${name.toUpperCase()}`),
    prose(
      typeof setting.placeholder === "string" ? setting.placeholder : typeOf(setting, schema),
    ),
    sentences([
      prose(setting.description ?? ""),
      setting.default === undefined || /default/i.test(setting.description ?? "")
        ? ""
        : `Default: ${code(String(setting.default))}.`,
    ]),
  ]);
  return page("Settings", [
    "An option of `tollgate serve` goes before a variable, a variable before the settings file " +
    "(`--config FILE`, YAML), and that before the default. `tollgate config show` says where each " +
    "value comes from. Sizes take units: `10MB`, `1.5GiB`. What has no option is a secret.",
    table(["in the file", "option", "variable", "takes", "what it is"], rows),
  ]);
}

function commandsPage(tree: ShownCommand): string {
  const commands = allCommands(tree).filter(({ path }) => path.length > 0);
  return page("Commands", [
    "What `tollgate COMMAND --help` says. `--data-dir` and `--config` say whose server or data it is " +
    "about; `--json` prints JSON.",
    ...commands.flatMap((command) => {
      const words = ["tollgate", ...command.path, ...command.args.map(({ term }) => term)].join(
        " ",
      );
      const given = command.args.filter(({ description }) => description !== "");
      const options = command.options.filter(({ long }) => long !== "--help");
      return [
        `## ${command.path.join(" ")}`,
        code(words),
        prose(command.description),
        ...(command.commands.length === 0 ? [] : [
          command.commands.map((one) =>
            `- [${one.path.join(" ")}](#${one.path.join("-")}): ${prose(one.summary)}`
          ).join("\n"),
        ]),
        ...(given.length === 0 && options.length === 0 ? [] : [table(["given", "what it is"], [
          ...given.map((one) => [code(one.term), withChoices(one.description, one.choices)]),
          ...options.map(({ long, short, value, description }) => [
            code(
              `${short === undefined ? "" : `${short}, `}${long}${
                value === undefined ? "" : ` ${value.name.toUpperCase()}`
              }`,
            ),
            withChoices(description, value?.choices),
          ]),
        ])]),
      ];
    }),
  ]);
}

function withChoices(description: string, choices: readonly string[] | undefined): string {
  const said = prose(description);
  return choices === undefined ? said : `${said} (${choices.map(code).join(", ")})`;
}

function cataloguePage(): string {
  const schema = catalogueJsonSchema() as JsonSchema;
  const rows = schemaRows(schema).map((row) => row.map(prose));
  const sections = Object.keys(schema.properties ?? {});
  return page("The catalogue file", [
    "Every field of the file that `tollgate apply` and `serve --catalog` take. `tollgate config " +
    "schema` prints the same as JSON Schema. Names with a `*` stand for any.",
    ...sections.flatMap((section) => [
      `## ${section}`,
      table(
        ["field", "takes", "what it is"],
        rows.filter(([name]) => new RegExp(`^\`{1,2} ?${section}(?![\\w])`).test(name!)),
      ),
    ]),
  ]);
}

function errorsPage(): string {
  const names = Object.keys(ERROR_TABLE) as ErrorName[];
  return page("Errors", [
    'An error is `{"error": {"message", "type", "param", "code"}}`; callers of `/v1/messages` get ' +
    "Anthropic's form. `error.routes` has the routes that were considered, where there were any. " +
    "OpenAI's clients try 429 and 5xx again by themselves, unless the answer says " +
    "`x-should-retry: false`.",
    table(
      ["status", "code", "type", "tried again", "what to do"],
      names.toSorted((a, b) => ERROR_TABLE[a].status - ERROR_TABLE[b].status).map((name) => {
        const row: { neverRetry?: true; retryAfter?: true } = ERROR_TABLE[name];
        return [
          String(ERROR_TABLE[name].status),
          code(ERROR_TABLE[name].code),
          code(ERROR_TABLE[name].type),
          row.neverRetry ? "never" : row.retryAfter ? "after `Retry-After`" : "",
          ERROR_ADVICE[name],
        ];
      }),
    ),
  ]);
}
