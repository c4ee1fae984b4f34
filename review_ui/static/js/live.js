// The run page follows the run: an event says that something changed, the partial shows it.
const live = document.getElementById("live");

function follow() {
  const events = new EventSource(live.dataset.events);
  events.addEventListener("run", () => refresh(events));
  events.addEventListener("end", () => { events.close(); refresh(events); });
}

let pending = Promise.resolve();
function refresh(events) {
  pending = pending.then(() => window.htmx.ajax("GET", live.dataset.partial, { target: "#progress", swap: "outerMorph" }))
    .then(() => { if ("finished" in document.getElementById("progress").dataset) finish(events); });
}

// A finished run changes the page's other parts too (review, publication, revisions).
let finished = false;
function finish(events) {
  events.close();
  if (!finished) location.reload();
  finished = true;
}

if (live && !("finished" in live.dataset)) follow();
