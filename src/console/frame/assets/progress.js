// Moves the progress of a page while it is looked at, and shows the page anew when what it waits for
// has ended. Without this the page says the same when it is loaded again.
const EVERY_MS = 2000;
// A gateway that does not answer is asked more and more seldom.
const MOST_MS = 30000;

for (const place of document.querySelectorAll("[data-progress]")) follow(place);

async function follow(place) {
  let waitMs = EVERY_MS;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    if (document.hidden) await seen();
    const told = await ask(place.dataset.progress);
    if (told === undefined) {
      waitMs = Math.min(MOST_MS, waitMs * 2);
      continue;
    }
    waitMs = EVERY_MS;
    if (told.ended) return location.reload();
    const bar = place.querySelector("progress");
    if (told.percent === null) bar.removeAttribute("value");
    else bar.value = told.percent;
    place.querySelector("[data-told]").textContent = told.text;
  }
}

async function ask(path) {
  try {
    const answer = await fetch(path, {
      headers: { accept: "application/json" },
      redirect: "error",
    });
    return answer.ok ? await answer.json() : undefined;
  } catch (error) {
    // Between two starts nobody answers, and who is signed out is led away: the page stays as it is.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function seen() {
  return new Promise((resolve) => {
    document.addEventListener("visibilitychange", resolve, { once: true });
  });
}
