/**
 * One call with all that is known of it: what was tried, why there, what it used and what it cost; or a
 * request that was refused before it became one, and what mends that.
 *
 * @module
 */

import type { Child } from "@hono/hono/jsx";
import { mayRun } from "../../admin/base/run_operation.ts";
import { showContent } from "../../admin/call_content.ts";
import { showCall, type WholeCall } from "../../admin/calls.ts";
import type { ShownLine } from "../../admin/shown_price.ts";
import { formatAmount, parseAmount } from "../../domain/money.ts";
import type { ConsoleContext } from "../frame/console_env.ts";
import { showPage } from "../frame/page.tsx";
import { Result } from "../parts/call_result.tsx";
import { LinkButton } from "../parts/link.tsx";
import { causeWords, mendingCommand } from "../parts/refusal_words.ts";
import { Facts, Moment, Table } from "../parts/table.tsx";
import { pathOfKey } from "./keys.tsx";

export async function showOneCall(context: ConsoleContext): Promise<Response> {
  const id = context.req.param("request_id") ?? "";
  const call = await context.var.admin.call(showCall, { request_id: id });
  return await showPage(
    context,
    { title: call.refusal === undefined ? "Call" : "Refused request" },
    call.refusal === undefined
      ? (
        <>
          <Call context={context} call={call} />
          <ContentLink context={context} id={id} />
        </>
      )
      : (
        <>
          <RefusedCall context={context} call={call} refusal={call.refusal} />
          <ContentLink context={context} id={id} />
        </>
      ),
  );
}

/** The way to what it said, for who may go it; whether that is kept is told there. */
function ContentLink({ context, id }: { readonly context: ConsoleContext; readonly id: string }) {
  if (!mayRun(showContent, context.var.rights)) return null;
  return (
    <>
      <h2>What it said</h2>
      <p class="sheet">
        <a href={`/console/calls/${encodeURIComponent(id)}/content`}>Conversation</a>
        {", where its project has that kept. The audit log notes who reads it."}
      </p>
    </>
  );
}

function RefusedCall(
  { context, call, refusal }: {
    readonly context: ConsoleContext;
    readonly call: WholeCall;
    readonly refusal: NonNullable<WholeCall["refusal"]>;
  },
) {
  const cause = { ...call, reason: call.error_code, why: refusal.why };
  const command = mendingCommand(cause);
  return (
    <>
      <p class="notice warn">
        {`Refused with ${refusal.status}: ${
          causeWords(cause)
        }. No upstream heard of it, nothing was held.`}
      </p>
      <Facts
        facts={[
          ...whose(call),
          ["Error code", call.error_code],
          ["What decided", refusal.why],
          ["Field", refusal.param],
          ["Told to the caller", refusal.message],
          ["At", <Moment at={call.opened_at} />],
          ["What mends it", command === undefined ? null : <code>{command}</code>],
        ]}
      />
      {call.decision !== undefined && (
        <>
          <h2>Routing decision</h2>
          <Decision context={context} call={call} />
        </>
      )}
      <p>
        <a href={`/console/calls?${new URLSearchParams(sameKind(call))}`}>
          Others of this project and code
        </a>
      </p>
    </>
  );
}

function sameKind({ project, error_code: code }: WholeCall): Record<string, string> {
  return {
    status: "refused",
    ...(project !== null && { project }),
    ...(code !== null && { error: code }),
  };
}

function Call(
  { context, call }: { readonly context: ConsoleContext; readonly call: WholeCall },
) {
  const { usage, video, price } = call;
  return (
    <>
      <Facts
        facts={[
          ["Result", <Result row={call} />],
          ...whose(call),
          ["Route", `${call.route} (${call.provider})`],
          ["Tags", tagWords(call.tags)],
          ["Batch", call.batch],
          ["Opened", <Moment at={call.opened_at} />],
          ["Closed", call.closed_at === null ? "not yet" : <Moment at={call.closed_at} />],
          ["Took", call.milliseconds === null ? null : `${call.milliseconds} ms`],
          ["First byte after", call.first_byte_ms === null ? null : `${call.first_byte_ms} ms`],
          ["Archive", call.archive],
        ]}
      />
      <h2>Attempts</h2>
      <Attempts call={call} />
      <h2>Routing decision</h2>
      <Decision context={context} call={call} />
      <h2>Usage</h2>
      <Table
        rows={Object.entries(usage?.work ?? {})}
        caption={usage === null ? "Usage" : `Counts, ${usage.source}: no token is in two of them`}
        none={usage === null ? "Known when the call has ended." : "Nothing was used."}
        columns={[
          { header: "Unit", value: ([unit]) => unit.replaceAll("_", " ") },
          { header: "Quantity", value: ([, count]) => count, kind: "right" },
        ]}
      />
      {video !== null && (
        <p>{`A film of ${video.size}, ${video.seconds} s${deletedWords(video.deleted)}`}</p>
      )}
      <h2>Price</h2>
      <Lines
        lines={price?.charge ?? []}
        caption={`What its project was charged, in ${call.currency}, by price version ${call.price_version}`}
        total={call.charged}
        none={price === null ? "There when the call has ended." : "Nothing was charged."}
      />
      {price && price.cost.length > 0 && (
        <Lines
          lines={price.cost}
          caption={`What it cost the operator, in ${call.currency}`}
          total={call.cost}
          none=""
        />
      )}
      <h2>Money</h2>
      <Facts
        facts={[
          ["Held before it began", call.held],
          ["Priced at", call.sale],
          ["Charged", call.charged],
          ["Given back", givenBack(call)],
          ["Lost by the operator", call.loss],
          ["State", call.state],
        ]}
      />
    </>
  );
}

function whose(call: WholeCall): readonly (readonly [string, Child])[] {
  const { project, model } = call;
  return [
    ["Request id", <code>{call.request_id}</code>],
    [
      "Project",
      project === null
        ? null
        : <a href={`/console/projects/${encodeURIComponent(project)}`}>{project}</a>,
    ],
    ["Key", call.key === null ? null : <a href={pathOfKey(call.key)}>{call.key}</a>],
    ["Endpoint", call.stream ? `${call.capability}, streamed` : call.capability],
    ["Model", model],
  ];
}

interface Attempt {
  readonly route: string;
  readonly outcome: string;
  readonly status: number | null;
  readonly milliseconds: number | null;
  readonly message: string;
}

function Attempts({ call }: { readonly call: WholeCall }) {
  const { failed_attempts: failed = [], attempts, route, result } = call;
  const rows: Attempt[] = failed.map(({ failure, ...attempt }) => ({
    ...attempt,
    outcome: failure,
  }));
  const hidden = (attempts ?? 0) - rows.length - (result === "completed" ? 1 : 0);
  if (route !== null && (attempts ?? 1) > failed.length && hidden <= 0) {
    const outcome = result === null ? "under way" : result === "completed" ? "served" : result;
    rows.push({ route, outcome, status: null, milliseconds: null, message: "" });
  }
  return (
    <>
      <Table
        rows={rows}
        caption="In their order"
        none={attempts === null ? "None has ended yet." : `${attempts} attempts`}
        columns={[
          { header: "Route", value: (row) => row.route },
          { header: "Outcome", value: ({ outcome }) => outcome.replaceAll("_", " ") },
          { header: "Status", value: ({ status }) => status ?? "–", kind: "right" },
          { header: "ms", value: ({ milliseconds: ms }) => ms ?? "–", kind: "right" },
          { header: "What the upstream said", value: ({ message }) => message, kind: "wide" },
        ]}
      />
      {hidden > 0 && <p class="quiet">{`and ${hidden} more attempts`}</p>}
    </>
  );
}

function Decision(
  { context, call: { decision, route, sticky } }: {
    readonly context: ConsoleContext;
    readonly call: WholeCall;
  },
) {
  const stuck = sticky === undefined
    ? undefined
    : sticky.route === route
    ? "It stayed on its route: the conversation's thoughts are sealed by it."
    : `It could not stay on ${sticky.route}, which has sealed the conversation's thoughts.`;
  if (decision === undefined) {
    return (
      <p class="sheet">
        {stuck ??
          "Every route of the model could serve it, and the first one of the usual order was taken. "}
        <LinkButton context={context} to="/console/routes">Routes</LinkButton>
      </p>
    );
  }
  const rows = [
    ...decision.ranked.map(({ route, place }, at) => [String(at + 1), route, place] as const),
    ...decision.left_out.map(({ route, reason, detail = "" }) =>
      ["left out", route, `${reason.replaceAll("_", " ")} ${detail}`.trim()] as const
    ),
  ];
  return (
    <>
      {stuck !== undefined && <p>{stuck}</p>}
      <Table
        rows={rows}
        caption={decision.preference === null
          ? "Routes in the order in which they were to be tried"
          : `Routes in the order in which they were to be tried, by ${
            decision.preference.replaceAll("_", " ")
          }`}
        none="No routes."
        columns={[
          { header: "Place", value: ([place]) => place },
          { header: "Route", value: ([, route]) => route },
          { header: "Why", value: ([, , why]) => why, kind: "wide" },
        ]}
      />
    </>
  );
}

const ADJUSTMENTS: { readonly [name in NonNullable<ShownLine["adjustment"]>]: string } = {
  markup: "Markup on the cost",
  share: "Not made of the film",
  rounding: "Rounded to 8 digits",
  not_explained: "Not explained by the counts and prices that are stored",
  free: "Free",
  released: "Released: not charged",
  unlimited: "Metered, never charged",
  beyond_hold: "More than was held: the operator's loss",
};

function Lines(
  { lines, caption, total, none }: {
    readonly lines: readonly ShownLine[];
    readonly caption: string;
    readonly total: string | null;
    readonly none: string;
  },
) {
  const sum = { unit: null, adjustment: null, quantity: null, rate: null, per: null };
  const rows = lines.length === 0 || total === null ? [] : [...lines, { ...sum, amount: total }];
  return (
    <Table<ShownLine>
      rows={rows}
      caption={caption}
      none={none}
      columns={[
        {
          header: "Line",
          value: ({ unit, adjustment }) =>
            unit?.replaceAll("_", " ") ??
              (adjustment === null ? <strong>Sum</strong> : ADJUSTMENTS[adjustment]),
        },
        { header: "Quantity", value: ({ quantity }) => quantity ?? "", kind: "right" },
        {
          header: "Rate",
          value: ({ rate, per }) =>
            rate === null ? "" : `${rate}${per === 1 ? "" : " per million"}`,
          kind: "right",
        },
        { header: "Amount", value: ({ amount }) => amount, kind: "right" },
      ]}
    />
  );
}

function tagWords(tags: WholeCall["tags"]): string | null {
  return tags === undefined
    ? null
    : Object.entries(tags).map(([name, value]) => `${name}=${value}`).join(", ");
}

function deletedWords(deleted: NonNullable<WholeCall["video"]>["deleted"]): string {
  return deleted === undefined ? "" : `, deleted while it was made (${deleted})`;
}

/** What of the hold went back to the balance. */
function givenBack({ held, charged }: WholeCall): string | null {
  return charged === null ? null : formatAmount(parseAmount(held) - parseAmount(charged));
}
