/**
 * The server that has the database, and the nodes that use it.
 *
 * @module
 */

import type { NodeRow } from "../../admin/nodes.ts";
import type { SystemView } from "../../admin/system.ts";
import { Facts, Moment, State, Table } from "../parts/table.tsx";

/** What an operator is shown of them where the database is on a server. */
export function NodesSection(
  { server, nodes }: {
    readonly server: NonNullable<SystemView["database_server"]>;
    readonly nodes: readonly NodeRow[];
  },
) {
  return (
    <>
      <h2 id="nodes">Nodes</h2>
      <Facts
        facts={[
          ["Database server", server.name],
          ["Role", server.is_standby === true ? "standby" : "takes writes"],
          ["Switched off", server.switched_off.join(", ")],
          ["Confirms", confirmsText(server)],
          ["Standbys", server.standbys.map(standbyText).join("; ")],
        ]}
      />
      <Table
        rows={nodes}
        caption="Processes that use the database together"
        none="None lives."
        columns={[
          { header: "Session", value: ({ id }) => id, kind: "right" },
          {
            header: "Node",
            value: ({ name, is_this }) => is_this ? `${name}, which you see` : name,
            kind: "wide",
          },
          { header: "Version", value: ({ version }) => version ?? "–" },
          { header: "Since", value: ({ started_at }) => <Moment at={started_at} /> },
          {
            header: "Heard of",
            value: ({ last_beat_ms }) => last_beat_ms === null ? "–" : secondsAgo(last_beat_ms),
            kind: "right",
          },
          { header: "Leased", value: ({ leased }) => leased, kind: "right" },
          { header: "Held", value: ({ held }) => held, kind: "right" },
          { header: "Behind", value: ({ changes_behind }) => changes_behind ?? "–", kind: "right" },
          {
            header: "State",
            value: ({ troubles }) => (
              <State kind={troubles.length === 0 ? "good" : "warn"}>
                {troubles.length === 0 ? "well" : "look"}
              </State>
            ),
          },
          { header: "What to do", value: ({ troubles }) => troubles.join("; "), kind: "wide" },
        ]}
      />
    </>
  );
}

type ServerView = NonNullable<SystemView["database_server"]>;

function confirmsText({ synchronous_commit, synchronous_standby_names }: ServerView): string {
  if (synchronous_commit === null) return "";
  const whose = synchronous_standby_names === null || synchronous_standby_names === ""
    ? "no standby has to have it"
    : `${synchronous_standby_names} has to have it`;
  return `synchronous_commit ${synchronous_commit}, ${whose}`;
}

function standbyText({ name, state, mode, lag_ms }: ServerView["standbys"][number]): string {
  const lag = lag_ms === null ? null : `${lag_ms} ms behind`;
  return [name, state, mode, lag].filter((part) => part !== null && part !== "").join(" ");
}

function secondsAgo(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s ago`;
}
