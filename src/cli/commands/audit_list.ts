/**
 * `tollgate audit list`
 *
 * @module
 */

import type { Command } from "commander";
import type { AuditRowJson } from "../../admin/audit.ts";
import { listAudit } from "../../admin/operations.ts";
import type { Cli } from "../base/cli.ts";
import { listCommand } from "../operations/operation_command.ts";
import { type Column, timeText } from "../base/table.ts";

/** Characters of what has changed in a line of the table. */
const MOST_SHOWN = 100;

export function auditList(cli: Cli): Command {
  return listCommand(cli, {
    operation: listAudit,
    description: "List administrative changes, newest first: who changed what, as it was and as " +
      "it became. Who used the control socket or the data dir is a claim. Long changes are cut; " +
      "--json has them whole.",
    example: "audit list --from 7d --operation projects.credit",
    most: 50,
    columns: columnsFor,
    none: "No such changes",
  });
}

function columnsFor(
  { subject: asked }: Readonly<Record<string, unknown>>,
): readonly Column<AuditRowJson>[] {
  return [
    { header: "NO", value: ({ number }) => String(number), align: "right" },
    { header: "AT", value: ({ at }) => timeText(at) },
    { header: "BY", value: describeActor },
    { header: "OPERATION", value: ({ operation }) => operation },
    { header: "SUBJECT", value: ({ subject }) => subject },
    { header: "CHANGE", value: (row) => describeFields(row, String(asked)) },
  ];
}

function describeActor({ channel, user, address }: AuditRowJson): string {
  const who = user ?? address;
  return who === null ? channel : `${channel} ${who}`;
}

/** A line is cut: what was asked for comes first, whatever else of a catalogue has changed. */
function describeFields({ before, after }: AuditRowJson, asked: string): string {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const isAsked = (name: string) => {
    const part = name.replace(" ", ":");
    return part === asked || part.endsWith(`:${asked}`);
  };
  const inOrder = [...names.filter(isAsked), ...names.filter((name) => !isAsked(name))];
  const text = inOrder.map((name) => {
    const old = before?.[name];
    const young = after?.[name];
    if (old === undefined) return `${name} ${JSON.stringify(young)}`;
    return `${name} ${JSON.stringify(old)} → ${
      young === undefined ? "(none)" : JSON.stringify(young)
    }`;
  }).join(", ");
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
