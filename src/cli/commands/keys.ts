/**
 * `tollgate keys …`
 *
 * @module
 */

import type { Command } from "commander";
import {
  createKey,
  deleteKey,
  disableKey,
  enableKey,
  type KeyRow,
  listKeys,
  resumeKey,
  setKey,
  showKey,
} from "../../admin/accounts/keys.ts";
import { endGrace, rotateKey } from "../../admin/accounts/rotate_key.ts";
import type { Cli } from "../base/cli.ts";
import { factsCommand, listCommand } from "../operations/operation_command.ts";
import { type Column, type Facts, timeText } from "../base/table.ts";
import { budgetsText, limitsText, spendingFacts, spendState } from "./account_output.ts";

export function keys(cli: Cli): readonly Command[] {
  return [
    factsCommand(cli, {
      operation: createKey,
      example: "keys create --project shop --name web --expires 90d",
      facts: ({ key, id, project, expires_at }) => [
        ["key", key],
        ["id", id],
        ["project", project],
        ["expires", expires_at ?? "never"],
      ],
      say: () => ["The key is shown this once: keep it now"],
    }),
    listCommand(cli, {
      operation: listKeys,
      example: "keys list --project shop",
      columns: () => KEY_COLUMNS,
      none: "No keys yet: tollgate keys create --project ID",
    }),
    factsCommand(cli, {
      operation: showKey,
      example: "keys show key_x3yk2qvu7w5a",
      facts: keyFacts,
    }),
    factsCommand(cli, {
      operation: setKey,
      summary: "Change settings of a key",
      description: "Change the settings that are named; the others, and the key itself, stay.",
      example: "keys set key_x3yk2qvu7w5a --daily-budget 5.00 --expires never",
      facts: keyFacts,
    }),
    factsCommand(cli, {
      operation: rotateKey,
      description: "Make a key anew and show it, this once: id, limits, budgets and what is " +
        "counted stay. The earlier key works until its grace ends; what was before that one is " +
        "refused at once.",
      example: "keys rotate key_x3yk2qvu7w5a --grace 7d",
      facts: ({ key, id, earlier }) => [
        ["key", key],
        ["id", id],
        ["earlier", earlier ? `${earlier.prefix}… until ${earlier.until}` : "refused"],
      ],
      say: () => ["The key is shown this once: keep it now"],
    }),
    factsCommand(cli, {
      operation: endGrace,
      example: "keys end-grace key_x3yk2qvu7w5a",
      facts: keyFacts,
    }),
    factsCommand(cli, {
      operation: disableKey,
      example: "keys disable key_x3yk2qvu7w5a",
      facts: switchFacts,
    }),
    factsCommand(cli, {
      operation: enableKey,
      example: "keys enable key_x3yk2qvu7w5a",
      facts: switchFacts,
    }),
    factsCommand(cli, {
      operation: resumeKey,
      description:
        "End a pause by the key's spend brake, and begin every budget of the key anew that is " +
        "reached: what was spent until now counts no more against it.",
      example: "keys resume key_x3yk2qvu7w5a",
      facts: keyFacts,
    }),
    factsCommand(cli, {
      operation: deleteKey,
      example: "keys delete key_x3yk2qvu7w5a",
      facts: ({ id }) => [["deleted", id]],
    }),
  ];
}

/** The columns of `keys list`. */
const KEY_COLUMNS: readonly Column<KeyRow>[] = [
  { header: "ID", value: ({ id }) => id },
  { header: "PROJECT", value: ({ project }) => project },
  { header: "KEY", value: ({ prefix }) => `${prefix}…` },
  { header: "NAME", value: ({ name }) => name === "" ? "-" : name },
  { header: "STATUS", value: stateOf },
  {
    header: "EXPIRES",
    value: (row) => row.expires_at === null ? "never" : timeText(row.expires_at),
  },
  { header: "MODELS", value: ({ models }) => models?.join(",") ?? "all" },
  { header: "LIMITS", value: ({ limits }) => limitsText(limits) },
  { header: "BUDGETS", value: budgetsText },
];

/** A key, fact by fact. */
function keyFacts(row: KeyRow): Facts {
  return [
    ["id", row.id],
    ["project", row.project],
    ["name", row.name === "" ? "-" : row.name],
    ...spendingFacts(row),
    ["expires", row.expires_at ?? "never"],
    ...(row.earlier
      ? [["earlier", `${row.earlier.prefix}… until ${row.earlier.until}`] as const]
      : []),
    ["models", row.models?.join(",") ?? "all"],
    ["limits", limitsText(row.limits)],
  ];
}

/** Whether a key can be used. */
function stateOf(row: KeyRow): string {
  return !row.disabled && row.expired ? "expired" : spendState(row);
}

function switchFacts(key: KeyRow): Facts {
  return [["id", key.id], ["project", key.project], ["status", stateOf(key)]];
}
