import assert from "node:assert/strict";
import { formatPostgresAddress, readPostgresAddress } from "../../src/domain/postgres_address.ts";

const PLAIN = {
  host: "db.example.com",
  port: 5432,
  user: "u",
  password: undefined,
  database: "books",
  isVerified: true,
  options: undefined,
};

const READ: readonly (readonly [string, Partial<typeof PLAIN> | Record<string, unknown>])[] = [
  ["postgres://u@db.example.com/books", {}],
  ["postgresql://u:p%40ss%2Fword@db.example.com:6432/books", { port: 6432, password: "p@ss/word" }],
  ["postgres://u@db.example.com/books?sslmode=require&channel_binding=require", {}],
  ["postgres://u@db.example.com/books?sslmode=disable", { isVerified: false }],
  ["postgres://u@127.0.0.1:80/books", { host: "127.0.0.1", port: 80, isVerified: false }],
  ["postgres://u@[::1]/books", { host: "::1", isVerified: false }],
  ["postgres://u@localhost/books?sslmode=verify-full", { host: "localhost" }],
  ["postgres://u@/books?host=/run/postgresql", { host: "/run/postgresql", isVerified: false }],
  ["postgres://u@db.example.com/books?options=endpoint%3Dx", { options: "endpoint=x" }],
];

for (const [text, parts] of READ) {
  Deno.test(`readPostgresAddress() reads ${text}`, () => {
    assert.deepEqual(readPostgresAddress(text), { ok: true, address: { ...PLAIN, ...parts } });
  });
}

const REFUSED: readonly (readonly [string, RegExp])[] = [
  ["mysql://u:secret@h/books", /^Expected an address such as postgres:/],
  ["secret", /^Expected an address/],
  ["postgres://u:secret/more@h/books", /%-signs for what is no letter/],
  ["postgres://u:secret@a,b/books", /with one host/],
  ["postgres://u:secret%zz@h/books", /%-sign that stands for nothing/],
  ["postgres://h/books", /names no user/],
  ["postgres://u:secret@h", /names no database/],
  ["postgres://u:secret@/books", /names no host/],
  ["postgres://u:secret@h/books?host=other", /no folder of a socket/],
  ["postgres://u:secret@h/books?sslmode=prefer", /sslmode is none of verify-full/],
  ["postgres://u:secret@h/books?sslrootcert=ca.pem", /with database_ca/],
  ["postgres://u:secret@h/books?sslcert=x", /parameter sslcert is not known/],
];

for (const [text, said] of REFUSED) {
  Deno.test(`readPostgresAddress() refuses ${text}, and repeats no secret`, () => {
    const read = readPostgresAddress(text);
    assert.match(read.ok ? "" : read.message, said);
    assert.equal(read.ok || read.message.includes("secret"), false);
  });
}

Deno.test("formatPostgresAddress() shows neither user nor password", () => {
  for (
    const [text, shown] of [
      ["postgres://u:secret@h:1/books", "books on h:1"],
      ["postgres://u:secret@[::1]/books", "books on [::1]:5432"],
      ["postgres://u:secret@/books?host=/run/pg", "books at /run/pg"],
    ] as const
  ) {
    const read = readPostgresAddress(text);
    assert.equal(read.ok && formatPostgresAddress(read.address), shown);
  }
});
