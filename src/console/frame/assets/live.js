// Shows the live part of a page anew while it is looked at. Whoever reads with a selection, or is in
// the middle of it by keyboard, is not disturbed; without this the page says the same when it is
// loaded again.
const EVERY_MS = 10_000;

const place = document.getElementById("live");
setInterval(() => showAnew().catch(() => {}), EVERY_MS);

async function showAnew() {
  if (document.hidden || place.contains(document.activeElement)) return;
  if (!getSelection().isCollapsed) return;
  const answer = await fetch(location.href, { redirect: "error" });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html")
    .getElementById("live");
  if (fresh === null) return;
  place.replaceChildren(...fresh.childNodes);
  dispatchEvent(new Event("shown-anew"));
}
