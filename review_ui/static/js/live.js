// A page follows its run or instance: an event says that something changed, the partial shows it.
const live = document.getElementById("live");
const progress = () => document.getElementById("progress");
const status = progress()?.dataset.status;
let pending = Promise.resolve();

function follow() {
  const events = new EventSource(live.dataset.events);
  for (const name of ["run", "instance", "end"]) events.addEventListener(name, () => refresh(events));
}

// One after the other, so that an older answer never replaces a newer one.
function refresh(events) {
  pending = pending.then(() => show(events)).catch(() => {});
}

async function show(events) {
  await window.htmx.ajax("GET", live.dataset.partial, { target: "#progress", swap: "outerMorph" });
  if (progress().dataset.status === status) return;
  events.close();
  location.reload(); // a new status changes the page's other parts too: links, revisions, buttons
}

if (live && !("finished" in live.dataset)) follow();
