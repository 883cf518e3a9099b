/**
 * `tollgate tokens …`
 *
 * @module
 */

import type { Command } from "commander";
import {
  createToken,
  listTokens,
  revokeToken,
  type TokenRow,
} from "../../admin/accounts/tokens.ts";
import type { Cli } from "../base/cli.ts";
import { type Column, timeText } from "../base/table.ts";
import { factsCommand, listCommand } from "../operations/operation_command.ts";

export function tokens(cli: Cli): readonly Command[] {
  return [
    factsCommand(cli, {
      operation: createToken,
      description:
        "Make a token that administers with a role: at /admin/v1 as bearer, and at the console's " +
        "sign-in. A viewer reads money, usage and what is sold; an operator runs the gateway; an " +
        "owner may do everything; a member has one project's keys, usage, calls and films alone.",
      example: "tokens create --name anna --role viewer --expires 90d",
      facts: ({ token, id, role, project, expires_at }) => [
        ["token", token],
        ["id", id],
        ["role", project === null ? role : `${role} of ${project}`],
        ["expires", expires_at ?? "never"],
      ],
      say: () => ["The token is shown this once: keep it now"],
    }),
    listCommand(cli, {
      operation: listTokens,
      example: "tokens list",
      columns: () => TOKEN_COLUMNS,
      none: "No tokens yet: tollgate tokens create --name NAME --role ROLE",
    }),
    factsCommand(cli, {
      operation: revokeToken,
      example: "tokens revoke tok_x3yk2qvu7w5a",
      facts: ({ id, name, state }) => [["id", id], ["name", name], ["status", state]],
    }),
  ];
}

/** The columns of `tokens list`. */
const TOKEN_COLUMNS: readonly Column<TokenRow>[] = [
  { header: "ID", value: ({ id }) => id },
  { header: "NAME", value: ({ name }) => name },
  { header: "TOKEN", value: ({ prefix }) => `${prefix}…` },
  { header: "ROLE", value: ({ role }) => role },
  { header: "PROJECT", value: ({ project }) => project ?? "-" },
  { header: "STATUS", value: ({ state }) => state },
  {
    header: "EXPIRES",
    value: ({ expires_at }) => expires_at === null ? "never" : timeText(expires_at),
  },
  {
    header: "LAST USED",
    value: ({ last_used_at }) => last_used_at === null ? "never" : timeText(last_used_at),
  },
];
