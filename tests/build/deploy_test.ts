/**
 * The examples of `deploy` that no program here can judge are at least what they say they are.
 *
 * @module
 */

import assert from "node:assert/strict";
import { parse } from "yaml";

Deno.test("Traefik's example sends one host to one server, without waiting for more", async () => {
  const { http } = parse(await Deno.readTextFile("deploy/proxies/traefik.yml"));
  const { service, rule } = http.routers.tollgate;
  assert.match(rule, /^Host\(`[\w.]+`\)$/);
  const { loadBalancer } = http.services[service];
  assert.deepEqual(loadBalancer.servers, [{ url: "http://127.0.0.1:8080" }]);
  assert.equal(loadBalancer.responseForwarding.flushInterval, "-1ms");
  assert.ok(loadBalancer.serversTransport in http.serversTransports);
});

Deno.test("Promtail's example makes labels of nothing that there may be many of", async () => {
  const { scrape_configs: [job] } = parse(await Deno.readTextFile("deploy/logs/promtail.yml"));
  assert.equal(job.journal.matches, "_SYSTEMD_UNIT=tollgate.service");
  const [json, labels] = job.pipeline_stages;
  assert.deepEqual(Object.keys(labels.labels), ["level", "event"]);
  for (const label of Object.keys(labels.labels)) assert.ok(label in json.json.expressions);
});

Deno.test("the container's program is no root, writes to its data alone, and is asked how it is", async () => {
  const text = await Deno.readTextFile("deploy/container/Containerfile");
  assert.match(text, /^USER 10001:10001$/m);
  assert.match(text, /^VOLUME \/var\/lib\/tollgate$/m);
  assert.match(text, /^HEALTHCHECK [^]*"\/usr\/local\/bin\/tollgate", "providers", "list"\]$/m);
  assert.match(text, /^ENTRYPOINT \["\/usr\/local\/bin\/tollgate"\]$/m);
});
