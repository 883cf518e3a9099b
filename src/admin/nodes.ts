/**
 * Nodes: processes that use one database on a server at the same time.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../documents/shown.ts";
import { formatAmount } from "../domain/money.ts";
import { nodeTroubles, type NodeView } from "../domain/node_view.ts";
import type { SessionId } from "../domain/session.ts";
import { shownAmount, shownCount, shownTime, timeToJson } from "./base/fields.ts";
import { defineOperation } from "./base/operation.ts";
import { pageAnswer, pageFields, pageOfItems } from "./base/page.ts";

export const nodeRow = z.object({
  id: z.string().describe("Number of its session, and of its book of the ledger"),
  name: z.string().describe("What it is, and where it runs"),
  node: z.string().describe("The same at each start from a data dir"),
  slot: shownCount.describe("Number that it has in ids of calls"),
  version: z.string().nullable().describe(
    "Of the program; null where an earlier one does not tell",
  ),
  started_at: shownTime.nullable(),
  is_this: z.boolean().describe("Whether it is the one that answers"),
  last_beat_ms: shownCount.nullable().describe(
    "Milliseconds since it said that it lives, several times a second; null before that",
  ),
  clock_ahead_ms: z.int().nullable().describe("What its clock is ahead of the server's"),
  changes_behind: shownCount.nullable().describe(
    "Changes of keys, projects and catalogue that it has not taken in",
  ),
  leased_projects: shownCount.describe("Projects of whose balance it has a part"),
  leased: shownAmount.describe("What it may spend of balances without asking"),
  held: shownAmount.describe("What its calls under way hold"),
  troubles: z.array(z.string()).describe("What to look at, and what to do"),
});

/** A node as listed. */
export type NodeRow = Shown<typeof nodeRow>;

export const listNodes = defineOperation({
  name: "nodes.list",
  method: "GET",
  path: "/nodes",
  role: "operator",
  summary: "List the processes that use the database at the same time, where a server has it; " +
    "a data dir with a database of its own has one.",
  input: z.strictObject(pageFields),
  output: pageAnswer(nodeRow),
  errors: [],
  async run({ databaseServer }, page) {
    const nodes = await databaseServer?.nodes() ?? [];
    const items = nodes.map((node) => ({ id: String(node.session), node }));
    return pageOfItems(items, {
      ...page,
      show: ({ node }) => rowOf(node, databaseServer!.own),
      what: "node",
    });
  },
});

function rowOf(node: NodeView, own: SessionId): NodeRow {
  const { session, label, slot, program, begunAt, beat, leased } = node;
  return {
    id: String(session),
    name: label,
    node: node.node,
    slot,
    version: program ?? null,
    started_at: timeToJson(begunAt),
    is_this: session === own,
    last_beat_ms: beat?.agoMs ?? null,
    clock_ahead_ms: beat?.clockAheadMs ?? null,
    changes_behind: beat?.changesBehind ?? null,
    leased_projects: leased.projects,
    leased: formatAmount(leased.leftE8),
    held: formatAmount(leased.heldE8),
    troubles: nodeTroubles(node).map(({ detail, remedy }) => `${detail}: ${remedy}`),
  };
}
