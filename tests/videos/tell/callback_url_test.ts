import assert from "node:assert/strict";
import { faultOfCallbackUrl } from "../../../src/videos/tell/require_callback.ts";

const GOOD = [
  "https://hooks.example/videos?token=1#x",
  "http://hooks.example:8080",
  "HTTPS://HOOKS.EXAMPLE",
  "https://8.8.8.8/",
  "https://[2606:4700::1111]/",
  "https://xn--bcher-kva.example/",
  `https://a.example/${"x".repeat(2_030)}`,
];
/** Addresses of this machine and its networks, in all spellings. */
const PRIVATE = [
  "http://localhost/",
  "http://localhost./",
  "http://LOCALHOST:80/",
  "http://films.localhost/",
  "http://127.0.0.1/",
  "http://127.1/",
  "http://2130706433/",
  "http://0x7f000001/",
  "http://0177.0.0.1/",
  "http://0/",
  "http://10.0.0.1/",
  "http://172.16.0.1/",
  "http://192.168.1.1/",
  "http://169.254.169.254/latest/meta-data/",
  "http://100.100.100.200/",
  "http://[::1]/",
  "http://[::]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://[64:ff9b::7f00:1]/",
  "http://[fe80::1]/",
  "http://[fd00::1]/",
  "http://①②⑦.0.0.1/",
];
const BAD = [
  ["", "it does not begin with https:// or http://"],
  ["hooks.example", "it does not begin with https:// or http://"],
  ["/hooks", "it does not begin with https:// or http://"],
  ["ftp://hooks.example/", "it does not begin with https:// or http://"],
  ["file:///etc/passwd", "it does not begin with https:// or http://"],
  ["javascript:alert(1)", "it does not begin with https:// or http://"],
  ["data:text/plain,x", "it does not begin with https:// or http://"],
  ["unix:/run/docker.sock", "it does not begin with https:// or http://"],
  ["https:hooks.example", "it does not begin with https:// or http://"],
  ["https://", "it is no absolute URL"],
  ["https://hooks.example:99999/", "it is no absolute URL"],
  [" https://hooks.example/", "it has blanks, backslashes or control characters"],
  ["https://hooks.example/\0", "it has blanks, backslashes or control characters"],
  ["https://hooks.example/\r\nx: y", "it has blanks, backslashes or control characters"],
  ["https://hooks.example\\@127.0.0.1/", "it has blanks, backslashes or control characters"],
  ["https://user@hooks.example/", "it must not carry a user name or password"],
  ["https://:secret@hooks.example/", "it must not carry a user name or password"],
  [`https://a.example/${"x".repeat(2_031)}`, "it is longer than 2048 characters"],
] as const;

for (const url of GOOD) {
  Deno.test(`faultOfCallbackUrl() has nothing against ${url.slice(0, 60)}`, () => {
    for (const allowsPrivate of [true, false]) {
      assert.equal(faultOfCallbackUrl(url, { allowsPrivate }), undefined);
    }
  });
}

for (const url of PRIVATE) {
  Deno.test(`faultOfCallbackUrl() takes ${url} only where the operator allows it`, () => {
    const fault = faultOfCallbackUrl(url, { allowsPrivate: false });
    assert.match(fault!, /does not lead to the open internet/);
    assert.equal(faultOfCallbackUrl(url, { allowsPrivate: true }), undefined);
  });
}

for (const [url, fault] of BAD) {
  Deno.test(`faultOfCallbackUrl() refuses ${JSON.stringify(url.slice(0, 60))}: ${fault}`, () => {
    for (const allowsPrivate of [true, false]) {
      assert.equal(faultOfCallbackUrl(url, { allowsPrivate }), fault);
    }
  });
}
