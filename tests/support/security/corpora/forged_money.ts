/**
 * Money that nobody paid: credit by those who may not give it, credit told twice,
 * and calls whose ids and heads say that they were charged already.
 *
 * @module
 */

import { Cases } from "../cases.ts";
import type { SecurityWorld } from "../security_world.ts";

const CALLS = 100;
const CHAT = { model: "echo", messages: [{ role: "user", content: "Hi" }], max_tokens: 4 };

export async function tryForgedMoney(world: SecurityWorld): Promise<Cases> {
  const cases = new Cases();
  await tryStrangersCredit(world, cases);
  await tryOddAmounts(world, cases);
  await tryRepeatedCredit(world, cases);
  await tryForgedIds(world, cases);
  const { differences } = await world.gateway.cli("ledger", "verify");
  cases.that(differences.length === 0, () => `The books differ: ${JSON.stringify(differences)}`);
  cases.add(world.faults);
  return cases;
}

async function balanceOf(world: SecurityWorld): Promise<number> {
  return Number((await world.get("/key")).project.balance);
}

/** Credit without the admin key, wherever it might be taken. */
async function tryStrangersCredit(world: SecurityWorld, cases: Cases): Promise<void> {
  const before = await balanceOf(world);
  const paths = [
    "/admin/v1/projects/mine/credit",
    "/v1/admin/v1/projects/mine/credit",
    "/v1/projects/mine/credit",
    "/v1/credit",
    "/v1/key",
    "/v1/key/credit",
    "/v1/webhooks/stripe",
    "/v1/billing/top-up",
    "/api/gateway/v1/projects/mine/credit",
    "/api/gateway/v1/top-up",
    "/api/user/topup",
    "/%61dmin/v1/projects/mine/credit",
    "/admin//v1/projects/mine/credit",
  ];
  const bodies = [
    { amount: "1000" },
    { amount: "1000", reference: "paid" },
    { project: "mine", amount: "1000", signature: "", status: "success", paid: true },
  ];
  const keys = [undefined, "", world.keys.mine, world.keys.theirs, "null", "undefined"];
  for (const target of paths) {
    for (const method of ["POST", "GET"]) {
      for (const key of keys) {
        for (const body of bodies) {
          const isRead = method === "GET" && target === "/v1/key";
          if (isRead) continue;
          const got = await world.ask({
            method,
            target,
            key,
            body,
            headers: {
              "stripe-signature": "t=1,v1=",
              "x-signature": "",
              "x-forwarded-for": "127.0.0.1",
              "x-admin": "true",
            },
          });
          cases.that(
            [401, 404, 405].includes(got.status),
            () => `${method} ${target}: ${got.status} ${got.body.slice(0, 200)}`,
          );
        }
      }
    }
  }
  const after = await balanceOf(world);
  cases.that(after === before, () => `A stranger's credit made ${before} into ${after}`);
}

/** Amounts that are none, by the administrator. */
async function tryOddAmounts(world: SecurityWorld, cases: Cases): Promise<void> {
  const before = await balanceOf(world);
  const amounts = [
    "-1",
    "0",
    "-0",
    "0.000000001",
    "1e9",
    "1E3",
    "0x10",
    "Infinity",
    "NaN",
    "",
    " 1",
    "1 ",
    "1,000",
    "１",
    "٣",
    "9".repeat(40),
    "+1",
    ".5.",
    "1_000",
    1,
    -1,
    1e300,
    null,
    true,
    [],
    ["1"],
    { valueOf: "1" },
  ];
  for (const amount of amounts) {
    const response = await fetch(`${world.gateway.url}/admin/v1/projects/mine/credit`, {
      method: "POST",
      headers: {
        "authorization": `Bearer ${world.secrets["the admin key"]}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ amount }),
    });
    const text = await response.text();
    cases.that(
      response.status === 400,
      () => `A credit of ${JSON.stringify(amount)}: ${response.status} ${text}`,
    );
  }
  const after = await balanceOf(world);
  cases.that(after === before, () => `An odd credit made ${before} into ${after}`);
}

/** One payment that is told many times is one credit. */
async function tryRepeatedCredit(world: SecurityWorld, cases: Cases): Promise<void> {
  const before = await balanceOf(world);
  const credit = () =>
    world.admin("POST", "/projects/mine/credit", { amount: "5", reference: "payment-1" });
  await Promise.all(Array.from({ length: 50 }, credit));
  const after = await balanceOf(world);
  cases.that(after === before + 5, () => `50 times one payment made ${before} into ${after}`);
}

/** Calls that come with equal ids are as many charges. */
async function tryForgedIds(world: SecurityWorld, cases: Cases): Promise<void> {
  const one = await chargeOf(world, {});
  cases.that(one > 0, () => "A call costs nothing: the rest says nothing");
  const headers = {
    "x-request-id": "req_forged00000",
    "x-client-request-id": "req_forged00000",
    "x-correlation-id": "1",
    "x-bf-vk": "x",
    "x-billing": "none",
    "x-cost": "0",
    "x-stainless-retry-count": "3",
    "x-usage": '{"total_tokens":0}',
  };
  const before = await balanceOf(world);
  const ids = new Set<string>();
  for (let call = 0; call < CALLS; call++) {
    const got = await world.ask({
      method: "POST",
      target: "/v1/chat/completions",
      key: world.keys.mine,
      headers,
      body: {
        ...CHAT,
        usage: { total_tokens: 0 },
        billing: false,
        metadata: { request_id: "req_forged00000" },
      },
    });
    ids.add(got.headers.get("x-request-id") ?? "");
    cases.that(got.status === 200, () => `A call with a forged id: ${got.status} ${got.body}`);
  }
  const paid = before - await balanceOf(world);
  cases.that(ids.size === CALLS, () => `${CALLS} calls got ${ids.size} ids`);
  cases.that(
    Math.abs(paid - CALLS * one) < 1e-9,
    () => `${CALLS} calls with one forged id were charged ${paid}, not ${CALLS * one}`,
  );
}

async function chargeOf(world: SecurityWorld, headers: Record<string, string>): Promise<number> {
  const before = await balanceOf(world);
  await world.ask({
    method: "POST",
    target: "/v1/chat/completions",
    key: world.keys.mine,
    headers,
    body: CHAT,
  });
  return before - await balanceOf(world);
}
